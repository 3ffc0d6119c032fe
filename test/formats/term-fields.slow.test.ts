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

describe('the fields of files of other tools', () => {
  test('a text that is too long is shortened, with a note', () => {
    const [entry, notes] = first('note', '😀'.repeat(1001));
    expect([(entry as { note: string }).note, notes]).toEqual(['😀'.repeat(1000), ['field note']]);
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
