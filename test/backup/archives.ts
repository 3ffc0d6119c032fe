import { readFile } from 'node:fs/promises';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { packTar, unpackTar } from 'modern-tar';
import { FileDigest, locatorFrame, readLocator } from '#server/commands/backup/format.ts';

export type Entries = Awaited<ReturnType<typeof unpackTar>>;

/** The uncompressed tar file of a backup. */
async function tarOf(file: string): Promise<Buffer> {
  const content = await readFile(file);
  const locator = await readLocator(file);
  if (!locator) return zstdDecompressSync(content);
  return Buffer.concat([
    zstdDecompressSync(content.subarray(0, locator.tail)),
    zstdDecompressSync(content.subarray(locator.tail, locator.end)),
  ]);
}

/** The parts of a backup. */
export async function entriesOf(file: string): Promise<Entries> {
  return unpackTar(await tarOf(file));
}

/** Writes parts as the service does: the list and what follows it are a separate frame. */
export async function packed(entries: Entries): Promise<Buffer> {
  const found = entries.findIndex(({ header }) => /^(list\/|manifest)/.test(header.name));
  const at = found < 0 ? entries.length : found;
  const start = zstdCompressSync((await packTar(entries.slice(0, at))).subarray(0, -1024));
  const tail = zstdCompressSync(await packTar(entries.slice(at)));
  const digest = new FileDigest();
  digest.add(Buffer.concat([start, tail]));
  return Buffer.concat([start, tail, locatorFrame(start.length, digest.end(start.length))]);
}

/** Writes the first parts of a backup, which ends in the middle of the part with this text. */
export async function cutAt(file: string, text: string): Promise<Buffer> {
  const tar = await tarOf(file);
  return zstdCompressSync(tar.subarray(0, tar.indexOf(text)));
}
