import { randomBytes } from 'node:crypto';
import { access, type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeHeader, maxHeaderBytes } from './pack-format.ts';
import { membersOf, openIfExists, readAt } from './packs.ts';
import { writeSmall } from './small-writes.ts';

const dayMs = 86_400_000;
/** Milliseconds of one run. The next one continues. */
const runMs = 10_000;

/**
 * Remembers the packs with removed records, and later frees their space. Each day has a list of packs, so that no run
 * looks for them in the folders of all tenants.
 * @param incoming the folder of unfinished writes
 */
export function trackRemovedRecords(folder: string, incoming: string) {
  const lists = join(folder, '.packs');
  /** The packs that this process has added to the list of the day. */
  let noted = new Set<string>();
  let day = '';

  const note = async (pack: string) => {
    const today = new Date().toISOString().slice(0, 10);
    if (day !== today || noted.size > 10_000) noted = new Set();
    day = today;
    if (noted.has(pack)) return;
    await mkdir(lists, { recursive: true, mode: 0o700 });
    await writeSmall({ kind: 'append', file: join(lists, today), line: pack });
    noted.add(pack);
  };

  return {
    /** Call this after a record of the pack was removed. */
    note,
    /** Frees space in the packs of the lists of former days to which no process appends any longer. */
    async compact(): Promise<void> {
      const end = Date.now() + runMs;
      const today = new Date().toISOString().slice(0, 10);
      const names = await readdir(lists).catch(() => []);
      for (const name of names.filter((one) => one < today).sort()) {
        const packs = new Set((await readFile(join(lists, name), 'utf8')).split('\n').filter(Boolean));
        for (const pack of packs) {
          if (Date.now() > end) return;
          if (isClosed(pack)) await compactPack(folder, pack, incoming);
          else if (await exists(join(folder, pack))) await note(pack);
        }
        await rm(join(lists, name), { force: true });
      }
    },
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/**
 * Whether no process appends to a pack any longer. Its folder is named by the month of its records; a process may append
 * after the end of the month, and its clock may differ.
 */
function isClosed(pack: string): boolean {
  const [, year, month] = /\/(\d{4})-(\d{2})\/[^/]+$/.exec(pack) ?? [];
  return Date.UTC(Number(year), Number(month)) + 2 * dayMs < Date.now();
}

/** Bytes of a member that are copied at a time. */
const copiedBytes = 256 * 1024;

/**
 * Frees the disk space of the removed records of a pack to which no process appends any longer. Deletes a pack without
 * records. If more than half of its bytes are of removed records, replaces it by a copy that has holes in their place, so
 * that the other records keep their positions. Records may be removed while this runs.
 * @param incoming the folder of unfinished writes, on the same file system
 */
export async function compactPack(folder: string, pack: string, incoming: string): Promise<void> {
  const path = join(folder, pack);
  await using file = await openIfExists(path, 'r');
  if (!file) return;
  const { size, blocks } = await file.stat();
  let used = 0;
  let end = 0;
  for await (const member of membersOf(file)) {
    if (!member.isRemoved) used += member.length;
    end = member.offset + member.length;
  }
  // Bytes behind the last member are of a damaged record; its row is compared with it by `verify-store`.
  if (used === 0 && end === size) return rm(path, { force: true });
  if (end !== size || 2 * used > blocks * 512) return;
  const temporary = join(incoming, `${randomBytes(12).toString('hex')}.tmp`);
  try {
    await using copy = await open(temporary, 'wx+', 0o600);
    await copy.truncate(size);
    // The filling of a removed record has only zeros, which become a hole.
    for await (const member of membersOf(file))
      if (member.isRemoved) await copyHeader(file, copy, member.offset, member.length);
      else await copyRange(file, copy, member.offset, member.length);
    await removeAgain(file, copy);
    await rename(temporary, path);
    // A process that had opened the former file before the rename has overwritten a record there by now, or finds the new
    // file when it compares the two.
    await removeAgain(file, copy);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Overwrites in the copy what was removed from the original while it was copied. */
async function removeAgain(original: FileHandle, copy: FileHandle): Promise<void> {
  for await (const { isRemoved, offset, length } of membersOf(original)) {
    if (!isRemoved) continue;
    const copied = decodeHeader(await readAt(copy, offset, Math.min(length, maxHeaderBytes)));
    if (copied && !copied.isRemoved) await copyRange(original, copy, offset, length);
  }
}

async function copyRange(from: FileHandle, to: FileHandle, offset: number, length: number): Promise<void> {
  for (let at = offset; at < offset + length; at += copiedBytes) {
    const bytes = await readAt(from, at, Math.min(copiedBytes, offset + length - at));
    await to.write(bytes, 0, bytes.length, at);
  }
}

/** Copies the start and the end of an empty member; between them are only zeros. */
async function copyHeader(from: FileHandle, to: FileHandle, offset: number, length: number): Promise<void> {
  await copyRange(from, to, offset, Math.min(16, length));
  const end = Math.max(length - 10, 16);
  if (end < length) await copyRange(from, to, offset + end, length - end);
}
