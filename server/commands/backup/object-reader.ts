import { createHash, type Hash } from 'node:crypto';
import { DamagedError, type ReadPart } from './archive-reader.ts';
import { type ListedObject, type ObjectPart, objectOfPart } from './format.ts';
import { ListCursor, readList } from './object-list.ts';

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
