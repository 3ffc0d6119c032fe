import { describe, expect, it } from 'vitest';
import { formatTagged, plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { ShownText, StructureElement } from '#server/formats/pdf/page-content.ts';
import { bold, lines, mono, page, serif, text, widthOf } from './pdf-page.ts';

const read = (...texts: (ShownText | ShownText[])[]): string[] =>
  findBlocks(page(texts)).blocks.map(({ content }) => plainText(content));
/** Declares each text as a paragraph. */
const asParagraphs = (texts: ShownText[]): ShownText[] =>
  texts.map((shown) => ({ ...shown, element: { type: 'P' } satisfies StructureElement }));

const sentence = [
  'The committee met in the spring of that year and agreed on the plan that its members and the',
  'Department of Agriculture had discussed, although several of the farmers of the county who were',
  'present did not.',
];

describe('a sentence is one block', () => {
  it('if it is a title that is declared as one heading, or continues in the next one of the same level', () => {
    const titled = (values: string[], type: string, isOne: boolean) => {
      const whole: StructureElement = { type };
      return lines(values, 50, 700, { font: bold }).map((shown) => ({
        ...shown,
        element: isOne ? whole : { type },
      }));
    };
    const title = ['PERSONAL TAX PAYMENT', 'VOUCHER FOR IT', '502/505, ESTIMATED'];
    const body = lines(sentence, 50, 500);
    expect(read(titled(title, 'H1', true), body)[0]).toBe(title.join(' '));
    expect(read(titled(title, 'P', true), body)).toContain(title[0]);
    const torn = ['E-FILE DECLARATION', 'FOR ELECTRONIC FILING'];
    expect(read(titled(torn, 'H1', false), body)[0]).toBe(torn.join(' '));
    expect(read(titled(title, 'H1', false), body)).toContain(title[0]);
  });

  it('if the space between its lines is almost twice their size, but not if there is room for a line', () => {
    expect(read(lines(sentence, 50, 700, { leading: 28 }))).toEqual([sentence.join(' ')]);
    expect(read(lines(sentence, 50, 700, { leading: 33 }))).toHaveLength(3);
  });

  it('next to the rows of a table with another distance between them', () => {
    const numbers = [380, 440].map((x) => lines(['9.4', '1.4', '7.1', '5.0'], x, 700.8, { leading: 11.2 }));
    expect(read(lines(sentence, 20, 700, { size: 8 }), ...numbers)).toContain(sentence.join(' '));
  });

  it('if it starts with a line in bold and continues in small letters', () => {
    const start =
      'From the leaders of all communities of the county, and from all other groups that can work for it:';
    const rest = `local ${sentence[1]}`;
    expect(read(text(start, 50, 712, { font: bold }), lines([rest, sentence[2]!], 50, 700))).toEqual([
      [start, rest, sentence[2]].join(' '),
    ]);
  });

  it('if each line of a title is declared as a paragraph, but not the version below a title', () => {
    const body = lines(sentence, 50, 500, { size: 6 });
    const title = (second: string) =>
      ['A Cancer Example: Using VA', second].map((value, row) =>
        text(value, 300 - 15 * widthOf(value), 700 - 34 * row, { size: 30 }),
      );
    expect(read(asParagraphs(title('Databases for Research')), body)[0]).toBe(
      'A Cancer Example: Using VA Databases for Research',
    );
    expect(read(asParagraphs(title('Version 1.0')), body)).toContain('Version 1.0');
  });

  it('if a line of an item with a bullet starts with a dash between spaces, although it hangs', () => {
    const hanging = [`— ${sentence[0]!.slice(4)}`, 'farmers of the county, who did not.'];
    const found = read(text(`• ${sentence[1]}`, 50, 700), lines(hanging, 60, 688));
    expect(found).toEqual([[sentence[1], ...hanging].join(' ')]);
  });

  it('if a line starts with a variable whose character is unknown, in another font, after an indented line', () => {
    const variable = text('\ufffd', 50, 688, { font: mono });
    for (const glyph of variable.glyphs) glyph.symbol = 7;
    const rest = text(` of ${sentence[0]!.slice(4)}`, 50 + 10 * widthOf('\ufffd'), 688);
    const last = text(
      'farmers of the county who were present, although several of them did not agree.',
      50,
      676,
    );
    const found = read(text(`The ${sentence[1]}`, 60, 700), [variable, rest], last);
    expect(found).toHaveLength(1);
  });

  it('if a box to check is after each of its last words, which is a tag of the block', () => {
    const last = 'present did not. Yes';
    const right = 50 + 10 * widthOf(last);
    const boxes = [text('☒', right + 4, 676), text('No', right + 18, 676), text('☐', right + 32, 676)];
    const found = findBlocks(page([lines([...sentence.slice(0, 2), last], 50, 700), boxes])).blocks;
    expect(found.map(({ content }) => formatTagged(content))).toEqual([
      expect.stringMatching(/present did not\. Yes <\d+\/> No <\d+\/>$/),
    ]);
  });

  it('if a line starts with a dash', () => {
    const dashed = [
      sentence[0]!,
      'owners of the farms of the county had discussed, although several of the farmers of the state',
      '— even those who had been present at all of the meetings of the years before — were not told',
      'about it.',
    ];
    expect(read(lines(dashed, 50, 700))).toHaveLength(1);
    expect(read(lines([sentence[0]!, '— its plan', '— its members'], 50, 700)).length).toBeGreaterThan(1);
  });

  it('if its second and last line hangs and starts with a capital', () => {
    const item = [text(sentence[0]!, 50, 700), text('Department of Agriculture had discussed.', 70, 688)];
    expect(read(item)).toHaveLength(1);
  });

  it('if its last word is completely to the left of its indented first line', () => {
    const first = 'The committee met in the spring of that year and agreed on the plan that its members and';
    const found = (word: string) => read(text(first, 86, 700), text(word, 50, 688));
    expect(found('farmers.')).toEqual([`${first} farmers.`]);
    expect(found('Farmers')).toHaveLength(2);
  });

  it('if a name follows a blank after a preposition, but not if a label is before the blank', () => {
    const found = (start: string) => read(lines([`${start} ________ Uplift`, `and ${sentence[1]}`], 50, 700));
    expect(found('In return for being allowed to participate in')).toHaveLength(1);
    expect(found('Name of the person')[0]).toBe('Name of the person');
    // Each blank reads only the words next to it.
    const row = text('____A in '.repeat(6000), 50, 700);
    const start = process.cpuUsage().user;
    read(row);
    expect((process.cpuUsage().user - start) / 1000).toBeLessThan(5000);
  });

  it('if its author ended a line of a declared paragraph, but not a list of such lines', () => {
    const declared = (values: string[]) => {
      const element: StructureElement = { type: 'P' };
      const own = lines(values, 50, 688).map((shown) => ({ ...shown, element }));
      return read(asParagraphs(lines([`${sentence[0]} same`], 50, 700)), own).slice(1);
    };
    const ended = [sentence[0]!, 'office of the county, and with the', ...sentence.slice(1)];
    expect(declared(ended)).toHaveLength(1);
    const names = [
      'The names of all the members who were present here include Jon Lee',
      'Ann Wang',
      'Bob Ray',
    ];
    expect(declared(names)).toEqual(names);
  });

  it('next to a line that is longer than its column', () => {
    const words = '委員会計画関詳文書次頁掲載必参照申込下記農業省議論春年会員合意場合多数農民郡出席';
    const column = Array.from({ length: 7 }, (_, row) =>
      [...words, ...words].slice(5 * row, 5 * row + 25).join(''),
    );
    column[3] = 'compatible controller of the devices at https://example.org/a/long/address';
    expect(read(lines(column, 50, 700))).toHaveLength(1);
  });

  it('if it starts in larger small capitals', () => {
    const start = 'AN ACT TO PREVENT THE SPREAD OF FIRES IN THE FORESTS OF THE STATES. ';
    const rest = 'In this part, the term';
    const from = 50 + 10 * widthOf(start);
    expect(
      read([
        text(start, 50, 700),
        text(rest, from, 700, { size: 8 }),
        text('forest means each piece of land that is described in a part of section 4.', 50, 688, {
          size: 8,
        }),
      ]),
    ).toHaveLength(1);
  });

  it('if a link ends its full line and the next line has no capitals', () => {
    const above = '委員会の計画に関する詳しい文書は、次のページに掲載されていますので、必ず';
    const link = text('参照', 50 + 10 * widthOf(above), 700, { color: '0 0 1 rg' });
    expect(read(text(above, 50, 700), link, text('した上で申し込んでください', 50, 688))).toHaveLength(1);
  });
});

it('a heading with Latin letters in another font is apart from its text, which starts with Latin letters', () => {
  const heading = [
    text('GP', 50, 700, { font: { ...bold, family: 'sans' } }),
    text('责任', 60, 700, { font: bold }),
  ];
  const full = '的责任限于其出资承诺'.repeat(4);
  const body = [
    text('LPLP', 50, 688, { font: { ...serif, family: 'sans' } }),
    text(`${full}对`, 70, 688),
    ...lines([`${full}对基`, '任何债务的责任'], 50, 676),
  ];
  expect(read(...heading, ...body)).toHaveLength(2);
});

describe('an item starts', () => {
  it('but not at the sign before each line of a text', () => {
    expect(
      read(lines(['# By default, the repositories of the', '# servers are checked with a key.'], 50, 700)),
    ).toHaveLength(1);
  });

  it('after a box to check at the end of a line', () => {
    expect(
      read(lines(['The seller is a shell company ☒', 'Number of the shares outstanding'], 50, 700)),
    ).toHaveLength(2);
  });
});
