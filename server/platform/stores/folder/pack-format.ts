import { constants, crc32, deflateRawSync, inflateRawSync, type ZlibOptions } from 'node:zlib';

/*
 * A pack is a file with many records, as a gzip file with a member for each record: `zcat` prints one record a line.
 * The header of a member has the standard fields: the time of the record (MTIME), its name (FNAME) and, as extra field
 * (FEXTRA), the length of the member, so that a reader can skip it. A removed record is overwritten with empty members of
 * the same length in all.
 */

/** The end of the names of packs. */
export const packSuffix = '.jsonl.gz';

/** A record in a pack. */
export interface PackedRecord {
  /** The path of the pack, relative to the store. */
  pack: string;
  /** The position of the record's member in the pack, in bytes. */
  offset: number;
  /** The length of the member in bytes. */
  length: number;
  name: string;
}

const recordPath = /^(.+\.jsonl\.gz)\/(\d{1,15})-(\d{1,10})\/([\w.-]+)$/;

/** Returns the path of a record in the store: `<pack>/<offset>-<length>/<name>`. */
export function pathOfRecord({ pack, offset, length, name }: PackedRecord): string {
  return `${pack}/${offset}-${length}/${name}`;
}

/** Parses the path of a record; undefined for the path of another object. */
export function parseRecordPath(path: string): PackedRecord | undefined {
  const [, pack, offset, length, name] = recordPath.exec(path) ?? [];
  if (!pack || !name) return undefined;
  return { pack, offset: Number(offset), length: Number(length), name };
}

/** ID1, ID2, CM = deflate; the flags follow. */
const magic = Buffer.from([0x1f, 0x8b, 0x08]);
const flags = { extra: 4, name: 8 };
/** The names of the extra fields: the length of a member, and the filling of a removed one. */
const lengthField = 'LL';
const removedField = 'LR';
/** Bytes before the first extra field. */
const fixedBytes = 12;
/** CRC32 and size of the content. */
const trailerBytes = 8;
/** An empty deflate stream. */
const emptyContent = Buffer.from([3, 0]);
/** Bytes of an empty member without its filling. */
const emptyBytes = fixedBytes + 4 + emptyContent.length + trailerBytes;
/** Maximum bytes of filling. The length of all extra fields has 16 bits. */
const maxFilling = 0xffff - 4;

/** Maximum bytes of a member up to and including the name. */
export const maxHeaderBytes = 512;

function header(flag: number, seconds: number, extra: Buffer): Buffer {
  const bytes = Buffer.alloc(fixedBytes);
  magic.copy(bytes);
  bytes.writeUInt8(flag, 3);
  bytes.writeUInt32LE(seconds, 4);
  // XFL: none; OS: unknown.
  bytes.writeUInt8(255, 9);
  bytes.writeUInt16LE(extra.length, 10);
  return Buffer.concat([bytes, extra]);
}

function field(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(4, name, 'latin1');
  head.writeUInt16LE(content.length, 2);
  return Buffer.concat([head, content]);
}

/**
 * Returns settings of zlib for a text of this length. By default, zlib clears 256 KB of memory for each text; less is
 * enough for a short one, with the same result.
 */
function memoryFor(bytes: number): ZlibOptions {
  const windowBits = Math.min(Math.max(Math.ceil(Math.log2(bytes + 1)), 9), constants.Z_MAX_WINDOWBITS);
  const memLevel = Math.min(windowBits - 6, constants.Z_DEFAULT_MEMLEVEL);
  return { windowBits, memLevel, chunkSize: 1 << (windowBits - 1) };
}

/**
 * Returns the member of a record.
 * @param content a text without line breaks, such as JSON
 */
export function encodeRecord(name: string, at: Date, content: string): Buffer {
  const line = Buffer.from(`${content}\n`);
  const packed = deflateRawSync(line, memoryFor(line.length));
  const length = Buffer.alloc(4);
  const named = Buffer.from(`${name}\0`, 'latin1');
  const head = header(flags.extra | flags.name, Math.floor(at.getTime() / 1000), field(lengthField, length));
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(crc32(line), 0);
  trailer.writeUInt32LE(line.length >>> 0, 4);
  const member = Buffer.concat([head, named, packed, trailer]);
  member.writeUInt32LE(member.length, fixedBytes + 4);
  return member;
}

/** Returns what overwrites a removed record: empty members that have this length in all. */
export function encodeRemoved(length: number): Buffer {
  const members: Buffer[] = [];
  for (let left = length; left > 0; ) {
    // Another member must fit into what is left.
    let filling = Math.min(left - emptyBytes, maxFilling);
    const rest = left - emptyBytes - filling;
    if (rest > 0 && rest < emptyBytes) filling -= emptyBytes - rest;
    const head = header(flags.extra, 0, field(removedField, Buffer.alloc(filling)));
    members.push(head, emptyContent, Buffer.alloc(trailerBytes));
    left -= emptyBytes + filling;
  }
  return Buffer.concat(members);
}

/** A member of a pack: a record with its time, or the place of a removed one. */
export type PackMember = { length: number } & (
  | { isRemoved: true }
  | { isRemoved: false; name: string; at: Date; headerBytes: number }
);

/**
 * Reads the header of a member.
 * @param bytes the start of the member: `maxHeaderBytes`, or less at the end of the pack
 * @returns undefined if the bytes are not a member of a pack
 */
export function decodeHeader(bytes: Buffer): PackMember | undefined {
  if (bytes.length < fixedBytes + 4 || !bytes.subarray(0, 3).equals(magic)) return undefined;
  const flag = bytes.readUInt8(3);
  const extraBytes = bytes.readUInt16LE(10);
  const kind = bytes.toString('latin1', fixedBytes, fixedBytes + 2);
  if (flag === flags.extra && kind === removedField)
    return { isRemoved: true, length: emptyBytes - 4 + extraBytes };
  if (flag !== (flags.extra | flags.name) || kind !== lengthField || extraBytes !== 8) return undefined;
  const nameAt = fixedBytes + extraBytes;
  const nameEnd = bytes.indexOf(0, nameAt);
  if (nameEnd < 0) return undefined;
  return {
    isRemoved: false,
    length: bytes.readUInt32LE(fixedBytes + 4),
    name: bytes.toString('latin1', nameAt, nameEnd),
    at: new Date(bytes.readUInt32LE(4) * 1000),
    headerBytes: nameEnd + 1,
  };
}

/**
 * Returns the content of a record.
 * @param bytes the whole member
 * @returns null if the bytes are not the member of a record with this name, or are damaged
 */
export function decodeRecord(bytes: Buffer, name: string): Buffer | null {
  const member = decodeHeader(bytes);
  if (!member || member.isRemoved || member.name !== name || member.length !== bytes.length) return null;
  const trailerAt = bytes.length - trailerBytes;
  const size = bytes.readUInt32LE(trailerAt + 4);
  try {
    const line = inflateRawSync(bytes.subarray(member.headerBytes, trailerAt), {
      // The content of a damaged member may be of any size.
      maxOutputLength: Math.max(size, 1),
      finishFlush: constants.Z_SYNC_FLUSH,
    });
    return crc32(line) === bytes.readUInt32LE(trailerAt) ? line.subarray(0, -1) : null;
  } catch {
    return null;
  }
}
