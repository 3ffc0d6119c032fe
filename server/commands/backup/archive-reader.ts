import { createReadStream } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import { createZstdDecompress } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import type { z } from 'zod';
import { advance } from '#db/progress.ts';
import { Refusal } from '../refusal.ts';
import { digest } from './archive-writer.ts';
import {
  FileDigest,
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
  readLocator,
} from './format.ts';

/** A part of a backup with its content. */
export interface ReadPart {
  name: string;
  content: Buffer;
}

/** A part of a backup that is damaged or missing. */
export class DamagedError extends Refusal {
  override name = 'DamagedError';

  constructor(file: string, part: string, why: string) {
    super(`${file} is damaged at ${part}: ${why}`);
  }
}

/**
 * Reads only the header of a backup.
 * @throws Refusal if the file is not a backup, or has another format
 */
export async function readHeader(file: string): Promise<Header> {
  for await (const { name, content } of entriesOf(file, await sectionsOf(file, 'all'))) {
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

/** The parts of a backup that are read: all, or only the last section with list and manifest. */
export type Section = 'all' | 'tail';

/**
 * Reads the parts in their order, each as a whole. The digest of a part is compared only when its index has been read, up
 * to a thousand parts later. So the caller must be able to undo the work that it has done with these parts.
 * @param check called with the manifest and its digest after everything else has been compared
 * @throws Refusal that names the damaged or missing part
 */
export async function* readParts(
  file: string,
  check: (manifest: Manifest, digest: string) => void = () => {},
  section: Section = 'all',
): AsyncGenerator<ReadPart> {
  let listed: Part[] = [];
  const indexes: string[] = [];
  // The number of indexes before the section.
  let before = 0;
  let manifest: { value: Manifest; digest: string } | undefined;
  for await (const { name, content } of entriesOf(file, await sectionsOf(file, section))) {
    if (manifest) throw new DamagedError(file, name, 'it is an unexpected part after the manifest');
    if (section === 'tail' && indexes.length === 0) before = numberOfIndex(name) ?? before;
    if (name === names.manifest) {
      const value = parse(manifestShape, content, file, name);
      if (listed[0]) throw new DamagedError(file, listed[0].name, 'no index lists it');
      if (section === 'tail' && indexes.length === 0) before = value.indexes.length;
      compareIndexes(file, value.indexes.slice(before), indexes, before);
      manifest = { value, digest: digest(content) };
    } else if (name === indexPart(before + indexes.length + 1)) {
      compare(file, parse(indexShape, content, file, name), listed);
      listed = [];
      indexes.push(digest(content));
    } else {
      if (listed.length >= partsOfIndex)
        throw new DamagedError(file, name, 'the index that lists it is missing');
      listed.push({ name, bytes: content.length, sha256: digest(content) });
      yield { name, content };
    }
  }
  if (!manifest) throw new DamagedError(file, names.manifest, 'it is missing because the file is incomplete');
  check(manifest.value, manifest.digest);
}

/** Returns how many indexes precede the index with this name; undefined if it is not the name of an index. */
function numberOfIndex(name: string): number | undefined {
  const number = /^index\/(\d{6,})\.json$/.exec(name)?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}

function compareIndexes(
  file: string,
  expected: readonly string[],
  found: readonly string[],
  before: number,
): void {
  const wrong = expected.findIndex((hash, at) => hash !== found[at]);
  if (wrong >= 0 || expected.length !== found.length)
    throw new DamagedError(
      file,
      indexPart(before + (wrong >= 0 ? wrong : expected.length) + 1),
      'its checksum differs from the one in the manifest',
    );
}

function compare(file: string, expected: readonly Part[], found: readonly Part[]): void {
  for (const [at, part] of expected.entries()) {
    const own = found[at];
    if (own?.name !== part.name) throw new DamagedError(file, part.name, 'it is missing');
    if (own.bytes !== part.bytes || own.sha256 !== part.sha256)
      throw new DamagedError(file, part.name, 'its size or checksum differs from the index');
  }
  const more = found[expected.length];
  if (more) throw new DamagedError(file, more.name, 'no index lists it');
}

function parse<T extends z.ZodType>(shape: T, content: Buffer, file: string, part: string): z.infer<T> {
  let value: unknown;
  try {
    value = JSON.parse(content.toString('utf8'));
  } catch {
    throw new DamagedError(file, part, 'it is not valid JSON');
  }
  const read = shape.safeParse(value);
  if (!read.success) throw new DamagedError(file, part, 'it has an unexpected format');
  return read.data;
}

/** Returns the maximum bytes of a part. Only parts with contents of the service may be large. */
function limitOf(name: string): number {
  return /^(database\/.+\.copy|(?:objects|pieces|lines)\/.+|list\/.+)$/.test(name)
    ? maxPartBytes
    : maxOwnPartBytes;
}

/**
 * Requires that the file ends with the position of its list. If it does not, because it is incomplete or damaged, this
 * reads the whole file to find the first damaged part.
 * @throws DamagedError
 */
export async function requireEnd(file: string): Promise<void> {
  if (await readLocator(file)) return;
  for await (const _part of readParts(file));
  throw endMissing(file);
}

function endMissing(file: string): DamagedError {
  return new DamagedError(file, 'the end of the file', 'the file is incomplete');
}

/**
 * Compares all bytes of a file with the digest at its end. So it also finds damage that changes no part. Call this
 * after `readParts`, which names a damaged part.
 * @throws DamagedError
 */
export async function compareFile(file: string): Promise<void> {
  const locator = await readLocator(file);
  if (!locator) throw endMissing(file);
  const hash = new FileDigest();
  for await (const piece of createReadStream(file, { end: locator.end - 1, highWaterMark: 1_000_000 })) {
    hash.add(piece);
    advance(`comparing the checksum of ${file}`, piece.length);
  }
  if (!hash.end(locator.tail).equals(locator.digest))
    throw new DamagedError(file, 'the end of the file', 'the checksum of the whole file differs');
}

/**
 * Reads a whole file and compares its digests, without its place in a chain.
 * @throws DamagedError
 */
export async function verifyFile(file: string): Promise<void> {
  for await (const _part of readParts(file));
  await compareFile(file);
}

/** A range of bytes of a file, which is one frame of zstd. The end is exclusive. */
interface Range {
  from: number;
  to: number;
}

/** Returns the frames of a section. A file without a locator is incomplete, and read as one frame. */
async function sectionsOf(file: string, section: Section): Promise<Range[]> {
  const locator = await readLocator(file).catch((error: Error) => {
    throw new Refusal(`${file} cannot be read (${error.message})`);
  });
  if (locator) {
    const tail = { from: locator.tail, to: locator.end };
    return section === 'tail' ? [tail] : [{ from: 0, to: locator.tail }, tail];
  }
  if (section === 'tail') throw endMissing(file);
  return [{ from: 0, to: Number.POSITIVE_INFINITY }];
}

/** Decompresses frames one after the other. The decompressor of Node.js reads only one frame. */
async function* decompressed(
  file: string,
  ranges: readonly Range[],
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const { from, to } of ranges) {
    const input = createReadStream(file, { start: from, end: to - 1, highWaterMark: 1_000_000 });
    const unpacked = input.pipe(createZstdDecompress({ chunkSize: 1_000_000 }));
    input.on('error', (error) => unpacked.destroy(error));
    try {
      yield* unpacked;
    } finally {
      input.destroy();
      unpacked.destroy();
    }
  }
}

/**
 * Yields the entries of the tar file. Converts an error of tar, zstd or the file system to a Refusal that names the
 * last entry before the error.
 */
async function* entriesOf(file: string, ranges: readonly Range[]): AsyncGenerator<ReadPart> {
  const isWhole = ranges[0]?.from === 0;
  let last = isWhole ? names.header : 'the list of objects';
  let hasBegun = false;
  const entries = ReadableStream.from(decompressed(file, ranges)).pipeThrough(
    createTarDecoder({ strict: true }),
  );
  try {
    for await (const { header, body } of entries) {
      last = header.name;
      hasBegun = true;
      if (header.size > limitOf(header.name)) throw new DamagedError(file, header.name, 'it is too large');
      const pieces: Uint8Array[] = [];
      for await (const piece of body) pieces.push(piece);
      advance(`reading ${file}`, header.size);
      yield { name: header.name, content: Buffer.concat(pieces) };
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined && /^E[A-Z]+$/.test(code))
      throw new Refusal(`${file} cannot be read (${message})`);
    // Other files have no locator.
    if (isWhole && !hasBegun && ranges.length === 1)
      throw new Refusal(`${file} is not a backup of this service (${message})`);
    throw new DamagedError(file, last, `this part or the next one cannot be read (${message})`);
  }
}
