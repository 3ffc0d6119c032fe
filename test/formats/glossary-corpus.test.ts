import { describe, expect, it } from 'vitest';
import { readGlossaryCsv } from '#server/formats/glossary-file.ts';
import { corpusFile } from '#test/corpus/files.ts';

type Row = [line: number, source: string, target: string, ...rest: (string | number | boolean | null)[]];

/** What each file holds: its entries as line, terms, languages, case, priority; or the line that it is refused for. */
const expected: Record<string, Row[] | { line: number | null }> = {
  'csv/made-bom-tab.csv': [
    [2, 'brake', 'Bremse'],
    [3, 'clutch', 'Kupplung'],
    [4, 'Gear Box', 'Getriebe'],
  ],
  'csv/made-pipe-cr-only.csv': [
    [2, 'stock', 'inventario'],
    [4, 'warehouse', 'almacén'],
  ],
  'csv/made-positional-six-columns.csv': [
    [1, 'invoice', 'Rechnung', 'en', 'de', true, 3],
    [2, 'credit note', 'Gutschrift', 'en', 'de', false, 1],
    [3, 'VAT', 'MwSt.', 'en', 'de', true, 9],
  ],
  'csv/made-semicolon-full-columns.csv': [
    [2, 'invoice', 'facture', 'en', 'fr', false, 0],
    [3, 'Purchase Order', 'bon de commande', 'en', 'fr', true, 10],
    [4, 'net; total', 'total net', 'en', 'fr', false, 5],
    [5, 'ledger', 'grand livre'],
  ],
  'csv/made-utf16le-bom.csv': [
    [2, 'contract', '契約', null, 'ja', false, 0],
    [3, 'party', '当事者', null, 'ja', false, 0],
  ],
  'csv/tabs-and-noise.csv': [
    [1, 'source 1', 'target 1'],
    [2, 'term 2', 'trans term 2'],
    [14, 'source 3', 'target 3'],
  ],
  // Its first row happens to have languages where they are looked for; its second has not.
  'csv/term-multilingual-notes.csv': { line: 2 },
  'csv-bad/language-without-variant.csv': { line: 3 },
  'csv-bad/quoted-newline.csv': { line: 2 },
};

describe('glossaries of the corpus (B 4.4)', () => {
  it.each(Object.keys(expected))('%s', (name) => {
    const outcome = expected[name]!;
    if (!Array.isArray(outcome)) {
      expect(() => readGlossaryCsv(corpusFile(name))).toThrow(
        expect.objectContaining({ name: 'GlossaryFileError', ...outcome }),
      );
      return;
    }
    const defaults = [null, null, false, 0];
    const entries = readGlossaryCsv(corpusFile(name)).entries;
    expect(entries.map((entry) => Object.values(entry))).toEqual(
      outcome.map((row) => [...row, ...defaults.slice(row.length - 3)]),
    );
  });
});
