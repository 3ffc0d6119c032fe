import { describe, expect, it } from 'vitest';
import { readGlossaryCsv } from '#server/formats/glossary-file.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';

type Row = [line: number, source: string, target: string, ...rest: (string | number | boolean | null)[]];

/** What each file holds: its entries as line, terms, languages, case, priority; or the line that it is refused for. */
const expected: Record<string, Row[] | { line: number | null }> = {
  'csv/en-fr-no-known-header.csv': [
    [1, 'en', 'fr'],
    [2, 'sign in', 'se connecter'],
    [3, 'sign out', 'se déconnecter'],
    [4, 'workspace', 'espace de travail'],
    [5, 'board', 'tableau'],
    [6, 'card', 'carte'],
    [7, 'due date', "date d'échéance"],
    [8, 'settings', 'paramètres'],
    [9, 'team member', "membre de l'équipe"],
  ],
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
  'csv/quoted-padded.csv': [
    [1, 'source 1', 'target 1'],
    [2, 'source 2', 'target 2'],
    [3, 'source 3', 'target 3'],
    [4, 'source 3', 'target 3'],
  ],
  'csv/source-target-domain.csv': [
    [2, 'password', 'mot de passe'],
    [3, 'username', "nom d'utilisateur"],
    [4, 'log in', 'se connecter'],
    [5, 'dashboard', 'tableau de bord'],
    [6, 'settings', 'paramètres'],
    [7, 'encryption', 'chiffrement'],
    [8, 'file upload', 'téléversement de fichier'],
  ],
  'csv/tabs-and-noise.csv': [
    [1, 'source 1', 'target 1'],
    [2, 'term 2', 'trans term 2'],
    [14, 'source 3', 'target 3'],
  ],
  // Its first row happens to have languages where they are looked for; its second has not.
  'csv/term-multilingual-notes.csv': { line: 2 },
  'csv-bad/language-without-variant.csv': { line: 3 },
  'csv-bad/latin1.csv': { line: null },
  'csv-bad/no-usable-row.csv': { line: null },
  'csv-bad/nul.csv': { line: null },
  // How many a tenant may have is not for the reader to say.
  'csv-bad/over-2000-entries.csv': Array.from(
    { length: 2001 },
    (_, n): Row => [n + 2, `term ${n}`, `terme ${n}`],
  ),
  'csv-bad/quoted-newline.csv': { line: 2 },
  'csv-bad/utf16-no-bom.csv': { line: null },
  'csv-bad/utf32.csv': { line: null },
};

describe('B 4.4: glossaries of the corpus', () => {
  const names = ['csv', 'csv-bad'].flatMap((folder) =>
    corpusNames(folder).map((name) => `${folder}/${name}`),
  );

  it.each(names)('%s', (name) => {
    const outcome = expected[name]!;
    if (!Array.isArray(outcome)) {
      expect(() => readGlossaryCsv(corpusFile(name))).toThrow(
        expect.objectContaining({ name: 'GlossaryFileError', ...outcome }),
      );
      return;
    }
    const entries = outcome.map(
      ([
        line,
        sourceTerm,
        targetTerm,
        sourceLang = null,
        targetLang = null,
        caseSensitive = false,
        priority = 0,
      ]) => ({
        line,
        sourceTerm,
        targetTerm,
        sourceLang,
        targetLang,
        caseSensitive,
        priority,
      }),
    );
    expect(readGlossaryCsv(corpusFile(name)).entries).toEqual(entries);
  });
});
