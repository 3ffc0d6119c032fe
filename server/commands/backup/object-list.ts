import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { DamagedError, type ReadPart, readParts } from './archive-reader.ts';
import type { ArchiveWriter } from './archive-writer.ts';
import {
  type ListedObject,
  listedObjectShape,
  listPart,
  type ObjectPart,
  objectOfPart,
  partBytes,
} from './format.ts';

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

export interface StoredObject {
  path: string;
  content: Buffer;
}

interface Current extends ObjectPart {
  listed: ListedObject | undefined;
  hash: Hash;
  bytes: number;
  pieces: Buffer[];
}

/**
 * Selects those objects of one backup that a restore of the chain needs: the last backup of the chain lists them with
 * size and checksum, and both are compared. Objects and list are sorted by path, so neither is in memory.
 */
export class ObjectReader {
  readonly #file: string;
  readonly #read: string;
  readonly #list: ListCursor;
  #current: Current | undefined;
  /** The number of selected objects, and their size. */
  count = 0;
  bytes = 0;

  /**
   * @param file the last backup of the chain
   * @param position the position in the chain of the backup that is read
   * @param read this backup
   */
  constructor(file: string, position: number, read: string) {
    this.#file = file;
    this.#read = read;
    this.#list = new ListCursor(of(readList(file), position));
  }

  /**
   * Takes the next part of the backup.
   * @param use called with each object that is needed
   */
  async add({ name, content }: ReadPart, use: (piece: StoredObject) => Promise<void>): Promise<void> {
    const part = objectOfPart(name);
    if (this.#current && (this.#current.path !== part?.path || part.kind === 'objects'))
      await this.#endObject(use);
    if (!part) return;
    this.#current ??= await this.#begin(part);
    const { listed, hash, pieces } = this.#current;
    if (!listed) return;
    hash.update(content);
    this.#current.bytes += content.length;
    pieces.push(content);
  }

  /** Call this after the last part. @throws DamagedError if an object of the list is missing */
  async end(use: (piece: StoredObject) => Promise<void>): Promise<void> {
    if (this.#current) await this.#endObject(use);
    await this.#list.rest((object) => this.#refuseMissing(object));
    await this.#list.close();
  }

  async #begin(part: ObjectPart): Promise<Current> {
    const listed = await this.#list.find(part.path, (object) => this.#refuseMissing(object));
    return { ...part, listed, hash: createHash('sha256'), bytes: 0, pieces: [] };
  }

  async #endObject(use: (piece: StoredObject) => Promise<void>): Promise<void> {
    const { path, listed, hash, bytes, pieces } = this.#current as Current;
    this.#current = undefined;
    if (!listed) return;
    if (listed.bytes !== bytes || listed.sha256 !== hash.digest('hex')) {
      const list = this.#read === this.#file ? '' : ` in ${this.#file}`;
      throw new DamagedError(
        this.#read,
        path,
        `its size or checksum differs from the list of objects${list}`,
      );
    }
    await use({ path, content: Buffer.concat(pieces, bytes) });
    this.count += 1;
    this.bytes += bytes;
  }

  #refuseMissing({ path }: ListedObject): never {
    throw new DamagedError(this.#file, path, 'this object of its list is missing in the chain');
  }
}

async function* of(list: AsyncIterable<ListedObject>, position: number): AsyncGenerator<ListedObject> {
  for await (const object of list) if (object.backup === position) yield object;
}
