import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { createTarPacker } from 'modern-tar';
import { Refusal } from '../refusal.ts';
import { indexPart, names, type Part, partsOfIndex } from './format.ts';

/**
 * Writes the parts of a backup, each with its digest in an index. The file has a temporary name until `finish`, and
 * `discard` removes it. Only the file's owner can read it.
 */
export class ArchiveWriter {
  readonly #file: string;
  readonly #draft: string;
  readonly #tar = createTarPacker();
  readonly #written: Promise<void>;
  readonly #begun = new Date();
  #listed: Part[] = [];
  /** The digests of the indexes that have been written. */
  readonly indexes: string[] = [];

  private constructor(file: string, draft: string, output: NodeJS.WritableStream) {
    this.#file = file;
    this.#draft = draft;
    this.#written = pipeline(Readable.fromWeb(this.#tar.readable), createZstdCompress(), output);
    // The caller that adds the next part gets the error. Without this line, the rejection would count as unhandled
    // until then.
    this.#written.catch(() => {});
  }

  /**
   * Creates the file.
   * @throws Refusal if the file exists, because backups are never overwritten
   */
  static async open(file: string): Promise<ArchiveWriter> {
    const existing = await stat(file).catch(() => undefined);
    if (existing) throw new Refusal(`${file} already exists; choose another name`);
    const draft = `${file}.unfinished-${process.pid}`;
    const handle = await open(draft, 'wx', 0o600).catch((error: Error) => {
      throw new Refusal(`${file} cannot be written (${error.message})`);
    });
    return new ArchiveWriter(file, draft, createWriteStream('', { fd: handle, flush: true }));
  }

  /** Adds a part, and lists it in an index. */
  async add(name: string, content: Uint8Array | string): Promise<void> {
    const bytes = Buffer.from(content as Uint8Array);
    await this.#append(name, bytes);
    this.#listed.push({ name, bytes: bytes.length, sha256: digest(bytes) });
    if (this.#listed.length >= partsOfIndex) await this.#endIndex();
  }

  async #endIndex(): Promise<void> {
    if (this.#listed.length === 0) return;
    const content = Buffer.from(JSON.stringify(this.#listed));
    this.#listed = [];
    this.indexes.push(digest(content));
    await this.#append(indexPart(this.indexes.length), content);
  }

  async #append(name: string, content: Uint8Array): Promise<void> {
    try {
      const header = { name, size: content.length, mode: 0o600, mtime: this.#begun, type: 'file' } as const;
      const entry = this.#tar.controller.add(header).getWriter();
      await entry.write(content);
      await entry.close();
    } catch (error) {
      // If the output has failed, throw its error, such as a full disk. It is more helpful than the error that the
      // packer has stopped.
      await this.#written;
      throw error;
    }
  }

  /**
   * Adds the manifest, which `describe` creates from the digests of the indexes. Then gives the file its final name.
   * @returns the size of the file in bytes
   */
  async finish(describe: (indexes: readonly string[]) => object): Promise<number> {
    await this.#endIndex();
    await this.#append(names.manifest, Buffer.from(JSON.stringify(describe(this.indexes))));
    this.#tar.controller.finalize();
    await this.#written;
    await giveName(this.#draft, this.#file);
    return (await stat(this.#file)).size;
  }

  async discard(): Promise<void> {
    this.#tar.controller.error(new Error('discarded'));
    await this.#written.catch(() => {});
    await rm(this.#draft, { force: true });
  }
}

/**
 * Gives the file its final name with a link. Unlike a rename, a link never replaces a file that another process has
 * created in the meantime.
 */
async function giveName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
    await rm(draft).catch(() => {});
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw new Refusal(`${file} already exists`);
    // The file system does not support links.
    await rename(draft, file);
  }
  const folder = await open(dirname(file), 'r').catch(() => undefined);
  await folder?.sync().catch(() => {});
  await folder?.close();
}

export function digest(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
