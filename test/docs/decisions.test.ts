import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const records = globSync('[0-9]*.md', { cwd: folder }).map((path) => {
  const file = basename(path);
  return { file, number: Number(file.slice(0, 4)), text: read(file) };
});

test('every record has its number and a title', () => {
  for (const { file, number, text } of records) expect(text, file).toMatch(new RegExp(`^# ${number}\\. .+\n\n`));
  // Numbers are missing where records were merged.
  expect(new Set(records.map(({ number }) => number)).size).toBe(records.length);
});

test('the index lists every record with its title', () => {
  const rows = records.map(
    ({ file, number, text }) => `- ${number}: [${/^# \d+\. (.+)$/m.exec(text)?.[1]}](${file})`,
  );
  const listed = read('README.md').match(/^- \d+: .*$/gm);
  expect(listed?.toSorted()).toEqual(rows.toSorted());
});
