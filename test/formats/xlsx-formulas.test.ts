import { describe, expect, it, test } from 'vitest';
import { renameInFormula } from '#server/formats/xlsx/formula.ts';
import { NewNames } from '#server/formats/xlsx/names.ts';
import { cpuTime } from '../setup/cpu-time.ts';
import { casesOf } from './cases.ts';

const names = new NewNames();
names.addSheet('Sheet1', 'Hoja 1');
names.addSheet('Sheet2', 'Sheet2');
names.addSheet('Sheet3', "L'été");
names.addSheet('Sheet4', 'Été');
names.addSheet('Sheet5', 'Год_2.1');
names.addSheet("My 'own'", 'Own');
names.addSheet('データ', 'R1');
names.addColumn('Sales', 'Price', 'Precio [€] #1');
names.addColumn('Sales', 'Sales Amount', 'Importe');
names.addColumn('Sales', 'a]b', "x'y");
names.addColumn('Sales', 'A', 'Ñ');
names.addColumn('Sales', 'B', '@ B');

const renamed = (formula: string): string => renameInFormula(formula, names).text;

describe('the new name of a sheet', () => {
  it.each<[string, string, string]>(casesOf('xlsx-formulas.yaml', 'the new name of a sheet: is written'))(
    'is written %s',
    (_, formula, expected) => {
      expect(renamed(formula)).toBe(expected);
    },
  );

  it.each([
    ['a text', '"Sheet1!A1 ""Sheet1!"""'],
    ['another workbook', "[1]Sheet1!A1+'[2]Sheet1'!A1+'C:\\a\\[b.xlsx]Sheet1'!A1+[1]Other:Sheet3!A1"],
    ['a sheet that keeps its name', 'Sheet2!A1'],
    ['a longer name', 'MySheet1!A1+Sheet1_!A1+Sheet1.x!A1'],
    ['a name in an array', '{"Sheet1!",1;2,#N/A}'],
    ['a function or a defined name', 'Sheet1(1)+Sheet1'],
    ['a text without an end', '"Sheet1!A1'],
  ])('is not written into %s', (_, formula) => {
    expect(renamed(formula)).toBe(formula);
  });
});

describe('the new name of a column', () => {
  it.each([
    ['alone, in any letter case', 'SUM(sales[SALES AMOUNT])', 'SUM(sales[Importe])'],
    ['with special characters, escaped', 'Sales[Price]', "Sales[Precio '[€'] '#1]"],
    ['in double brackets, if it begins with @', 'Sales[B]', 'Sales[[@ B]]'],
    ['of this row', 'Sales[[#This Row],[Price]]', "Sales[[#This Row],[Precio '[€'] '#1]]"],
    ['of this row, in the short form', 'Sales[@A]+Sales[@[Sales Amount]]', 'Sales[@Ñ]+Sales[@[Importe]]'],
    ['at both ends of a range', 'Sales[[A]:[Price]]', "Sales[[Ñ]:[Precio '[€'] '#1]]"],
    ['after several keywords', 'Sales[[#Data],[#Totals],[A]]', 'Sales[[#Data],[#Totals],[Ñ]]'],
    ['for an escaped name', "Sales[a']b]", "Sales[x''y]"],
  ])('is written %s', (_, formula, expected) => {
    expect(renamed(formula)).toBe(expected);
  });

  it.each([
    ['another table', 'Other[Price]+Sales2[Price]'],
    ['a table of another workbook', "[1]!Sales[Price]+'[b.xlsx]x'!Sales[Price]"],
    ['keywords', 'Sales[#All]+Sales[]+Sales'],
    ['brackets without an end', 'Sales[Price'],
  ])('is not written into %s', (_, formula) => {
    expect(renamed(formula)).toBe(formula);
  });
});

test.each([
  ['INDIRECT("Sheet1!A"&ROW())', true],
  ['INDIRECT("\'"&B1&"\'!A1")', true],
  ['INDIRECT(A1)', true],
  ['HYPERLINK("#"&A1,"x")', true],
  ['[@Price]*2', true],
  ['INDIRECT("B"&ROW())', false],
  ['HYPERLINK(A1,"x")&HYPERLINK("https://example.org/#a!b"&A1)', false],
  ['INDIRECT("Sheet1!A1")', false],
  ['SUM(Sheet1!A1)', false],
])('%s: whether a reference made from texts may keep an old name is %s', (formula, isUnsure) => {
  expect(renameInFormula(formula, names).isUnsure).toBe(isUnsure);
});

test('reading a hostile formula takes time in proportion to its length', async () => {
  const pieces = [
    "'a",
    "'",
    '"',
    '[',
    'S[',
    'Sales[[A],',
    'a:',
    "'a':",
    'A!',
    '[1]',
    'INDIRECT(',
    'HYPERLINK("#',
  ];
  const time = await cpuTime(() => {
    for (const piece of pieces) renamed(piece.repeat(Math.floor(60_000 / piece.length)));
  });
  expect(time).toBeLessThan(2_000);
  expect(renameInFormula('A1+'.repeat(30_000), names)).toEqual({
    text: 'A1+'.repeat(30_000),
    isUnsure: true,
  });
});
