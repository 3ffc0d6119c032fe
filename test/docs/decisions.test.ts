import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const maxWords = 150;

const folder = join(import.meta.dirname, '../../docs/decisions');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const records = globSync('[0-9]*.md', { cwd: folder }).map((path) => {
  const file = basename(path);
  const [title = '', ...body] = read(file).trimEnd().split('\n');
  return { file, number: Number(file.slice(0, 4)), title, body: body.join('\n') };
});

test('every record has its number, a title and at most 150 words', () => {
  for (const { file, number, title, body } of records) {
    expect(title, file).toMatch(new RegExp(`^# ${number}\\. .`));
    expect(body, file).toMatch(/^\n\S/);
    expect(body.trim().split(/\s+/).length, file).toBeLessThanOrEqual(maxWords);
  }
  // Numbers are missing where records were merged.
  expect(new Set(records.map(({ number }) => number)).size).toBe(records.length);
});

test('the index lists every record with its title', () => {
  const rows = records.map(
    ({ file, number, title }) => `- ${number}: [${title.slice(`# ${number}. `.length)}](${file})`,
  );
  const listed = read('README.md').match(/^- \d+: .*$/gm);
  expect(listed?.toSorted()).toEqual(rows.toSorted());
});
