import { createHash } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, type ZstdCompress } from 'node:zlib';
import { packTar } from 'modern-tar';
import { advance } from '#db/progress.ts';
import { Refusal } from '../refusal.ts';
import { FileDigest, indexPart, locatorFrame, names, type Part, partsOfIndex } from './format.ts';

/** Bytes of zeros with which a tar file ends. */
const tarEndBytes = 1024;

/**
 * Writes the parts of a backup, each with its digest in an index. The file has a temporary name until `finish`, and
 * `discard` removes it. Only the file's owner can read it.
 */
export class ArchiveWriter {
  readonly #file: string;
  readonly #draft: string;
  readonly #output: WriteStream;
  readonly #begun = new Date();
  readonly #fileDigest = new FileDigest();
  #frame: Frame;
  #bytes = 0;
  /** The position of the frame with list and manifest, once it has begun. */
  #tail: number | undefined;
  #listed: Part[] = [];
  /** The digests of the indexes that have been written. */
  readonly indexes: string[] = [];

  private constructor(file: string, draft: string, output: WriteStream) {
    this.#file = file;
    this.#draft = draft;
    this.#output = output;
    this.#frame = this.#beginFrame();
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
    advance();
    this.#listed.push({ name, bytes: bytes.length, sha256: digest(bytes) });
    if (this.#listed.length >= partsOfIndex) await this.#endIndex();
  }

  /** Begins the last section of the file, with list and manifest, which can be read without the others. */
  async beginTail(): Promise<void> {
    await this.#endIndex();
    await this.#frame.end();
    this.#tail = this.#bytes;
    this.#frame = this.#beginFrame();
  }

  /**
   * Opens a temporary file in the folder of the backup. Its name is removed immediately, so that it never remains.
   */
  async openSpool() {
    const spool = join(dirname(this.#draft), `.${basename(this.#draft)}.list`);
    const handle = await open(spool, 'wx+', 0o600);
    await rm(spool);
    return handle;
  }

  #beginFrame(): Frame {
    return new Frame(this.#output, (bytes) => {
      this.#bytes += bytes.length;
      this.#fileDigest.add(bytes);
    });
  }

  async #endIndex(): Promise<void> {
    if (this.#listed.length === 0) return;
    const content = Buffer.from(JSON.stringify(this.#listed));
    this.#listed = [];
    this.indexes.push(digest(content));
    await this.#append(indexPart(this.indexes.length), content);
  }

  async #append(name: string, content: Uint8Array): Promise<void> {
    const header = { name, size: content.length, mode: 0o600, mtime: this.#begun, type: 'file' } as const;
    const entry = await packTar([{ header, body: content }]);
    await this.#frame.write(entry.subarray(0, -tarEndBytes));
  }

  /**
   * Adds the manifest, which `describe` creates from the digests of the indexes. Then gives the file its final name.
   * @returns the size of the file in bytes
   */
  async finish(describe: (indexes: readonly string[]) => object): Promise<number> {
    if (this.#tail === undefined) await this.beginTail();
    await this.#endIndex();
    await this.#append(names.manifest, Buffer.from(JSON.stringify(describe(this.indexes))));
    await this.#frame.write(Buffer.alloc(tarEndBytes));
    await this.#frame.end();
    const tail = this.#tail ?? 0;
    await pipeline([locatorFrame(tail, this.#fileDigest.end(tail))], this.#output);
    await giveName(this.#draft, this.#file);
    return (await stat(this.#file)).size;
  }

  async discard(): Promise<void> {
    await this.#frame.abort();
    this.#output.destroy();
    await rm(this.#draft, { force: true });
  }
}

/** A frame of zstd. Several frames one after the other are one compressed file. */
class Frame {
  readonly #compress: ZstdCompress = createZstdCompress();
  readonly #written: Promise<void>;
  #waiting: PromiseWithResolvers<void> | undefined;

  /** @param each called with all compressed bytes */
  constructor(output: WriteStream, each: (bytes: Uint8Array) => void) {
    const count = async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        each(piece);
        yield piece;
      }
    };
    this.#written = pipeline(this.#compress, count, output, { end: false });
    // The caller that writes next gets the error, too.
    this.#written.catch((error: unknown) => this.#waiting?.reject(error));
  }

  /** @throws the error of the output, such as a full disk */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#compress.destroyed) await this.#written;
    if (this.#compress.write(bytes)) return;
    this.#waiting = Promise.withResolvers<void>();
    this.#compress.once('drain', this.#waiting.resolve);
    await this.#waiting.promise;
  }

  async end(): Promise<void> {
    this.#compress.end();
    await this.#written;
  }

  async abort(): Promise<void> {
    this.#compress.destroy(new Error('discarded'));
    await this.#written.catch(() => {});
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
