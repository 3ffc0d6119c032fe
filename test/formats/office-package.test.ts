import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FileError } from '#server/formats/file-error.ts';
import { openPackage } from '#server/formats/office/package.ts';
import { rejectUnsafeEntries, rewritePackage } from '../../server/formats/office/rewrite-package.ts';
import { extraField, type MadeEntry, madeZip } from './office-zip.ts';

const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes!).toString();
const long = (letter: string): string => `${letter}${'abcdefgh '.repeat(500)}`;
const padding = extraField(0xa220, Buffer.alloc(24));

/** All kinds of entries that Office programs write. */
const all: MadeEntry[] = [
  { name: '[Content_Types].xml', content: long('t'), localExtra: padding },
  { name: 'xl/stored.png', content: long('p'), stored: true, comment: 'a picture' },
  { name: 'xl/signed.xml', content: long('s'), descriptor: 'signed' },
  { name: 'xl/unsigned.xml', content: long('u'), descriptor: 'unsigned', directoryExtra: padding },
  { name: 'xl/signed64.xml', content: long('6'), descriptor: 'signed64', localExtra: padding },
  { name: 'xl/empty.bin', content: '', stored: true },
  { name: 'xl/last.xml', content: long('l') },
];

/** The local record of the entry at `index` in the ZIP archive that `madeZip` wrote. */
function recordOf(index: number): Buffer {
  const length = (entries: MadeEntry[]): number => {
    const zip = Buffer.from(madeZip(entries));
    return zip.readUInt32LE(zip.length - 6);
  };
  return Buffer.from(madeZip(all)).subarray(length(all.slice(0, index)), length(all.slice(0, index + 1)));
}

describe('a rewritten package', () => {
  it('is the same file, byte for byte, if nothing is replaced', async () => {
    for (const options of [{}, { comment: 'made by hand' }, { directoryOrder: [3, 0, 1, 2, 6, 5, 4] }]) {
      const zip = madeZip(all, options);
      expect(Buffer.compare(await rewritePackage(zip, new Map()), zip)).toBe(0);
    }
  });

  it.each(all.map(({ name }, index) => [name, index] as const))(
    'has the new content of %s, and every other record unchanged and in its order',
    async (name, replaced) => {
      const content = long('NEW');
      const zip = Buffer.from(await rewritePackage(madeZip(all), new Map([[name, Buffer.from(content)]])));
      const read = unzipSync(zip);
      expect(Object.keys(read)).toEqual(all.map((entry) => entry.name));
      let at = 0;
      for (const [index, entry] of all.entries()) {
        expect(text(read[entry.name])).toBe(index === replaced ? content : entry.content);
        if (index === replaced) {
          at = index + 1 < all.length ? zip.indexOf(recordOf(index + 1), at) : at;
          continue;
        }
        const record = recordOf(index);
        expect(zip.subarray(at, at + record.length).equals(record), entry.name).toBe(true);
        at += record.length;
      }
    },
  );

  it('takes a part in pieces, whose sum and sizes then stand in the headers', async () => {
    const pieces = Array.from({ length: 300 }, (_, index) => Buffer.from(long(`${index} `)));
    async function* inPieces(): AsyncGenerator<Uint8Array> {
      yield* pieces;
    }
    const parts = new Map([
      ['xl/signed64.xml', inPieces],
      ['xl/stored.png', async function* () {}],
    ]);
    const zip = await rewritePackage(madeZip(all), parts);
    expect(text(unzipSync(zip)['xl/signed64.xml'])).toBe(Buffer.concat(pieces).toString());
    expect(unzipSync(zip)['xl/stored.png']).toHaveLength(0);
    // This reader compares sizes with the headers, and decompressed bytes with the checksum.
    const read = await openPackage(zip);
    expect((await read.readWhole('xl/signed64.xml')).source).toBe(Buffer.concat(pieces).toString());
    await expect(rejectUnsafeEntries(zip)).resolves.toBeUndefined();
  });

  it('drops what stands in front of and between the entries, and is sound without it', async () => {
    const zip = await rewritePackage(madeZip(all, { prefix: 'MZ not a zip' }), new Map());
    expect(Buffer.from(zip).toString('latin1', 0, 4)).toBe('PK\x03\x04');
    await expect(rejectUnsafeEntries(zip)).resolves.toBeUndefined();
  });

  it('says nothing of zip64 in the header of a replaced part, whose other extra fields stay', async () => {
    const zip64 = extraField(1, Buffer.alloc(16));
    const entries = all.map((entry) => ({ ...entry, directoryExtra: Buffer.concat([zip64, padding]) }));
    const parts = new Map([['xl/signed64.xml', Buffer.from('new')]]);
    const zip = Buffer.from(await rewritePackage(madeZip(entries), parts));
    const at = zip.indexOf('xl/signed64.xml');
    const local = zip.subarray(at - 30);
    // The version that compressed files need, no flags, and the unchanged date.
    expect(local.subarray(4, 14).toString('hex')).toBe('140000000800114a215b');
    const extra = (from: number, length: number): Buffer => zip.subarray(from, from + length);
    expect(extra(at + 15, local.readUInt16LE(28)).equals(padding)).toBe(true);
    const listed = zip.indexOf('xl/signed64.xml', at + 1);
    const header = zip.subarray(listed - 46);
    expect(header.subarray(6, 16).toString('hex')).toBe('140000000800114a215b');
    expect(extra(listed + 15, header.readUInt16LE(30)).equals(padding)).toBe(true);
  });

  it('has no part that the package does not have', async () => {
    await expect(rewritePackage(madeZip(all), new Map([['xl/new.xml', Buffer.from('')]]))).rejects.toThrow(
      RangeError,
    );
  });

  it('passes on an error of the source of a part', async () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('a');
      throw new Error('the source failed');
    };
    await expect(rewritePackage(madeZip(all), new Map([['xl/last.xml', failing]]))).rejects.toThrow(
      'the source failed',
    );
  });
});

describe('a package is refused', () => {
  const files = (...names: string[]): Uint8Array =>
    madeZip(names.map((name) => ({ name, content: `of ${name}` })));
  it.each<[rule: string, zip: Uint8Array]>([
    ['if a name is absolute', files('/xl/a.xml')],
    ['if a name has a drive', files('c:/a.xml')],
    ['if a name climbs out', files('xl/../../a.xml')],
    ['if a name is ".."', files('..')],
    ['if a name has a backslash', files('xl\\a.xml')],
    ['if a name has a NUL', files('xl/a.xml\0.png')],
    ['if a name is empty', files('')],
    ['if two names are the same', files('a.xml', 'a.xml')],
    ['if two names differ only by case', files('xl/a.xml', 'XL/A.xml')],
    ['if a local header has another name', madeZip([{ name: 'a.xml', content: 'a', localName: 'b.xml' }])],
  ])('%s', async (_, zip) => {
    const refused = { name: 'FileError', reason: 'unreadable' };
    await expect(rejectUnsafeEntries(zip)).rejects.toMatchObject(refused);
    await expect(rewritePackage(zip, new Map())).rejects.toMatchObject(refused);
    await expect(rewritePackage(zip, new Map())).rejects.toBeInstanceOf(FileError);
  });

  it('if two entries share bytes, even in part', async () => {
    // A stored entry that contains a complete record. The directory also lists this record as a separate file.
    const inner = Buffer.from(madeZip([{ name: 'in.xml', content: 'inner' }]));
    const record = inner.subarray(0, inner.readUInt32LE(inner.length - 6));
    const outer = { name: 'out.bin', content: record, stored: true };
    const zip = Buffer.from(madeZip([outer, { name: 'in.xml', content: 'inner' }]));
    await expect(rejectUnsafeEntries(zip)).resolves.toBeUndefined();
    const directory = zip.lastIndexOf('PK\x01\x02', -1, 'latin1');
    zip.writeUInt32LE(zip.indexOf(record), directory + 42);
    expect(text(unzipSync(zip)['in.xml'])).toBe('inner');
    await expect(rejectUnsafeEntries(zip)).rejects.toThrow('overlap');
    await expect(rewritePackage(zip, new Map())).rejects.toThrow('overlap');
  });

  it('if an entry reaches into the directory', async () => {
    const zip = Buffer.from(madeZip([{ name: 'a.bin', content: 'stored content', stored: true }]));
    zip.writeUInt32LE(40, zip.indexOf('PK\x01\x02', 0, 'latin1') + 20);
    await expect(rejectUnsafeEntries(zip)).rejects.toThrow(FileError);
  });

  it('but names that only look odd are not', async () => {
    await expect(
      rejectUnsafeEntries(files('xl/', 'xl/..a.xml', 'xl/a..xml', 'ä b.xml')),
    ).resolves.toBeUndefined();
  });
});

describe('before anything is inflated', () => {
  it('a file is refused in which many names share the same bytes', async () => {
    const many = Array.from({ length: 3000 }, (_, n) => ({ name: `word/${n}.xml`, content: long('x') }));
    const zip = Buffer.from(madeZip(many));
    const directory = zip.readUInt32LE(zip.length - 6);
    // Each entry refers to the content of the first one.
    for (let at = directory; zip.readUInt32LE(at) === 0x02014b50; at += 46 + zip.readUInt16LE(at + 28))
      zip.writeUInt32LE(0, at + 42);
    await expect(openPackage(zip)).rejects.toMatchObject({
      reason: 'unreadable',
      message: 'the Office file cannot be read: files in the archive overlap',
    });
  });

  it('a file is refused with more entries than any has', async () => {
    const made = (count: number) =>
      madeZip(Array.from({ length: count }, (_, n) => ({ name: `x/${n}`, content: '', stored: true })));
    await openPackage(made(10_000));
    await expect(openPackage(made(10_001))).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('the number of files in the Office file is over the limit of 10,000'),
    });
  });
});
