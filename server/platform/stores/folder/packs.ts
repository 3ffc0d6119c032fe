import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeHeader,
  decodeRecord,
  encodeRemoved,
  maxHeaderBytes,
  type PackedRecord,
  type PackMember,
} from './pack-format.ts';

/**
 * Reads the content of a record; null if it does not exist or was removed. The bytes of a damaged record are returned as
 * they are, so that a reader can tell it from a missing one.
 */
export async function readRecord(folder: string, record: PackedRecord): Promise<Buffer | null> {
  await using file = await openIfExists(join(folder, record.pack), 'r');
  if (!file) return null;
  const bytes = await readAt(file, record.offset, record.length);
  if (bytes.length === 0 || decodeHeader(bytes)?.isRemoved) return null;
  return decodeRecord(bytes, record.name) ?? bytes;
}

/** Reads the header of a record; undefined if it does not exist or was removed. */
export async function findRecord(
  folder: string,
  record: PackedRecord,
): Promise<(PackMember & { isRemoved: false }) | undefined> {
  await using file = await openIfExists(join(folder, record.pack), 'r');
  return file && headerOf(file, record);
}

async function headerOf(file: FileHandle, { offset, length, name }: PackedRecord) {
  const member = decodeHeader(await readAt(file, offset, Math.min(length, maxHeaderBytes)));
  return member && !member.isRemoved && member.name === name && member.length === length ? member : undefined;
}

/**
 * Overwrites a record, so that its content disappears from the disk.
 * @returns whether the record existed
 */
export async function removeRecord(folder: string, record: PackedRecord): Promise<boolean> {
  const path = join(folder, record.pack);
  let existed = false;
  for (;;) {
    await using file = await openIfExists(path, 'r+');
    if (!file || !(await headerOf(file, record))) return existed;
    const filling = encodeRemoved(record.length);
    await file.write(filling, 0, filling.length, record.offset);
    existed = true;
    // `compactPack` may have replaced the file since it was opened: then the record must be removed from the new one.
    const [written, current] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
    if (!current || current.ino === written.ino) return true;
  }
}

/** Iterates over the members of a pack, up to the first bytes that are not a member. */
export async function* membersOf(file: FileHandle): AsyncGenerator<PackMember & { offset: number }, void> {
  const window = Buffer.alloc(1024 * 1024);
  let start = 0;
  let filled = 0;
  for (let offset = 0; ; ) {
    let at = offset - start;
    if (at < 0 || at + maxHeaderBytes > filled) {
      start = offset;
      ({ bytesRead: filled } = await file.read(window, 0, window.length, start));
      at = 0;
    }
    const member = decodeHeader(window.subarray(at, Math.min(at + maxHeaderBytes, filled)));
    if (!member || member.length === 0) return;
    yield { ...member, offset };
    offset += member.length;
  }
}

/** Iterates over the records of a pack that have not been removed. */
export async function* recordsOf(folder: string, pack: string): AsyncGenerator<PackedRecord, void> {
  await using file = await openIfExists(join(folder, pack), 'r');
  if (!file) return;
  for await (const member of membersOf(file))
    if (!member.isRemoved) yield { pack, offset: member.offset, length: member.length, name: member.name };
}

/** Reads a part of a file; less at its end. */
export async function readAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
  return buffer.subarray(0, bytesRead);
}

/** Opens a file. Undefined if it does not exist, or if a part of its path is a file. */
export async function openIfExists(path: string, mode: 'r' | 'r+'): Promise<FileHandle | undefined> {
  try {
    return await open(path, mode);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
