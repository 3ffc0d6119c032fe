import { createHash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from './blob-store.ts';

/** Bytes that are read at a time. */
const pieceBytes = 512 * 1024;

/** What is known of an object from when it was written. */
export interface Fingerprint {
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** A verified object that is being read. */
export interface VerifiedStream {
  chunks: AsyncIterable<Uint8Array>;
  /** Releases it, whether it was read to its end, in part or not at all. */
  close(): Promise<void>;
}

/**
 * Opens an object after its checksum was verified, without holding it in memory. An object of the local file system is read twice. One of
 * another service is copied to a temporary file, which has no name while it is read, so that nothing of it stays.
 * @returns null if the object is missing or damaged
 */
export async function openVerifiedStream(
  store: BlobStore,
  path: string,
  fingerprint: Fingerprint,
): Promise<VerifiedStream | null> {
  if (!store.isLocal) return openCopy(store, path, fingerprint);
  const first = await store.stream(path);
  if (!first || !(await isIntact(first, fingerprint))) return null;
  // Opened with the first piece that is asked for, and closed by its own reader.
  return { chunks: readAgain(store, path), close: async () => {} };
}

/** Reads a stream to its end. `each` is awaited for each piece. */
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
    // A file that somebody replaced may have any length.
    if (bytes > sizeBytes) return false;
    await each?.(piece);
  }
  return bytes === sizeBytes && hash.digest('hex') === sha256;
}

async function* readAgain(store: BlobStore, path: string): AsyncGenerator<Uint8Array, void> {
  const stream = await store.stream(path);
  if (!stream) throw new Error('the object was removed while it was read');
  yield* stream;
}

async function openCopy(
  store: BlobStore,
  path: string,
  fingerprint: Fingerprint,
): Promise<VerifiedStream | null> {
  const stream = await store.stream(path);
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

/** A temporary file that is already removed: its space is freed when it is closed, even if the process is killed. */
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
