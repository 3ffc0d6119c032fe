import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readGlossary, termsOf } from '#server/formats/glossary/reader.ts';
import type { GlossaryFileEntry, ReadingNote } from '#server/formats/glossary-file.ts';
import { readLanguage } from '#server/languages.ts';

/* Glossary files in cases/glossary, each below the rule that it shows, with all that is read. */

interface Case {
  file: string;
  /** The languages that the upload declares. */
  from?: string;
  to?: string;
  /** The message of a file that is rejected. */
  rejected?: string;
  /** Whether the first row has the names of columns. */
  header?: boolean;
  /** The line and the terms of each entry, with the fields that differ from their default. */
  /** The use of each column of a table. */
  columns?: string;
  entries?: string[];
  notes?: string[];
}

const folder = join(import.meta.dirname, 'cases/glossary');
const declared = (tag: string | undefined) => (tag === undefined ? null : { tag, code: readLanguage(tag)! });

describe.each(['csv', 'json'] as const)('%s', (kind) => {
  const rules = parse(readFileSync(join(folder, `${kind}.yaml`), 'utf8')) as Record<string, Case[]>;
  describe.each(Object.entries(rules))('%s', (_, cases) => {
    test.each(cases)('$file', async ({ file, from, to, rejected, header, columns, entries, notes = [] }) => {
      const languages = { source: declared(from), target: declared(to) };
      const reading = readGlossary(kind, Buffer.from(file), languages);
      if (rejected !== undefined) {
        await expect(reading).rejects.toMatchObject({ name: 'GlossaryFileError', message: rejected });
        return;
      }
      const found = await reading;
      expect(found.table?.columns.map(({ column }) => column ?? '-').join(', ')).toBe(columns);
      expect(found.entries.map(shown)).toEqual(entries);
      expect(found.notes.map(noted)).toEqual(notes);
      if (header !== undefined) expect(found.hasHeader).toBe(header);
    });
  });
});

const read = (kind: 'csv' | 'json', content: string | Uint8Array) =>
  readGlossary(kind, Buffer.from(content as string), { source: null, target: null });

test.each(['a', '😀'])('a term has at most 500 characters: %s', async (letter) => {
  const long = letter.repeat(500);
  expect((await read('csv', `${long},${long}`)).entries.map(shown)).toEqual([`1: ${long} = ${long}`]);
  for (const row of [`${long}a,b`, `a,${long}b`])
    await expect(read('csv', `a,b\n${row}`)).rejects.toThrow(/^line 2: .*500 characters/);
});

test('a JSON glossary may be UTF-16 with a byte order mark', async () => {
  const json = '{"ä": "b"}';
  for (const encoding of ['utf8', 'utf16le'] as const)
    expect((await read('json', Buffer.from(`\ufeff${json}`, encoding))).entries).toMatchObject([
      { sourceTerm: 'ä' },
    ]);
  await expect(read('json', Buffer.from(json, 'utf16le'))).rejects.toThrow('UTF-8');
});

test.each([
  ['nested more than 64 levels deep', '['.repeat(100_000)],
  ['more than 1,000,000 values', `[${'0,'.repeat(1_000_001)}{}]`],
  ['more than 100,000 entries', `[${'{},'.repeat(100_001)}{}]`],
])('JSON is rejected with %s', async (problem, json) => {
  await expect(read('json', json)).rejects.toThrow(problem);
});

test('a message has only a part of a long key', async () => {
  await expect(read('json', JSON.stringify({ ['k'.repeat(10_000)]: 1 }))).rejects.toThrow(/^.{1,100}$/);
});

describe('several terms in a cell', () => {
  test.each([
    ['inlet hose (also: suction hose)', ['inlet hose', 'suction hose']],
    ['Schlauch (auch Saugschlauch)', ['Schlauch', 'Saugschlauch']],
    ['a bearing;bush | sleeve', ['a bearing', 'bush', 'sleeve']],
    ['軸受；ベアリング', ['軸受', 'ベアリング']],
    ['on / off', ['on', 'off']],
    ['and/or', ['and/or']],
    ['Q&amp;A', ['Q&amp;A']],
    ['for (;;)', ['for (;;)']],
    ['valve (in the pump)', ['valve (in the pump)']],
    [`${'a long clause '.repeat(6)}; and another`, [`${'a long clause '.repeat(6)}; and another`]],
  ])('%s', (cell, terms) => {
    expect(termsOf(cell)).toEqual(terms);
  });
});

function shown({ line, place, sourceTerm, targetTerm, ...fields }: GlossaryFileEntry): string {
  const set = Object.entries(fields).filter(
    ([, value]) => ![null, undefined, false, 0].includes(value as null),
  );
  const terms = `${line}${place === undefined ? '' : ` ${place}`}: ${sourceTerm} = ${targetTerm}`;
  return [terms, ...set.map(([name, value]) => `${name}: ${value}`)].join('; ');
}

function noted(note: ReadingNote): string {
  return Object.values(note)
    .filter((value) => value !== null)
    .join(' ');
}
