import { expect, test } from 'vitest';
import { readGlossaryXlsx } from '#server/formats/glossary/xlsx.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { convertByLibreOffice } from '#test/formats/libreoffice.ts';

const none = { source: null, target: null };
const enFr = { source: { tag: 'en', code: 'en' }, target: { tag: 'fr', code: 'fr' } } as const;

test('workbooks of LibreOffice are read as those of exceljs, and as CSV', {
  timeout: 300_000,
}, async (context) => {
  const csv =
    'source_term,target_term,source_lang,priority\ninvoice,facture,en,2\n"a, b","c d",,\n24/7,24 h sur 24,,\n';
  const columns = corpusFile('glossary/exceljs-columns.xlsx');
  const languages = corpusFile('glossary/exceljs-languages.xlsx');
  const saved = convertByLibreOffice(
    { 'table.csv': Buffer.from(csv), 'columns.xlsx': columns, 'languages.xlsx': languages },
    'xlsx',
    { filter: 'Calc MS Excel 2007 XML' },
  );
  if (!saved) return context.skip('LibreOffice is not installed');
  const { entries } = await readGlossaryXlsx(saved['table.csv']!, none);
  expect(entries).toMatchObject([
    { line: 2, place: 'A2', sourceTerm: 'invoice', targetTerm: 'facture', sourceLang: 'en', priority: 2 },
    { line: 3, sourceTerm: 'a, b', targetTerm: 'c d', sourceLang: null, priority: 0 },
    { line: 4, sourceTerm: '24/7' },
  ]);
  for (const [name, original, declared] of [
    ['columns.xlsx', columns, none],
    ['languages.xlsx', languages, enFr],
  ] as const) {
    const [theirs, ours] = [
      await readGlossaryXlsx(saved[name]!, declared),
      await readGlossaryXlsx(original, declared),
    ];
    expect(theirs.entries).toEqual(ours.entries);
    expect(theirs.notes).toEqual(ours.notes);
  }
});
