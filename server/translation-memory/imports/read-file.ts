import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { ShareScope } from '#server/fair-share.ts';
import type { ReadMemory, ReadMemoryPayload } from '#server/sandbox/index.ts';
import { unreadableFile } from '#server/set-upload.ts';
import type { RowKind } from '../queries/rows.ts';

export type ReadFile = ReadMemory;

/** The largest file that may be sent takes a few seconds, and some 400 MB. */
const limits = { timeMs: 60_000, memoryBytes: 1_000_000_000 };

/**
 * Reads a TMX file in a child process, when it is the tenant's turn: its units, duplicates collapsed, and their index.
 * @throws AppError 400 for what cannot be read, 503 where too many files wait
 */
export async function readMemoryFile(
  { sandbox, sandboxTurns }: Services,
  scope: ShareScope,
  payload: ReadMemoryPayload,
): Promise<ReadFile> {
  try {
    const read = await sandboxTurns.run(scope, () =>
      sandbox.run('read_memory', payload, { ...limits, signal: scope.signal }),
    );
    if ('refused' in read) throw new AppError('validation_error', `tmx_file: ${read.refused}`);
    return read;
  } catch (error) {
    throw unreadableFile('tmx_file', error);
  }
}

const utf8 = new TextDecoder();

/** What was read, a statement's worth of rows at a time, in an order in which it can be stored. */
export function* rowParts(read: ReadFile): Generator<{ kind: RowKind; rows: string }> {
  const bytes = { segments: read.segmentRows, shards: read.shardRows, postings: read.postingRows };
  for (const kind of ['segments', 'shards', 'postings'] as const) {
    let from = 0;
    for (const end of read.ends[kind]) {
      yield { kind, rows: utf8.decode(bytes[kind].subarray(from, end)) };
      from = end;
    }
  }
}
