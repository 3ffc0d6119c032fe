import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

/*
 * The last bytes of a backup: a skippable frame of zstd, which other programs ignore. It contains the position of the
 * frame with list and manifest, and a digest of all bytes before. So a reader finds any damaged byte, even one that
 * changes no content.
 */

const skippable = 0x184d2a50;
const mark = Buffer.from('LLBACKUP');
/** Magic number and length of the frame, then the mark, the position and the digest. */
const locatorBytes = 8 + mark.length + 8 + 32;

export interface Locator {
  /** The position of the frame with list and manifest. */
  tail: number;
  /** The position of the locator: the end of that frame. */
  end: number;
  /** A digest of all bytes before the locator and of the position of the tail. */
  digest: Buffer;
}

/** Computes the digest of a file that is read or written from its start. */
export class FileDigest {
  readonly #hash = createHash('sha256');

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  end(tail: number): Buffer {
    return this.#hash.update(position(tail)).digest();
  }
}

export function locatorFrame(tail: number, digest: Buffer): Buffer {
  const start = Buffer.alloc(8);
  start.writeUInt32LE(skippable, 0);
  start.writeUInt32LE(locatorBytes - start.length, 4);
  return Buffer.concat([start, mark, position(tail), digest]);
}

/** Reads the locator of a file. Returns undefined if the file does not end with one. */
export async function readLocator(file: string): Promise<Locator | undefined> {
  await using opened = await open(file);
  const end = (await opened.stat()).size - locatorBytes;
  if (end < 0) return undefined;
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(locatorBytes), 0, locatorBytes, end);
  const tail = Number(buffer.readBigUInt64LE(8 + mark.length));
  const digest = buffer.subarray(locatorBytes - 32);
  if (bytesRead < locatorBytes || !buffer.equals(locatorFrame(tail, digest)) || tail >= end) return undefined;
  return { tail, end, digest };
}

function position(bytes: number): Buffer {
  const written = Buffer.alloc(8);
  written.writeBigUInt64LE(BigInt(bytes));
  return written;
}
