import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeRecord, packSuffix, pathOfRecord } from './pack-format.ts';

/*
 * Adds records to packs. Each process writes to its own packs, so the position of a record is known before the write.
 * A folder has one subfolder for each month.
 */

/** Bytes from which on a process begins another pack. */
const fullBytes = 16 * 1024 * 1024;
/** Maximum packs that a process remembers. If there are more, it begins others. */
const maxOpenPacks = 10_000;

/** A pack to which this process appends. */
interface Pack {
  /** The path of its file. */
  file: string;
  /** The path below the folder of the packs. */
  name: string;
  month: string;
  /** Length including the records that have a place but are not written yet. */
  size: number;
}

export interface PlacedRecord {
  pack: Pack;
  /** The path of the record below the folder of the packs. */
  path: string;
  member: Buffer;
}

/** The packs by their folder. */
const packs = new Map<string, Pack>();

/** Encodes a record and determines its place, without writing it. `addRecords` must follow. */
export function placeRecord({
  folder,
  name,
  at,
  content,
}: {
  folder: string;
  name: string;
  at: number;
  content: string;
}): PlacedRecord {
  const member = encodeRecord(name, new Date(at), content);
  const pack = packOf(folder);
  const path = pathOfRecord({ pack: pack.name, offset: pack.size, length: member.length, name });
  pack.size += member.length;
  return { pack, path, member };
}

function packOf(folder: string): Pack {
  const month = new Date().toISOString().slice(0, 7);
  const known = packs.get(folder);
  if (known && known.month === month && known.size < fullBytes) return known;
  if (packs.size >= maxOpenPacks) packs.clear();
  const name = `${month}/${randomBytes(6).toString('hex')}${packSuffix}`;
  const pack = { file: join(folder, name), name, month, size: 0 };
  packs.set(folder, pack);
  return pack;
}

/**
 * Writes records that were placed one after the other at the end of a pack. If that fails, the pack is
 * abandoned.
 */
export function addRecords(pack: Pack, records: readonly PlacedRecord[]): void {
  const bytes = Buffer.concat(records.map(({ member }) => member));
  const start = pack.size - bytes.length;
  try {
    const file = openPack(pack, start);
    try {
      if (fstatSync(file).size !== start) throw new Error('another program has changed a file of records');
      writeWhole(file, bytes, start);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    abandonPack(pack);
    throw error;
  }
}

/** Stops adding to a pack: the next record begins another. */
export function abandonPack(pack: Pack): void {
  for (const [folder, known] of packs) if (known === pack) packs.delete(folder);
}

function openPack({ file }: Pack, start: number): number {
  const append = constants.O_WRONLY | constants.O_APPEND;
  if (start > 0) return openSync(file, append);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return openSync(file, append | constants.O_CREAT | constants.O_EXCL, 0o600);
}

function writeWhole(file: number, bytes: Buffer, start: number): void {
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  } catch (error) {
    // Leave no half record, if the disk allows it.
    ftruncateSync(file, start);
    throw error;
  }
}
