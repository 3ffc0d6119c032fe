import { execFileSync } from 'node:child_process';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { directoryEnd, directoryEntry, localHeader, type ZipMember } from '#server/formats/zip-writer.ts';
import { testFolder } from '#test/setup/launch.ts';

const modified = new Date('2026-07-31T09:30:20Z');

function memberOf(name: string, content: Uint8Array, packed = content): ZipMember {
  const method = packed === content ? 0 : 8;
  return {
    name,
    method,
    crc32: crc32(content),
    compressedSize: packed.length,
    size: content.length,
    modified,
  };
}

function zipOf(files: readonly [name: string, content: string, deflate: boolean][]): Uint8Array {
  const data: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let start = 0;
  for (const [name, text, deflate] of files) {
    const content = Buffer.from(text);
    const packed = deflate ? deflateRawSync(content) : content;
    const member = memberOf(name, content, packed);
    const header = localHeader(member);
    directory.push(directoryEntry(member, start));
    data.push(header, packed);
    start += header.length + packed.length;
  }
  const size = Buffer.concat(directory).length;
  return Buffer.concat([...data, ...directory, directoryEnd({ count: files.length, size, start })]);
}

test('a zip has its files, stored or deflated, with names in UTF-8', () => {
  const zip = zipOf([
    ['a.txt', 'stored', false],
    ['größe/日本.txt', 'deflated '.repeat(100), true],
    ['empty', '', false],
  ]);
  const read = Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]);
  expect(read).toEqual([
    ['a.txt', 'stored'],
    ['größe/日本.txt', 'deflated '.repeat(100)],
    ['empty', ''],
  ]);
});

/** Prints each file's name, time and content with Python's zip reader, which has no code in common with ours. */
const python = `import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
names = z.namelist()
print(len(names))
for n in names[-2:]: print(n, z.getinfo(n).date_time, z.read(n).decode())`;

function readByPython(path: string): string[] | null {
  try {
    return execFileSync('python3', ['-c', python, path]).toString().trim().split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

test('a zip with more than 65,535 files, and with a file beyond 4 GiB, is in the zip64 form', async ({
  skip,
}) => {
  const path = join(await testFolder(), 'large.zip');
  const file = await open(path, 'w');
  const directory: Uint8Array[] = [];
  const count = 65_536;
  const far = 5 * 2 ** 30;
  const put = async (name: string, at: number) => {
    const content = Buffer.from(`content of ${name}`);
    const member = memberOf(name, content);
    const record = Buffer.concat([localHeader(member), content]);
    await file.write(record, 0, record.length, at);
    directory.push(directoryEntry(member, at));
    return at + record.length;
  };
  let at = 0;
  for (let number = 1; number < count; number++) at = await put(`${number}.txt`, at);
  // The file system does not store the gap.
  const start = await put('far.txt', far);
  const entries = Buffer.concat(directory);
  const rest = Buffer.concat([entries, directoryEnd({ count, size: entries.length, start })]);
  await file.write(rest, 0, rest.length, start);
  await file.close();
  const read = readByPython(path);
  if (!read) skip('python3 is not installed');
  expect(read).toEqual([
    String(count),
    `${count - 1}.txt (2026, 7, 31, 9, 30, 20) content of ${count - 1}.txt`,
    'far.txt (2026, 7, 31, 9, 30, 20) content of far.txt',
  ]);
});
