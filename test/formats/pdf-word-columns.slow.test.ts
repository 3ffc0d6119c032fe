import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { type Made, madePdf } from './pdf-made.ts';

const line = (text: string, x: number, y: number, size = 8) =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET`;

const grid = (xs: number[], ys: number[]) =>
  [
    ...xs.map((x) => `${x} ${ys.at(-1)} m ${x} ${ys[0]} l S`),
    ...ys.map((y) => `${xs[0]} ${y} m ${xs.at(-1)} ${y} l S`),
  ].join('\n');

const courier: Made = ({ context }) =>
  context.register(
    context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Courier', Encoding: 'WinAnsiEncoding' }),
  );

/** Writes the text of pages as a Word file without a translation, and returns two of its parts. */
async function wordFile(...pages: string[][]): Promise<{ body: string; numbering: string }> {
  const bytes = await madePdf(
    ...pages.map((lines) => ({ content: lines.join('\n'), resources: { Font: { M: courier } } })),
  );
  const { segments } = await extract(bytes, { output: 'docx' });
  const translations = segments.map(({ regionId, cellId, source }) => ({ regionId, cellId, target: source }));
  const options = { sourceLanguage: 'en', targetLanguage: 'fr', output: 'docx' as const };
  const files = unzipSync((await rebuild(bytes, translations, options)).bytes);
  return {
    body: strFromU8(files['word/document.xml']!),
    numbering: strFromU8(files['word/numbering.xml']!),
  };
}

const textOf = (xml: string): string => xml.replace(/<w:tab\/>/g, '\t').replace(/<[^>]*>/g, '');
const paragraphsOf = (xml: string): string[] =>
  [...xml.matchAll(/<w:p>(.*?)<\/w:p>/gs)].map(([, content]) => textOf(content!));
const rowsOf = (xml: string): string[][] =>
  [...xml.matchAll(/<w:tr>(.*?)<\/w:tr>/gs)].map(([, row]) =>
    [...row!.matchAll(/<w:tc>(.*?)<\/w:tc>/gs)].map(([, cell]) => textOf(cell!)),
  );

const prose = (name: string, x: number, y: number): string[] => [
  line(`The ${name} paragraph has two lines and`, x, y),
  line(`ends with the name of the ${name} one.`, x, y - 9),
];

describe('columns and tables of a PDF in a Word file', () => {
  it('come one after the other, also if rows of their tables are next to each other', async () => {
    const row = (name: string, x: number, y: number) => [
      line(name, x, y),
      line('12', x + 70, y),
      line('34', x + 120, y),
    ];
    const { body } = await wordFile([
      ...prose('left', 30, 350),
      ...row('Apples', 30, 320),
      ...row('Pears', 30, 308),
      ...row('Plums', 30, 290),
      ...prose('last', 30, 260),
      ...row('Bread', 220, 350),
      ...row('Rolls', 220, 338),
      ...row('Cakes', 220, 320),
      ...prose('right', 220, 296),
    ]);
    const texts = paragraphsOf(body).filter((text) => text !== '' && !/^\d+$/.test(text));
    expect(texts.map((text) => /left|last|right|^\w+$/.exec(text)![0])).toEqual([
      ...['left', 'Apples', 'Pears', 'Plums', 'last'],
      ...['Bread', 'Rolls', 'Cakes', 'right'],
    ]);
    expect(rowsOf(body)).toHaveLength(6);
  });

  it('are a table if their lines are next to each other', async () => {
    const rows = [
      ['President:', 'Ada Lovelace'],
      ['Director:', 'Alan Turing'],
      ['Steward:', 'Grace Hopper'],
    ];
    const { body } = await wordFile([
      ...prose('first', 30, 350),
      ...rows.flatMap(([role, name], index) => [
        line(role!, 30, 320 - 12 * index),
        line(name!, 120, 320 - 12 * index),
      ]),
    ]);
    expect(rowsOf(body)).toEqual(rows);
  });

  it('are not cut by columns of text below them', async () => {
    const row = (cells: string[], y: number) => cells.map((text, index) => line(text, 30 + 95 * index, y));
    const rows = [
      ['Name', 'Price', 'Weight', 'Total'],
      ['Apples', '12.50', '3', '37.50'],
      ['Pears', '14.50', '2', '29.00'],
    ];
    const { body } = await wordFile([
      ...rows.flatMap((cells, index) => row(cells, 370 - 12 * index)),
      ...prose('left', 30, 330),
      ...prose('last', 30, 290),
      ...prose('right', 220, 326),
      ...prose('next', 220, 280),
    ]);
    expect(rowsOf(body)).toEqual(rows);
    const texts = paragraphsOf(body).filter((text) => text.startsWith('The'));
    expect(texts.map((text) => /left|last|right|next/.exec(text)![0])).toEqual([
      'left',
      'last',
      'right',
      'next',
    ]);
  });
});

describe('a cell between rules of a PDF', () => {
  it('is a cell of the Word file, wherever its text is in it', async () => {
    const { body } = await wordFile([
      grid([30, 120, 220, 330], [350, 310, 270]),
      line('Name of it', 34, 340),
      line('Price', 124, 325),
      line('Remark', 224, 315),
      line('Apples', 34, 300),
      line('12.50', 124, 278),
      line('Sweet and red', 224, 290),
    ]);
    expect(rowsOf(body)).toEqual([
      ['Name of it', 'Price', 'Remark'],
      ['Apples', '12.50', 'Sweet and red'],
    ]);
  });
});

describe('the place of a text of a PDF', () => {
  const placesIn = async (...pages: string[][]): Promise<Record<string, string>> => {
    const bytes = await madePdf(...pages.map((lines) => ({ content: lines.join('\n') })));
    const { segments } = await extract(bytes);
    return Object.fromEntries(segments.map(({ source, place }) => [plainText(source), place]));
  };

  it('is its cell, counted in each table, also if a row has fewer cells', async () => {
    const places = await placesIn([
      ...['Name', 'Price', 'Remark'].map((text, index) => line(text, 30 + 95 * index, 370)),
      ...['Apples', '12.50', 'Sweet'].map((text, index) => line(text, 30 + 95 * index, 358)),
      ...['Pears', '', 'Juicy'].map((text, index) => line(text, 30 + 95 * index, 346)),
      grid([30, 150, 330], [334, 320, 306]),
      ...['President', 'Ada Lovelace'].map((text, index) => line(text, 34 + 120 * index, 324)),
      ...['Director', 'Alan Turing'].map((text, index) => line(text, 34 + 120 * index, 310)),
    ]);
    expect(places).toMatchObject({
      Remark: 'page 1, table 1, row 1, column 3',
      Juicy: 'page 1, table 1, row 3, column 3',
      'Alan Turing': 'page 1, table 2, row 2, column 2',
    });
  });

  it('is the item of a list with its number, a heading or a footer; otherwise only the page', async () => {
    const footer = line('Notes of the club', 30, 12);
    const items = ['(1)', '(2)', 'o', '-'].flatMap((label, index) => [
      line(label, 30, 320 - 12 * index),
      line(`Item with ${['one', 'two', 'three', 'four'][index]} words`, 46, 320 - 12 * index),
    ]);
    const places = await placesIn(
      [footer],
      [line('Aims', 30, 380, 16), ...prose('first', 30, 350), ...items, footer],
    );
    expect(Object.values(places)).toEqual([
      ...['footer', 'heading'].map((part) => `page 2, ${part}`),
      'page 2',
      ...['list 1, item 1', 'list 1, item 2', 'list 2, item 1', 'list 2, item 2'].map(
        (part) => `page 2, ${part}`,
      ),
    ]);
  });
});

describe('lists of a PDF in a Word file', () => {
  it('are lists of Word, with their bullets, numbers and levels', async () => {
    const item = (label: string, text: string, x: number, y: number) => [
      line(label, x, y),
      line(text, x + 12, y),
    ];
    const { body, numbering } = await wordFile([
      line('The list begins here and has five items:', 30, 350),
      ...item('\\225', 'The first of the items of this list', 40, 336),
      ...item('3.', 'The third of some other items here', 60, 322),
      ...item('4.', 'The fourth of some other items here', 60, 308),
      ...item('\\225', 'The second of the items of this list', 40, 294),
    ]);
    const items = [...body.matchAll(/<w:ilvl w:val="(\d)"\/><w:numId w:val="(\d+)"\/>/g)];
    expect(items.map(([, level, id]) => [level, id])).toEqual([
      ['0', '1'],
      ['1', '2'],
      ['1', '2'],
      ['0', '1'],
    ]);
    expect(paragraphsOf(body)[2]).toBe('The third of some other items here');
    expect(numbering).toContain('<w:lvlText w:val="•"/>');
    expect(numbering).toContain(
      '<w:lvlOverride w:ilvl="1"><w:startOverride w:val="3"/></w:lvlOverride></w:num>',
    );
  });
});

describe('entries with dots in a Word file', () => {
  it('are paragraphs with a dotted tab, and keep a number that is drawn with its label', async () => {
    const { body } = await wordFile([
      `BT /F 8 Tf 30 350 Td [(1) -1500 (Introduction) -14000 (7)] TJ ET`,
      ...['First', 'Second', 'Third'].flatMap((name, index) => [
        line(`The ${name} part`, 46, 336 - 12 * index),
        line('. . . . . . . . . . . . . . . . . .', 110, 336 - 12 * index),
        line(String(8 + index), 220, 336 - 12 * index),
      ]),
    ]);
    expect(rowsOf(body)).toEqual([]);
    expect(paragraphsOf(body).filter((text) => text !== '')).toEqual([
      expect.stringMatching(/^1 Introduction\t7$/),
      'The First part\t8',
      'The Second part\t9',
      'The Third part\t10',
    ]);
    expect(body).toContain('<w:tab w:val="right" w:leader="dot"');
  });
});

describe('a page of a PDF in a Word file', () => {
  it('has no page number, although it is above the margin', async () => {
    const { body } = await wordFile([
      ...prose('first', 30, 350),
      ...prose('next', 30, 150),
      line('17', 190, 60),
    ]);
    expect(paragraphsOf(body)).not.toContain('17');
  });

  it('has centered headings', async () => {
    const { body } = await wordFile([line('A heading', 158, 360, 18), ...prose('first', 30, 330)]);
    expect(body).toMatch(/<w:pStyle w:val="Heading1"\/><w:jc w:val="center"\/>/);
  });

  it('has the blanks and indents of program listings', async () => {
    const code = (parts: [x: number, text: string][], y: number) =>
      parts.map(([x, text]) => `BT /M 10 Tf ${x} ${y} Td (${text}) Tj ET`).join('\n');
    const { body } = await wordFile([
      code(
        [
          [30, 'main\\(\\)'],
          [72, '{'],
        ],
        350,
      ),
      code([[54, 'printf\\("hi"\\);']], 338),
      code([[30, '}']], 326),
    ]);
    expect(body.replace(/<w:br\/>/g, '\n').replace(/<[^>]*>/g, '')).toContain(
      'main() {\n    printf("hi");\n}',
    );
  });
});
