import type { FileHandle } from 'node:fs/promises';
import { type ReadPart, readParts } from './archive-reader.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import { type ListedObject, listedObjectShape, listPart, partBytes } from './format.ts';

/** Lines that are written to the temporary file at a time. */
const linesOfWrite = 1000;

/** Collects the list of objects in a temporary file, and adds it to the end of a backup. */
export class ListWriter {
  readonly #spool: FileHandle;
  #lines: string[] = [];
  count = 0;

  constructor(spool: FileHandle) {
    this.#spool = spool;
  }

  async add(object: ListedObject): Promise<void> {
    this.count += 1;
    if (this.#lines.push(`${JSON.stringify(object)}\n`) >= linesOfWrite) await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#spool.appendFile(this.#lines.join(''));
    this.#lines = [];
  }

  async addTo(archive: ArchiveWriter): Promise<void> {
    await this.#flush();
    let parts = 0;
    const written = this.#spool.createReadStream({ start: 0, autoClose: false });
    for await (const lines of inWholeLines(written)) {
      parts += 1;
      await archive.add(listPart(parts), lines);
    }
  }
}

/** Yields the list of a backup, sorted by path. It reads only the end of the file. */
export async function* readList(file: string): AsyncGenerator<ListedObject> {
  for await (const part of readParts(file, undefined, 'tail')) yield* objectsOf(part);
}

function* objectsOf({ content }: ReadPart): Generator<ListedObject> {
  for (const line of content.toString('utf8').split('\n'))
    if (line !== '') yield listedObjectShape.parse(JSON.parse(line));
}

/** Finds objects in a list by ascending paths, without holding the list in memory. */
export class ListCursor {
  readonly #list: AsyncIterator<ListedObject>;
  #next: ListedObject | undefined;
  #isAtEnd = false;

  constructor(list: AsyncIterator<ListedObject>) {
    this.#list = list;
  }

  /**
   * Returns the object with this path, and moves behind it. Each call needs a greater path than the previous call.
   * @param skipped called with each object before this path
   */
  async find(
    path: string,
    skipped: (object: ListedObject) => void = () => {},
  ): Promise<ListedObject | undefined> {
    for (let next = await this.#peek(); next && next.path <= path; next = await this.#peek()) {
      this.#next = undefined;
      if (next.path === path) return next;
      skipped(next);
    }
    return undefined;
  }

  /** Calls `skipped` with each remaining object. */
  async rest(skipped: (object: ListedObject) => void): Promise<void> {
    for (let next = await this.#peek(); next; next = await this.#peek()) {
      this.#next = undefined;
      skipped(next);
    }
  }

  async close(): Promise<void> {
    await this.#list.return?.();
  }

  async #peek(): Promise<ListedObject | undefined> {
    if (this.#next || this.#isAtEnd) return this.#next;
    const { value, done } = await this.#list.next();
    this.#isAtEnd = done === true;
    this.#next = done ? undefined : value;
    return this.#next;
  }
}

const newline = 10;

/**
 * Converts pieces, which may end in the middle of a line, to parts of some megabytes that end with a complete line.
 * An incomplete last line is dropped.
 */
export async function* inWholeLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    kept.push(piece);
    size += piece.length;
    if (size < partBytes) continue;
    const all = Buffer.concat(kept, size);
    const end = all.lastIndexOf(newline) + 1;
    if (end > 0) yield all.subarray(0, end);
    kept = end < all.length ? [all.subarray(end)] : [];
    size = all.length - end;
  }
  const rest = Buffer.concat(kept, size);
  const end = rest.lastIndexOf(newline) + 1;
  if (end > 0) yield rest.subarray(0, end);
}

/**
 * Returns the number of lines. In the format of COPY, each row is one line, because a line break in a value is
 * written as `
 * `.
 */
export function countLines(lines: Buffer): number {
  let count = 0;
  for (let at = lines.indexOf(newline); at >= 0; at = lines.indexOf(newline, at + 1)) count += 1;
  return count;
}
