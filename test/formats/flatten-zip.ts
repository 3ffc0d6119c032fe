import { crc32, deflateRawSync } from 'node:zlib';

/** Writes a ZIP archive of these files. `tamper` may change what the directory of the archive says about a file. */
export function zipOf(
  files: Record<string, string | Uint8Array>,
  tamper: (entry: { name: string; size: number; crc: number; flags: number }) => void = () => {},
): Uint8Array {
  const local: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const raw = Buffer.from(content as string);
    const body = deflateRawSync(raw);
    const entry = { name, size: raw.length, crc: crc32(raw), flags: 0 };
    tamper(entry);
    const path = Buffer.from(entry.name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(entry.crc, 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(entry.size, 18);
    common.writeUInt16LE(path.length, 22);
    local.push(Buffer.from('PK\x03\x04'), common, path, body);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, path);
    offset += 4 + common.length + path.length + body.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, entries, end]);
}

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const officeTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The files of a Word document with this body. `parts` contains the XML of further parts, by type. */
export function wordFiles(body: string, parts: Record<string, string> = {}): Record<string, string> {
  const names = Object.keys(parts);
  const relation = (type: string, target: string): string =>
    `<Relationship Id="${target}" Type="${officeTypes}/${type}" Target="${target}"/>`;
  const relations = (...all: string[]): string => `<Relationships>${all.join('')}</Relationships>`;
  return {
    '_rels/.rels': relations(relation('officeDocument', 'word/document.xml')),
    'word/document.xml': `<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`,
    'word/_rels/document.xml.rels': relations(
      ...names.map((name) => relation(name.replace(/\d+$/, ''), `${name}.xml`)),
    ),
    ...Object.fromEntries(
      names.map((name) => [`word/${name}.xml`, parts[name]!.replace('>', ` xmlns:w="${word}">`)]),
    ),
  };
}
