import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { release } from '#server/sandbox/release-bytes.ts';
import { SandboxError } from '#server/sandbox/sandbox-error.ts';
import type { TurnScope } from '#server/sandbox/task-queue.ts';
import type { RowPiece } from '#server/sandbox/tasks/index-memory.ts';
import type { MemoryPiece, MemorySummary, ReadMemoryPayload } from '#server/sandbox/tasks/read-memory.ts';
import { unreadableFile } from '#server/set-upload.ts';
import type { RowKind } from '../queries/rows.ts';

/** A statement's worth of packed rows. */
export interface RowPart {
  kind: RowKind;
  rows: string;
}

/** What a memory file came to, and its rows as they are made. */
export interface ReadMemory {
  summary: MemorySummary;
  parts: AsyncIterable<RowPart>;
}

/**
 * Reads a TMX file in a child process, when it is the tenant's turn: its units, duplicates collapsed, and their index. `take` is
 * called when all of the file has been read, and its bytes released; it may take the rows for as long as it runs.
 * @throws AppError 400 for what cannot be read, 503 where too many files wait or its process ends behind the summary
 */
export async function readMemoryFile<T>(
  { fileWork }: Services,
  scope: TurnScope,
  payload: ReadMemoryPayload,
  take: (read: ReadMemory) => Promise<T>,
): Promise<T> {
  let read = false;
  try {
    return await fileWork.stream('read_memory', payload, scope, async (pieces) => {
      const { value: first } = await pieces.next();
      release(payload.bytes);
      read = true;
      if (first?.kind === 'refused') throw new AppError('validation_error', `tmx_file: ${first.message}`);
      if (first?.kind !== 'summary') throw new Error('read_memory does not begin with what it read');
      const { kind: _, ...summary } = first;
      return take({ summary, parts: rowParts(pieces) });
    });
  } catch (error) {
    // A file that has been read is none that cannot be.
    if (read && error instanceof SandboxError && error.reason === 'crashed')
      throw new AppError('transient_error', 'the import was interrupted; nothing was imported, try again', {
        cause: error,
      });
    throw unreadableFile('tmx_file', error);
  }
}

const utf8 = new TextDecoder();

/** All parts, of a file that is not large. */
export async function collectParts(parts: AsyncIterable<RowPart>): Promise<RowPart[]> {
  const all: RowPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** The pieces that are rows, as text. */
export async function* rowParts(pieces: AsyncIterable<MemoryPiece | RowPiece>): AsyncGenerator<RowPart> {
  for await (const piece of pieces) {
    if (!('rows' in piece)) continue;
    const rows = utf8.decode(piece.rows);
    release(piece.rows);
    yield { kind: piece.kind, rows };
  }
}
