import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { findListings } from '#server/formats/pdf/layout/paragraphs/listings.ts';
import type { TextLine } from '#server/formats/pdf/layout/paragraphs/text-lines.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
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
  it.each<[language: string, lines: string[]]>([
    ['JavaScript', ['for (var i = 0; i < 10; i++) {', '  print(i);', '}']],
    [
      'Python',
      ['import layout as lp', 'image = cv2.imread("image_file") # load images', 'model = lp.Model('],
    ],
    ['C', ['#include <stdio.h>', 'the main program', 'int main(void) {', '  printf("hello, world");', '}']],
    [
      'SQL',
      [
        '-- Active masks of the table',
        'SELECT name FROM EMPLOYEES',
        'ALTER TABLE EMPLOYEES',
        'ACTIVATE ROW ACCESS CONTROL',
      ],
    ],
    ['HTML', ['<title>Names</title>', 'Some words of text', '</body>']],
    ['JSON', ['{', '"name": "Main pump",', '"flow": "high"', '}']],
    [
      'Python with comments',
      [
        '# Get all links of the current page',
        '# and follow each of them',
        'ln = page.load()',
        '# Links are in a list',
        '# to see what there is',
        'while ln:',
        'print ln',
        'ln = ln.next',
      ],
    ],
    ['a call', ['pix.writePNG("test of words")']],
    ['a shell', ['$ npm install words', '$ ./run all the words']],
    ['one line', ['console.log(add(three, five));']],
    ['a declaration', ['int x = 42; int* p = &x;']],
    ['a command', ['wget https://example.org/words.txt']],
    [
      'commands of a shell',
      ['git config --global user.name "Your Name"', 'git config --global core.editor vim', 'exit'],
    ],
    ['commands with a prompt', ['target# ln -sf /usr/bin/words \\', '/lib/words', 'target# reboot -f']],
    ['PowerShell', ['Connect-MsolService -Credential $cred', 'Get-MsolUser']],
    ['a grammar', ['columnSpec ::= size', 'rowSpec ::= size | componentSize']],
    ['a path', ['/usr/bin/words/server_one']],
    [
      'an assembler with comments at a tab',
      ['mov eax, 1', 'cmp eax, ebx', 'jne side_exit', 'one word for the reader'],
    ],
  ])('%s', (_, program) => {
    expect(read(program)).toEqual({ kept: [program.map((line) => line.trim()).join(' ')], translated: [] });
  });

  it('without the prose around it, though a line number is in the font of the prose', () => {
    const [number, words] = [text('1', 50, 680), 'The next line is a part of the program'];
    const program = lines(['var sum = add(one);', 'print(sum, "words");'], 60, 680, { font: mono });
    const { blocks, kept } = findBlocks(page([text(words, 50, 700), number, program]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual([words]);
    expect(kept.some(({ reason }) => reason === 'code')).toBe(true);
  });
});

describe('a text in any font is kept', () => {
  it.each<[what: string, lines: string[]]>([
    ['commands', ['mkdir -p ~/words', 'conda init', 'exit']],
    ['one command with an address', ['git clone https://example.org/words.git']],
    [
      'a script',
      [
        't_low = stats.ppf(0.9, df=n)',
        'ci_low = mean - t_low',
        'print("Low: " + s)',
        'options(width = 14, digits = 3)',
      ],
    ],
    [
      'a class',
      [
        'namespace Shop.Data',
        'public class Item : Context',
        '{',
        'public Set<Size> All { get; set; }',
        'private int count;',
      ],
    ],
    ['data', ['"title": "Some words",', '"notes": {', '"first_note": "Words",', '}']],
  ])('%s', (_, code) => {
    expect(read(code, serif)).toEqual({ kept: [code.join(' ')], translated: [] });
  });
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
