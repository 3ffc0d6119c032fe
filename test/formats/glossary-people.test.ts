import { describe, expect, test } from 'vitest';
import { readGlossary, termsOf } from '#server/formats/glossary/reader.ts';
import type { DeclaredLanguages, GlossaryFile } from '#server/formats/glossary-file.ts';

const none: DeclaredLanguages = { source: null, target: null };
const read = (rows: string[], declared = none) => readGlossary('csv', Buffer.from(rows.join('\n')), declared);
const columnsOf = ({ table }: GlossaryFile) => table!.columns.map(({ column }) => column);
const codesOf = ({ notes }: GlossaryFile) => notes.map(({ code, line, name }) => [code, line, name]);

describe('columns as people name them', () => {
  test('identifiers, dates and states are left out by name, and languages have their own names', async () => {
    const file = await read([
      'Lfd. Nr.\tDeutsch\tFrançais (Canada)\t日本語\tKommentar / Hinweis\tStatus\tGeändert am',
      '1\tVentil\tsoupape\tバルブ\tMaschine\tdraft\t2020-01-02',
      '2\tPumpe\tpompe\tポンプ\t\tapproved\t2020-01-02',
    ]);
    expect(columnsOf(file)).toEqual([null, 'source_term', 'target_term', null, 'note', null, null]);
    expect(file.entries[0]).toMatchObject({ sourceLang: 'de', targetLang: 'fr-CA', note: 'Maschine' });
    expect(codesOf(file).map(([code, , name]) => [code, name])).toEqual(
      ['Lfd. Nr.', '日本語', 'Status', 'Geändert am'].map((name) => ['unused', name]),
    );
  });

  test('a status for the use of a term is still read', async () => {
    const file = await read(['English;Deutsch;Status', 'pump;Pumpe;approved', 'pump;Pump;deprecated']);
    expect(file.entries.map(({ status }) => status)).toEqual([undefined, 'forbidden']);
  });

  test.each(['Don’t use', "Don't use", 'Forbidden', 'Deprecated', 'Nicht verwenden', 'No usar', '使用禁止'])(
    'the cells of “%s” are forbidden translations',
    async (name) => {
      const file = await read([`English,Español,${name}`, 'housing,carcasa,vivienda; casa', 'pump,bomba,']);
      expect(file.entries.map(({ targetTerm, status }) => [targetTerm, status])).toEqual([
        ['carcasa', undefined],
        ['vivienda', 'forbidden'],
        ['casa', 'forbidden'],
        ['bomba', undefined],
      ]);
    },
  );

  test('a column “Forbidden” may also have yes or no', async () => {
    const file = await read(['English,Español,Forbidden', 'housing,carcasa,no', 'housing,vivienda,yes']);
    expect(file.entries.map(({ targetTerm, status }) => [targetTerm, status])).toEqual([
      ['carcasa', undefined],
      ['vivienda', 'forbidden'],
    ]);
  });

  test('an error names the column by its letter and header', async () => {
    await expect(read(['source_term,target_term,Source language', 'a,b,Klingon'])).rejects.toThrow(
      'line 2: source_lang is not a supported language in column C (“Source language”); ',
    );
  });

  test('rows with more cells than the header are taken and named by line', async () => {
    const file = await read(['English,Español,Nota', 'clamp,abrazadera,a,b', 'hose,manguera']);
    expect(file.entries.map(({ targetTerm }) => targetTerm)).toEqual(['abrazadera', 'manguera']);
    expect(codesOf(file)).toEqual([['extra_cells', 2, undefined]]);
  });
});

describe('several terms in a cell', () => {
  test('are one preferred and further allowed translations, with a note', async () => {
    const file = await read(['English,Español,Nota', 'bearing,rodamiento; cojinete,']);
    expect(file.entries.map(({ targetTerm, status }) => [targetTerm, status])).toEqual([
      ['rodamiento', undefined],
      ['cojinete', 'allowed'],
    ]);
    expect(codesOf(file)).toEqual([['alternatives', 2, 'rodamiento; cojinete']]);
  });

  test('are one term in a file with the names of the API, such as an export', async () => {
    const file = await read(['source_term,target_term', '"net; total",total net; tout']);
    expect(file.entries.map(({ sourceTerm, targetTerm }) => [sourceTerm, targetTerm])).toEqual([
      ['net; total', 'total net; tout'],
    ]);
    expect(file.notes).toEqual([]);
  });

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
