import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { ShareScope } from '#server/fair-share.ts';
import type { ReadMemory, ReadMemoryPayload } from '#server/sandbox/index.ts';
import { unreadableFile } from '#server/set-upload.ts';

/** The largest file that may be sent takes a few seconds, and some 400 MB. */
const limits = { timeMs: 60_000, memoryBytes: 1_000_000_000 };

/**
 * Reads a TMX file in a child process, when it is the tenant's turn: its units, duplicates collapsed.
 * @throws AppError 400 for what cannot be read, 503 where too many files wait
 */
export async function readMemoryFile(
  { sandbox, sandboxTurns }: Services,
  scope: ShareScope,
  payload: ReadMemoryPayload,
): Promise<ReadMemory> {
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
