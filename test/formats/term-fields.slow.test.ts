import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readGlossaryCsv } from '#server/formats/glossary/csv.ts';
import { readGlossary } from '#server/formats/glossary/reader.ts';
import { writeGlossaryXlsx } from '#server/formats/glossary/writer.ts';
import type { GlossaryFileEntry } from '#server/formats/glossary-file.ts';
import { tbxEntry, tbxHead, tbxTail } from '#server/formats/tbx/writer.ts';
import {
  fieldColumns,
  fieldText,
  fieldView,
  genders,
  partsOfSpeech,
  pictureUrl,
  type TermFields,
  termStatuses,
} from '#server/formats/term-fields.ts';

const declared = { source: { tag: 'en', code: 'en' }, target: { tag: 'fr', code: 'fr' } } as const;

const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((written) => written.replace(/[\ufffe\uffff]|[\u{1fffe}-\u{1ffff}]/gu, ''))
  .map(fieldText);
const optional = <T>(values: readonly T[]) => fc.constantFrom(null, ...values);
const fields = fc
  .record({
    definition: text,
    note: text,
    partOfSpeech: optional(partsOfSpeech),
    gender: optional(genders),
    status: fc.constantFrom(...termStatuses),
    doNotTranslate: fc.boolean(),
    domain: text,
    picture: fc.option(fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }).map(pictureUrl)),
  })
  .map((one) => ({ ...one, doNotTranslate: one.doNotTranslate && one.status !== 'forbidden' }));

const termOf = (one: TermFields, index: number) => ({
  sourceTerm: `word ${index}`,
  // French has spaces that do not break.
  targetTerm: one.doNotTranslate ? `word ${index}` : `mot ${index}\u00a0!`,
  sourceLang: 'en',
  targetLang: 'fr',
  caseSensitive: false,
  priority: 0,
  ...one,
});
type Term = ReturnType<typeof termOf>;

const rowOf = (term: Term) => {
  const view = { source_term: term.sourceTerm, target_term: term.targetTerm, ...fieldView(term) };
  return view as Record<string, string | boolean>;
};
const csvOf = (terms: Term[], separator: string) => {
  const columns = ['source_term', 'target_term', ...fieldColumns];
  const cell = (value: string | boolean = '') => `"${`${value}`.replaceAll('"', '""')}"`;
  return [columns.join(separator)]
    .concat(terms.map((term) => columns.map((column) => cell(rowOf(term)[column])).join(separator)))
    .join('\n');
};

async function workbookOf(terms: Term[]): Promise<Uint8Array> {
  async function* pages() {
    yield terms;
  }
  const pieces: Uint8Array[] = [];
  for await (const piece of writeGlossaryXlsx(pages(), fieldColumns)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const written = {
  csv: (terms: Term[]) => Buffer.from(csvOf(terms, ',')),
  tsv: (terms: Term[]) => Buffer.from(csvOf(terms, '\t')),
  json: (terms: Term[]) => Buffer.from(JSON.stringify(terms.map(rowOf))),
  xlsx: workbookOf,
  '2019': (terms: Term[]) => tbxOf(terms, '2019'),
  '2008': (terms: Term[]) => tbxOf(terms, '2008'),
};
const tbxOf = (terms: Term[], edition: '2019' | '2008') =>
  Buffer.from(
    [
      tbxHead(edition, 'Terms'),
      ...terms.map((term, index) => tbxEntry(edition, { ...term, number: index + 1 })),
      tbxTail(edition),
    ].join(''),
  );
const kinds = { csv: 'csv', tsv: 'csv', json: 'json', xlsx: 'xlsx', '2019': 'tbx', '2008': 'tbx' } as const;

const comparable = ({ sourceTerm, targetTerm, ...entry }: Term | GlossaryFileEntry) => ({
  sourceTerm,
  targetTerm,
  ...fieldView(entry),
});

describe('a file carries all fields of its terms', () => {
  test.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s', async (name) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { minLength: 1, maxLength: 5 }), async (all) => {
        const terms = all.map(termOf);
        const file = await readGlossary(kinds[name], await written[name](terms), declared);
        expect(file.entries.map(comparable)).toEqual(terms.map(comparable));
        expect(file.notes.filter(({ code }) => code === 'field')).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });
});

const first = (header: string, row: string) => {
  const { entries, notes } = readGlossaryCsv(Buffer.from(`source,target,${header}\na,b,${row}`));
  return [comparable(entries[0]!), notes.map(({ code, name }) => `${code} ${name}`)];
};
const plain = { sourceTerm: 'a', targetTerm: 'b' };

describe('the fields of files of other tools', () => {
  test.each([
    ['Description [en],Part of Speech [en]', 'x,n.', { definition: 'x', part_of_speech: 'noun' }],
    ['Forbidden', 'yes', { status: 'forbidden' }],
    ['Forbidden', 'no', {}],
    ['Term Status', 'preferredTerm-admn-sts', {}],
    ['Status', 'Not recommended', { status: 'forbidden' }],
    ['Usage status', 'admittedTerm', { status: 'allowed' }],
    [
      'DNT,Subject field,Image URL',
      'true,law,https://a.example/b c.png',
      {
        do_not_translate: true,
        domain: 'law',
        picture: 'https://a.example/b%20c.png',
      },
    ],
    ['Comments', '"two\nlines"', { note: 'two lines' }],
  ])('%s: %s', (header, row, found) => {
    const targetTerm = 'do_not_translate' in found ? 'a' : 'b';
    expect(first(header, row)).toEqual([{ ...plain, targetTerm, ...found }, []]);
  });

  test.each([
    ['gender', 'common'],
    ['part_of_speech', 'gerund'],
    ['picture', 'http://a.example/b.png'],
    ['picture', 'javascript:alert(1)'],
  ])('an unknown value is left out with a note, and the term stays: %s %s', (column, value) => {
    expect(first(column, value)).toEqual([plain, [`field ${column}`]]);
  });

  test('a text that is too long is shortened, with a note', () => {
    const [entry, notes] = first('note', '😀'.repeat(1001));
    expect([(entry as { note: string }).note, notes]).toEqual(['😀'.repeat(1000), ['field note']]);
  });

  test('a table without a header has the columns that it had before there were fields', () => {
    const { entries } = readGlossaryCsv(Buffer.from('a,b,en,fr,yes,3,what is this\nc,d,en,fr,,,'));
    expect(entries[0]).toEqual({
      ...{ line: 1, sourceTerm: 'a', targetTerm: 'b', sourceLang: 'en', targetLang: 'fr' },
      ...{ caseSensitive: true, priority: 3 },
    });
  });

  test('a term that is not translated may have no target', () => {
    expect(readGlossaryCsv(Buffer.from('source,target,dnt\na,,yes\nb,,no')).entries).toMatchObject([
      { sourceTerm: 'a', targetTerm: 'a', doNotTranslate: true },
    ]);
  });

  test('values of another type in JSON are left out', async () => {
    const json = '[{"source": "a", "target": "b", "note": ["x"], "domain": {"en": 1}}]';
    const { entries, notes } = await readGlossary('json', Buffer.from(json), declared);
    expect([entries.map(comparable), notes.map(({ name }) => name)]).toEqual([[plain], ['note', 'domain']]);
  });

  test('texts that are too long together are rejected', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      source: `a${index}`,
      target: 'b',
      note: 'x'.repeat(1999),
    }));
    await expect(readGlossary('json', Buffer.from(JSON.stringify(rows)), declared)).rejects.toThrow(
      'too long together',
    );
  });
});
