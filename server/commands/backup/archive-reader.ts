import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import type { z } from 'zod';
import { Refusal } from '../refusal.ts';
import { digest } from './archive-writer.ts';
import {
  formatVersion,
  type Header,
  headerShape,
  indexPart,
  indexShape,
  type Manifest,
  manifestShape,
  maxOwnPartBytes,
  maxPartBytes,
  names,
  type Part,
  partsOfIndex,
} from './format.ts';

/** A part of a backup with its content. */
export interface ReadPart {
  name: string;
  content: Buffer;
}

/**
 * Reads only the header of a backup.
 * @throws Refusal if the file is not a backup, or has a later format
 */
export async function readHeader(file: string): Promise<Header> {
  for await (const { name, content } of entriesOf(file)) {
    if (name !== names.header) break;
    return parseHeader(file, content);
  }
  throw new Refusal(`${file} is not a backup of this service`);
}

function parseHeader(file: string, content: Buffer): Header {
  const header = parse(headerShape.partial().required({ format: true }), content, file, names.header);
  if (header.format !== formatVersion)
    throw new Refusal(
      `${file} has format ${header.format}, but this version of the service reads format ${formatVersion}; use the version that created it`,
    );
  return parse(headerShape, content, file, names.header);
}

/**
 * Reads the parts in their order, each as a whole. A part has at most 4 MB, or is one stored object. The digest of a
 * part is compared only when its index has been read, up to a thousand parts later. So the caller must be able to
 * undo the work that it has done with these parts.
 * @param check called with the manifest after everything else has been compared
 * @throws Refusal that names the damaged or missing part
 */
export async function* readParts(
  file: string,
  check: (manifest: Manifest) => void = () => {},
): AsyncGenerator<ReadPart> {
  let listed: Part[] = [];
  const indexes: string[] = [];
  let manifest: Manifest | undefined;
  for await (const { name, content } of entriesOf(file)) {
    if (manifest) throw damaged(file, name, 'it is an unexpected part after the manifest');
    if (name === names.manifest) {
      manifest = parse(manifestShape, content, file, name);
      if (listed[0]) throw damaged(file, listed[0].name, 'no index lists it');
      const wrong = manifest.indexes.findIndex((hash, at) => hash !== indexes[at]);
      if (wrong >= 0 || manifest.indexes.length !== indexes.length)
        throw damaged(
          file,
          indexPart((wrong >= 0 ? wrong : indexes.length) + 1),
          'its checksum differs from the one in the manifest',
        );
      check(manifest);
    } else if (name === indexPart(indexes.length + 1)) {
      compare(file, parse(indexShape, content, file, name), listed);
      listed = [];
      indexes.push(digest(content));
    } else {
      if (listed.length >= partsOfIndex) throw damaged(file, name, 'the index that lists it is missing');
      listed.push({ name, bytes: content.length, sha256: digest(content) });
      yield { name, content };
    }
  }
  if (!manifest) throw damaged(file, names.manifest, 'it is missing because the file is incomplete');
}

function compare(file: string, expected: readonly Part[], found: readonly Part[]): void {
  for (const [at, part] of expected.entries()) {
    const own = found[at];
    if (own?.name !== part.name) throw damaged(file, part.name, 'it is missing');
    if (own.bytes !== part.bytes || own.sha256 !== part.sha256)
      throw damaged(file, part.name, 'its size or checksum differs from the index');
  }
  const more = found[expected.length];
  if (more) throw damaged(file, more.name, 'no index lists it');
}

function parse<T extends z.ZodType>(shape: T, content: Buffer, file: string, part: string): z.infer<T> {
  let value: unknown;
  try {
    value = JSON.parse(content.toString('utf8'));
  } catch {
    throw damaged(file, part, 'it is not valid JSON');
  }
  const read = shape.safeParse(value);
  if (!read.success) throw damaged(file, part, 'it has an unexpected format');
  return read.data;
}

function damaged(file: string, part: string, why: string): Refusal {
  return new Refusal(`${file} is damaged at ${part}: ${why}; nothing was restored`);
}

/** Returns the maximum bytes of a part. Only parts with contents of the service may be large. */
function limitOf(name: string): number {
  return /^(database\/.+\.copy|objects\/.+|lines\/.+)$/.test(name) ? maxPartBytes : maxOwnPartBytes;
}

/**
 * Yields the entries of the tar file. Converts an error of tar, zstd or the file system to a Refusal that names the
 * last entry before the error.
 */
async function* entriesOf(file: string): AsyncGenerator<ReadPart> {
  let last = 'the start of the file';
  const input = createReadStream(file, { highWaterMark: 1_000_000 });
  const unpacked = input.pipe(createZstdDecompress({ chunkSize: 1_000_000 }));
  input.on('error', (error) => unpacked.destroy(error));
  const entries = (Readable.toWeb(unpacked) as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    createTarDecoder({ strict: true }),
  );
  try {
    for await (const { header, body } of entries) {
      last = header.name;
      if (header.size > limitOf(header.name)) throw damaged(file, header.name, 'it is too large');
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      yield { name: header.name, content: Buffer.concat(pieces) };
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new Refusal(`${file} cannot be read (${message})`);
    if (last === 'the start of the file')
      throw new Refusal(`${file} is not a backup of this service (${message})`);
    throw damaged(file, last, `this part or the next one cannot be read (${message})`);
  } finally {
    input.destroy();
    unpacked.destroy();
  }
}
