import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { findListings } from '#server/formats/pdf/layout/paragraphs/listings.ts';
import type { TextLine } from '#server/formats/pdf/layout/paragraphs/text-lines.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { casesOf } from './cases.ts';
import { lines, mono, page, serif, text } from './pdf-page.ts';

/** The kept program listings of a page with these lines, and the texts to translate. */
function read(values: readonly string[], font = mono): { kept: string[]; translated: string[] } {
  const { blocks, kept } = findBlocks(page([lines(values, 50, 700, { font })]));
  return {
    kept: kept.filter(({ reason }) => reason === 'code').map(({ text }) => text),
    translated: blocks.map(({ content }) => plainText(content)),
  };
}

describe('a program listing is kept', () => {
  it.each<[language: string, lines: string[]]>(casesOf('pdf-listings.yaml', 'a program listing is kept'))(
    '%s',
    (_, program) => {
      expect(read(program)).toEqual({ kept: [program.map((line) => line.trim()).join(' ')], translated: [] });
    },
  );

  it('without the prose around it, though a line number is in the font of the prose', () => {
    const [number, words] = [text('1', 50, 680), 'The next line is a part of the program'];
    const program = lines(['var sum = add(one);', 'print(sum, "words");'], 60, 680, { font: mono });
    const { blocks, kept } = findBlocks(page([text(words, 50, 700), number, program]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual([words]);
    expect(kept.some(({ reason }) => reason === 'code')).toBe(true);
  });
});

describe('a text in any font is kept', () => {
  it.each<[what: string, lines: string[]]>(casesOf('pdf-listings.yaml', 'a text in any font is kept'))(
    '%s',
    (_, code) => {
      expect(read(code, serif)).toEqual({ kept: [code.join(' ')], translated: [] });
    },
  );
});

describe('a text about programs in any font is translated', () => {
  it.each<[what: string, lines: string[]]>([
    ['a sentence', ['git is the program that we use.']],
    ['a quoted label', ['"Note": see the page below']],
    ['a single word', ['exit']],
    ['entries', ['The class Item is in the namespace', 'x = the mean', 'public offices', 'print the words']],
    ['an order', ['make sure that the words are here']],
  ])('%s', (_, prose) => {
    for (const font of [serif, mono]) expect(read(prose, font).kept).toEqual([]);
  });
});

describe('a text in a fixed-width font is translated', () => {
  it.each<[what: string, lines: string[]]>([
    [
      'a receipt',
      ['Cashier: Emily', 'Hub 7-in-1 (grey) 2 @ $79.99', 'Total = $ 159.98', 'Thank you! www.shop.com ====='],
    ],
    [
      'a letter',
      ['Dear Sir or Madam,', 'if you agree: return the form(s);', 'for all others, call (020) 123.'],
    ],
    ['a contract', ['The buyer (the Client) pays;', 'the seller delivers;', 'return of goods is free;']],
    ['a form', ['Service Term(运输条款):CY-CY', 'TEL(电话): 1822', 'SALES(业务员): SA203']],
    ['an address', ['Names and prices', '<http://free-culture.org/get-it>']],
    ['the version of a form', ['CT600(2015) Version 3']],
    [
      'a letter with two statements',
      [...Array(8).fill('Dear all, this is a letter'), 'print(one);', 'print(two);'],
    ],
    ['a quotation', ['"Note": see the page below']],
    ['a score sheet', ['Quality 0 1 2 3 4 5 /5', 'Sharpness 0 1 2 3 4 5 /10', 'Reporting 0 1 2 3 /15']],
    ['one assignment', ['The result is', 'sum = add(one)', 'if you count']],
  ])('%s', (_, prose) => {
    expect(read(prose).kept).toEqual([]);
  });
});

it('two lines of a program in letters of different widths are translated, like prose about programs; four are not', () => {
  const program = ['for (var i = 0; i < 10; i++) {', 'print(words);'];
  expect(read(program, serif).kept).toEqual([]);
  const spaced = [
    'for ( v a r i = 0 ; i < 10; i++) {',
    'l i s t . put (',
    'i , words) ;',
    '}',
    'print (words) ;',
    'run();',
  ];
  const prose = ['The words of a book are printed here:', 'and these words are read by the next program.'];
  const { kept, translated } = read([prose[0]!, ...spaced, prose[1]!], serif);
  expect(kept).toEqual([spaced.join(' ')]);
  expect(translated).toEqual(prose);
  expect(
    read(['a) the buyer (the Client);', 'b) the seller (Firm);', 'c) a bank (Bank);', 'd) a court;'], serif)
      .kept,
  ).toEqual([]);
});

it.each([
  [['name_of_client = Mr Smith', 'date_of_birth = 12 May', 'rate_a = nominal rate - tax', 'x_y = z']],
  [['controls(n = 20)', 'smokers(n = 25)', 'f(x = 0) = 1 and', 'private class action']],
])('%s are definitions and groups, not a program', (values) => {
  expect(read(values, serif).kept).toEqual([]);
});

it('a line of any length is read in a bounded time', async () => {
  const line = { text: 'SELECT '.repeat(100_000), isMono: true, isUniform: true, glyphs: [] };
  const long = [line, { ...line }].map((own, row) => ({ ...own, size: 10, baseline: -12 * row }));
  expect(await cpuTime(() => findListings(long as unknown as TextLine[]))).toBeLessThan(1000);
});
