import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a ZIP archive that is written by hand. */
export interface MadeEntry {
  name: string;
  content: string | Uint8Array;
  stored?: boolean;
  /** A data descriptor after the content, with sizes of 4 or 8 bytes. The local header then contains no sizes. */
  descriptor?: 'signed' | 'unsigned' | 'signed64';
  localExtra?: Uint8Array;
  directoryExtra?: Uint8Array;
  comment?: string;
  /** The name in the local header, if it differs. */
  localName?: string;
}

/** An extra field. */
export function extraField(id: number, content: Uint8Array): Uint8Array {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(content.length, 2);
  return Buffer.concat([head, content]);
}

/**
 * Writes a ZIP archive with features that `zipOf` does not support. `directoryOrder` contains the indexes of the
 * entries in the order of the directory.
 */
export function madeZip(
  entries: MadeEntry[],
  { comment = '', prefix = '', directoryOrder = entries.map((_, index) => index) } = {},
): Uint8Array {
  const local: Buffer[] = [Buffer.from(prefix)];
  let offset = prefix.length;
  const headers = entries.map((entry) => {
    const raw = Buffer.from(entry.content as string);
    const body = entry.stored ? raw : deflateRawSync(raw);
    const name = Buffer.from(entry.name);
    const header = Buffer.alloc(46);
    header.writeUInt32LE(0x02014b50, 0);
    header.writeUInt16LE(0x031e, 4);
    header.writeUInt16LE(entry.descriptor === 'signed64' ? 45 : 20, 6);
    header.writeUInt16LE(entry.descriptor ? 8 : 0, 8);
    header.writeUInt16LE(entry.stored ? 0 : 8, 10);
    header.writeUInt32LE(0x5b21_4a11, 12);
    header.writeUInt32LE(crc32(raw), 16);
    header.writeUInt32LE(body.length, 20);
    header.writeUInt32LE(raw.length, 24);
    header.writeUInt16LE(name.length, 28);
    const directoryExtra = entry.directoryExtra ?? Buffer.alloc(0);
    header.writeUInt16LE(directoryExtra.length, 30);
    const entryComment = Buffer.from(entry.comment ?? '');
    header.writeUInt16LE(entryComment.length, 32);
    header.writeUInt32LE(0o100644 * 65536, 38);
    header.writeUInt32LE(offset, 42);

    const localName = Buffer.from(entry.localName ?? entry.name);
    const own = Buffer.alloc(30);
    own.writeUInt32LE(0x04034b50, 0);
    header.copy(own, 4, 6, 28);
    if (entry.descriptor) own.fill(0, 14, 26);
    const localExtra = Buffer.concat([
      entry.descriptor === 'signed64' ? extraField(1, Buffer.alloc(16)) : Buffer.alloc(0),
      entry.localExtra ?? Buffer.alloc(0),
    ]);
    own.writeUInt16LE(localName.length, 26);
    own.writeUInt16LE(localExtra.length, 28);
    const record = Buffer.concat([own, localName, localExtra, body, descriptorOf(entry, header)]);
    local.push(record);
    offset += record.length;
    return Buffer.concat([header, name, directoryExtra, entryComment]);
  });
  const directory = Buffer.concat(directoryOrder.map((index) => headers[index]!));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(directoryOrder.length, 8);
  end.writeUInt16LE(directoryOrder.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...local, directory, end, Buffer.from(comment)]);
}

function descriptorOf({ descriptor }: MadeEntry, header: Buffer): Buffer {
  if (!descriptor) return Buffer.alloc(0);
  const signature = descriptor === 'unsigned' ? Buffer.alloc(0) : Buffer.from('PK\x07\x08', 'latin1');
  const sum = header.subarray(16, 20);
  if (descriptor !== 'signed64') return Buffer.concat([signature, sum, header.subarray(20, 28)]);
  const sizes = Buffer.alloc(16);
  header.copy(sizes, 0, 20, 24);
  header.copy(sizes, 8, 24, 28);
  return Buffer.concat([signature, sum, sizes]);
}

/**
 * The result of reading a ZIP archive with Python's zipfile, which verifies the checksum of each entry; null if Python
 * is not installed.
 */
export function readByPython(
  zip: Uint8Array,
): { names: string[]; infos: Record<string, unknown[]>; bad: string | null } | null {
  const folder = mkdtempSync(join(tmpdir(), 'office-zip-'));
  try {
    const path = join(folder, 'file.zip');
    writeFileSync(path, zip);
    const script = `import json, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
infos = {i.filename: [list(i.date_time), i.external_attr, i.comment.decode(), i.create_system, i.flag_bits, i.file_size] for i in z.infolist()}
print(json.dumps({'names': z.namelist(), 'infos': infos, 'bad': z.testzip()}))`;
    const { status, stdout, stderr, error } = spawnSync('python3', ['-c', script, path], {
      encoding: 'utf8',
    });
    if (error) return null;
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The unchanged records of a ZIP archive (header and compressed content), by name, in the order of the directory. */
export function localRecords(zip: Uint8Array): Map<string, Buffer> {
  const all = Buffer.from(zip.buffer, zip.byteOffset, zip.byteLength);
  const records = new Map<string, Buffer>();
  let at = all.readUInt32LE(all.lastIndexOf('PK\x05\x06', undefined, 'latin1') + 16);
  while (all.toString('latin1', at, at + 4) === 'PK\x01\x02') {
    const nameLength = all.readUInt16LE(at + 28);
    const start = all.readUInt32LE(at + 42);
    const bodyStart = start + 30 + all.readUInt16LE(start + 26) + all.readUInt16LE(start + 28);
    const name = all.toString('utf8', at + 46, at + 46 + nameLength);
    records.set(name, all.subarray(start, bodyStart + all.readUInt32LE(at + 20)));
    at += 46 + nameLength + all.readUInt16LE(at + 30) + all.readUInt16LE(at + 32);
  }
  return records;
}

/**
 * The names of entries whose header or compressed content differs in two ZIP archives. Both must have the same entries
 * in the same order.
 */
export function changedEntries(one: Uint8Array, other: Uint8Array): string[] {
  const [records, others] = [localRecords(one), localRecords(other)];
  if (`${[...records.keys()]}` !== `${[...others.keys()]}`) throw new Error('the zips have other entries');
  return [...records].flatMap(([name, record]) => (record.equals(others.get(name)!) ? [] : [name]));
}
