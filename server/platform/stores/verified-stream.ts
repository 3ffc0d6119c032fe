import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';

/** Bytes that are read at a time. */
const pieceBytes = 512 * 1024;

/** Facts about an object that were stored when the object was written. */
export interface Fingerprint {
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** A verified object that is being read. */
export interface VerifiedStream {
  chunks: AsyncIterable<Uint8Array>;
  /** Releases the object. Call it after reading all of the object, a part of it, or nothing. */
  close(): Promise<void>;
}

/**
 * Milliseconds for which a version counts as verified. A second download in this time does not wait until the
 * checksum is verified.
 */
const verifiedFor = 600_000;
/** Maximum versions that are remembered for each store. */
const maxRemembered = 1000;

/** The versions that this process has verified, by store and path. */
const verified = new WeakMap<BlobStore, Map<string, { version: string; sha256: string; at: number }>>();

/**
 * Verifies the checksum of an object and opens the object, without holding it in memory. An object in the local file
 * system is read twice. An object of a remote store is copied to a temporary file, which is unlinked before it is
 * read, so that it never remains. A version that was verified within the last minutes is not verified again: if the
 * object has been written since then, the store reports another version.
 * @returns null if the object is missing or damaged
 */
export async function openVerifiedStream(
  store: BlobStore,
  path: string,
  fingerprint: Fingerprint,
): Promise<VerifiedStream | null> {
  const version = await store.version(path);
  if (version === null) return null;
  const known = remembered(store, path);
  if (known?.version === version && known.sha256 === fingerprint.sha256) {
    const stream = await store.stream(path, version);
    return stream && readOnce(stream);
  }
  const opened = store.isLocal
    ? await openLocal(store, path, version, fingerprint)
    : await openCopy(store, path, version, fingerprint);
  if (opened) remember(store, path, { version, sha256: fingerprint.sha256, at: Date.now() });
  return opened;
}

function remembered(store: BlobStore, path: string) {
  const known = verified.get(store)?.get(path);
  return known && Date.now() - known.at < verifiedFor ? known : undefined;
}

function remember(store: BlobStore, path: string, known: { version: string; sha256: string; at: number }) {
  const versions = verified.get(store) ?? new Map();
  verified.set(store, versions);
  versions.delete(path);
  const [oldest] = versions.keys();
  if (versions.size >= maxRemembered) versions.delete(oldest);
  versions.set(path, known);
}

/** Returns a stream that can be read only once. */
function readOnce(stream: AsyncIterable<Uint8Array>): VerifiedStream {
  const iterator = stream[Symbol.asyncIterator]();
  return {
    chunks: { [Symbol.asyncIterator]: () => iterator },
    async close() {
      await iterator.return?.();
    },
  };
}

async function openLocal(
  store: BlobStore,
  path: string,
  version: string,
  fingerprint: Fingerprint,
): Promise<VerifiedStream | null> {
  const first = await store.stream(path, version);
  if (!first || !(await isIntact(first, fingerprint))) return null;
  const second = await store.stream(path, version);
  return second && readOnce(second);
}

/**
 * Reads a stream to its end, and returns whether size and checksum are correct. Calls and awaits `each` for each
 * piece.
 */
async function isIntact(
  stream: AsyncIterable<Uint8Array>,
  { sizeBytes, sha256 }: Fingerprint,
  each?: (piece: Uint8Array) => Promise<unknown>,
): Promise<boolean> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of stream) {
    hash.update(piece);
    bytes += piece.length;
    // Stop early: if the file was replaced, it may have any length.
    if (bytes > sizeBytes) return false;
    await each?.(piece);
  }
  return bytes === sizeBytes && hash.digest('hex') === sha256;
}

async function openCopy(
  store: BlobStore,
  path: string,
  version: string,
  fingerprint: Fingerprint,
): Promise<VerifiedStream | null> {
  const stream = await store.stream(path, version);
  if (!stream) return null;
  const copy = await openUnnamedFile();
  try {
    if (await isIntact(stream, fingerprint, (piece) => copy.writeFile(piece)))
      return { chunks: readCopy(copy), close: () => copy.close() };
  } catch (error) {
    await copy.close();
    throw error;
  }
  await copy.close();
  return null;
}

/**
 * Opens a temporary file and removes its name immediately. Its space is freed when the file is closed, even if the
 * process is killed.
 */
async function openUnnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-download-'));
  try {
    return await open(join(folder, 'copy'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function* readCopy(copy: FileHandle): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await copy.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
