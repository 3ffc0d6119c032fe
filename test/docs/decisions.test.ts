import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '../../docs/decisions');
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const records = globSync('[0-9]*.md', { cwd: folder }).map((path) => {
  const file = basename(path);
  return { file, number: Number(file.slice(0, 4)), text: read(file) };
});

test('every record has its number and a title, then a status', () => {
  for (const { file, number, text } of records)
    expect(text, file).toMatch(new RegExp(`^# ${number}\\. .+\n\nStatus: (accepted|superseded by \\d+)\n\n`));
  // Numbers may be missing, because a number is reserved before the record is written.
  expect(new Set(records.map(({ number }) => number)).size).toBe(records.length);
});

test('an accepted record has a context, a decision and consequences, and at most 60 lines', () => {
  for (const { file, text } of records) {
    expect(text.trimEnd().split('\n').length, file).toBeLessThanOrEqual(60);
    if (text.includes('\nStatus: superseded')) continue;
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings, file).toEqual(expect.arrayContaining(['Context', 'Decision', 'Consequences']));
  }
});

test('a superseded record and its successor name each other', () => {
  for (const { file, number, text } of records) {
    const by = /^Status: superseded by (\d+)$/m.exec(text)?.[1];
    if (by === undefined) continue;
    const later = records.find((record) => record.number === Number(by));
    expect(later?.number, file).toBeGreaterThan(number);
    expect(later?.text, file).toContain(file);
  }
});

test('the index lists every record with its title, and its status if it is not accepted', () => {
  const rows = records.map(({ file, number, text }) => {
    const title = /^# \d+\. (.+)$/m.exec(text)?.[1];
    const status = /^Status: (.+)$/m.exec(text)?.[1];
    return `- ${number}: [${title}](${file})${status === 'accepted' ? '' : `, ${status}`}`;
  });
  const listed = read('README.md').match(/^- \d+: .*$/gm);
  expect(listed?.toSorted()).toEqual(rows.toSorted());
});
