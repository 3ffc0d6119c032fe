import { describe, expect, it } from 'vitest';
import { formatTagged } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent, ShownText, TextFont } from '#server/formats/pdf/page-content.ts';
import { page, rule, serif, text, widthOf } from './pdf-page.ts';

const variables: TextFont = { ...serif, name: 'CMMI10', italic: true };
const signs: TextFont = { ...serif, name: 'CMSY10' };
const large: TextFont = { ...serif, name: 'CMEX10' };
const italic: TextFont = { ...serif, name: 'Times-Italic', italic: true };

type Part = string | { text: string; font: TextFont; size?: number; rise?: number };
const variable = (value: string): Part => ({ text: value, font: variables });
const sub = (value: string): Part => ({ text: value, font: variables, size: 7, rise: -2 });

/** Parts of a line one after the other, each of 10 points unless it has another size. */
function line(parts: readonly Part[], x = 50, y = 700): ShownText[] {
  let left = x;
  return parts.map((part) => {
    const {
      text: value,
      font,
      size = 10,
      rise = 0,
    } = typeof part === 'string' ? { text: part, font: serif } : part;
    const shown = text(value, left, y + rise, { font, size });
    left += size * widthOf(value);
    return shown;
  });
}

const read = (...content: ShownText[][]): string[] =>
  findBlocks(page(content)).blocks.map((block) => formatTagged(block.content));
const keptOf = (content: PageContent): [string, string][] =>
  findBlocks(content).kept.map(({ reason, text: kept }) => [reason, kept]);

describe('a formula in a sentence is drawn as in the source', () => {
  it.each<[string, Part[], string]>([
    ['a variable', ['Let ', variable('p'), ' be a prime number'], 'Let <1/> be a prime number'],
    [
      'a formula with its subscripts, operators and spaces, as one tag',
      [
        'Suppose that ',
        variable('a'),
        sub('i'),
        { text: ' ≤ ', font: signs },
        '2',
        variable('b'),
        ' holds here',
      ],
      'Suppose that <1/> holds here',
    ],
    [
      'the arguments in brackets',
      ['The value ', variable('f'), '(', variable('x'), ', ', variable('y'), ') of the map is small'],
      'The value <1/> of the map is small',
    ],
    [
      'a list of variables, of which each is a formula',
      ['There are numbers ', variable('a'), ', ', variable('b'), ' and (', variable('c'), ').'],
      'There are numbers <1/>, <2/> and <3/>.',
    ],
    [
      'a subscript of several letters, which are shown one by one',
      ['The map ', variable('f'), sub('x'), sub('y'), sub('z'), '  is continuous'],
      'The map <1/> is continuous',
    ],
    ['a part of a compound', ['The ', variable('K'), '-theory of rings'], 'The <1/>-theory of rings'],
  ])('%s', (_, parts, expected) => {
    expect(read(line(parts))).toEqual([expected]);
  });

  it('with all its glyphs, the accents too, at their places', () => {
    const parts = line(['The mean of ', variable('x'), sub('i'), ' is small']);
    const accent = text('¯', parts[1]!.matrix[4], 700, { font: serif });
    const [block] = findBlocks(page([parts, accent])).blocks;
    const { parts: moved, width } = block!.moved.get(1)!;
    expect(moved.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [0, 0],
      [5, -2],
    ]);
    expect(width).toBe(8.5);
  });

  it('with an accent that is raised to the top of its letter', () => {
    const parts = line(['The transform of ', variable('f'), ' is small']);
    const accent = text('¯', parts[1]!.matrix[4], 703, { font: serif });
    const { blocks, kept } = findBlocks(page([parts, accent]));
    expect(blocks.map((block) => formatTagged(block.content))).toEqual(['The transform of <1/> is small']);
    expect(blocks[0]!.moved.get(1)!.parts.map(({ y }) => y)).toEqual([0, 3]);
    expect(kept).toEqual([]);
  });

  it('with its fraction bar, whose painted rule is removed', () => {
    const half = (value: string, rise: number): Part => ({ text: value, font: variables, size: 7, rise });
    const [before, over, under, after] = line(['The half ', half('a', 4), half('b', -3.5), ' is small']);
    const left = over!.matrix[4];
    under!.matrix = [7, 0, 0, 7, left, 696.5];
    const bar = { ...rule(left, 702.3, left + 3.5, 702.7), place: { use: 0, start: 0, end: 1 } };
    const [block] = findBlocks(page([[before!, over!, under!, after!]], [bar])).blocks;
    expect(formatTagged(block!.content)).toBe('The half <1/> is small');
    const { left: x, bottom } = block!.moved.get(1)!.bars![0]!.box;
    expect([x, Math.round(10 * bottom)]).toEqual([0, 23]);
    expect(block!.rules).toEqual([bar]);
  });

  it('that ends at the end of a line', () => {
    const wide = line(['The first line of this paragraph is about the number ', variable('a')]);
    const next = line([variable('b'), ' and the other line is about the other number.'], 50, 688);
    expect(read(wide, next)[0]).toMatch(/number <1\/> <2\/> and the other line/);
  });

  it('with signs whose characters are not known', () => {
    const parts = line(['We take ', { text: '\ufffd', font: signs }, variable('x'), ' in this text']);
    parts[1]!.glyphs[0]!.symbol = 7;
    expect(read(parts)).toEqual(['We take <1/> in this text']);
  });

  it('but the label below a brace has no part of the brace', () => {
    const brace = line([{ text: '\ufffd\ufffd', font: large, rise: 10 }], 80);
    for (const glyph of brace[0]!.glyphs) glyph.symbol = 123;
    expect(read([text('Total production of wheat', 50, 700, { size: 8 })], brace)).toEqual([
      'Total production of wheat',
    ]);
  });

  it('with a large sign that hangs below its baseline', () => {
    const parts = line([
      'The sum ',
      { text: '\ufffd', font: large, rise: 7.5 },
      variable('x'),
      ' is finite here',
    ]);
    parts[1]!.glyphs[0]!.symbol = 80;
    expect(read(parts)).toEqual(['The sum <1/> is finite here']);
  });

  it('but not the digits and the punctuation of other texts in a font with all characters', () => {
    const other = (value: string): Part => ({ text: value, font: { ...serif, name: 'CambriaMath' } });
    expect(read(line(['A well', other('-'), 'known list of ', other('10'), ' items']))).toEqual([
      'A well-known list of 10 items',
    ]);
    expect(read(line(['We paid 40 ', other('×'), ' $85 per hour']))).toEqual(['We paid 40 × $85 per hour']);
    expect(read(line([other('All the text is in this font')]))).toEqual(['All the text is in this font']);
  });

  it('and does not change the face of its text', () => {
    const parts = line(['We take ', variable('abcdefghijklmnop'), ' here']);
    expect(findBlocks(page([parts])).blocks[0]!.style.italic).toBe(false);
  });
});

describe('a formula on its own stays as it is', () => {
  it('if its variables are adjacent, so that they look like words', () => {
    expect(keptOf(page([line([variable('λpδk')])]))).toEqual([['formula', 'λpδk']]);
  });

  it('if it is displayed between the lines of a text', () => {
    const above = line(['The value of the function that we look for in this part is then'], 50, 700);
    const displayed = line(
      [variable('f'), '(', variable('x'), ')', { text: ' = ', font: signs }, '1'],
      150,
      688,
    );
    const below = line(['where the number is taken from the table of the other section'], 50, 676);
    const content = page([above, displayed, below]);
    expect(findBlocks(content).blocks).toHaveLength(2);
    expect(keptOf(content)).toEqual([['formula', 'f(x) = 1']]);
  });

  it('if its variables are in the italic font of the text', () => {
    const script = (value: string, rise: number): Part => ({ text: value, font: italic, size: 7, rise });
    const shown = line([
      { text: 'ae', font: italic },
      script('abc', -2),
      '(',
      { text: 't', font: italic },
      ')',
    ]);
    expect(keptOf(page([shown]))).toEqual([['formula', 'aeabc(t)']]);
  });
});
