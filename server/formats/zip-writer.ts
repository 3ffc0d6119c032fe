/** A file in a zip that is written. */
export interface ZipMember {
  /** The path in the zip, with `/` between its parts. */
  name: string;
  /** 0 for stored, 8 for deflated. */
  method: 0 | 8;
  crc32: number;
  /** Bytes of the content in the zip; less than 4 GiB. */
  compressedSize: number;
  /** Bytes of the content; less than 4 GiB. */
  size: number;
  modified: Date;
}

/** The size of a zip's central directory, in bytes and entries, and its offset. */
interface ZipDirectory {
  count: number;
  size: number;
  start: number;
}

const maxShort = 0xffff;
const maxLong = 0xffffffff;
/** The version of the format that readers need: 4.5 has zip64. */
const version = 45;
/** Names are UTF-8. */
const flags = 0x0800;

/** Returns the header that is written before the content of a member (APPNOTE 4.3.7). */
export function localHeader(member: ZipMember): Uint8Array {
  const name = Buffer.from(member.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  writeCommon(header, 4, member, name.length);
  return Buffer.concat([header, name]);
}

/**
 * Returns the entry of a member for the central directory (APPNOTE 4.3.12).
 * @param offset the offset of the member's local header in the zip
 */
export function directoryEntry(member: ZipMember, offset: number): Uint8Array {
  const name = Buffer.from(member.name);
  const isFar = offset >= maxLong;
  const extra = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(offset), 4);
  }
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(version, 4);
  writeCommon(header, 6, member, name.length);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(isFar ? maxLong : offset, 42);
  return Buffer.concat([header, name, extra]);
}

/** Writes the fields that both headers have, without the length of the extra field. */
function writeCommon(header: Buffer, at: number, member: ZipMember, nameLength: number): void {
  header.writeUInt16LE(version, at);
  header.writeUInt16LE(flags, at + 2);
  header.writeUInt16LE(member.method, at + 4);
  header.writeUInt32LE(dosTime(member.modified), at + 6);
  header.writeUInt32LE(member.crc32, at + 10);
  header.writeUInt32LE(member.compressedSize, at + 14);
  header.writeUInt32LE(member.size, at + 18);
  header.writeUInt16LE(nameLength, at + 22);
}

/** Returns the time in the format of MS-DOS, in UTC: the time in the lower 16 bits, the date in the upper ones. */
function dosTime(time: Date): number {
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1);
  const day = ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  return day * 0x10000 + clock;
}

/** Returns the end of a zip, in the zip64 form if a number does not fit into the other one (APPNOTE 4.3.14 to 4.3.16). */
export function directoryEnd({ count, size, start }: ZipDirectory): Uint8Array {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, maxShort), 8);
  end.writeUInt16LE(Math.min(count, maxShort), 10);
  end.writeUInt32LE(Math.min(size, maxLong), 12);
  end.writeUInt32LE(Math.min(start, maxLong), 16);
  if (count < maxShort && size < maxLong && start < maxLong) return end;
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(version, 12);
  large.writeUInt16LE(version, 14);
  large.writeBigUInt64LE(BigInt(count), 24);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(size), 40);
  large.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(start + size), 8);
  locator.writeUInt32LE(1, 16);
  return Buffer.concat([large, locator, end]);
}
