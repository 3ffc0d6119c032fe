import { describe, expect, it } from 'vitest';
import { lines, mono, page, plainTexts as read, serif, text, widthOf } from './pdf-page.ts';

/** Words on one baseline, each `gap` points after the one before it. */
const words = (values: readonly string[], gap: number, y: number) => {
  let x = 50;
  return values.map((value) => {
    const shown = text(value, x, y);
    x += 10 * widthOf(value) + gap;
    return shown;
  });
};

it('a row is not split at the space between words of code, which is wider than the others of a tight line', () => {
  const before = 'A line of running text whose words are close to each other, and';
  const end = 50 + 10 * widthOf(before);
  const row = (font: typeof mono) => {
    const [first, second] = ['--enable', 'bootps'];
    const at = end + 2.5;
    return [
      text(before, 50, 700),
      text(first, at, 700, { font }),
      text(second, at + 10 * widthOf(first) + 9, 700, { font }),
    ];
  };
  expect(read(page(row(mono)))).toEqual([`${before} --enable bootps`]);
  expect(read(page(row(serif)))).toEqual([`${before} --enable`, 'bootps']);
});

it('a row is not split at the wide spaces after two sentences that are above each other', () => {
  const rows = [
    ['However, the split between the groups of the society was far from resolved, and the actions', ''],
    ['taken by the old council in that year made the problem worse.', 'When it set out its mandate, the'],
    ['taken by the old council in that year made the problem worse.', 'The council then joined those of'],
    ['Mosul, with its people, and Baghdad into one unit, in a country with over fifty percent of the', ''],
  ];
  const at = 57 + 10 * widthOf(rows[1]![0]!);
  const shown = rows.flatMap(([first, second], row) => [
    text(first!, 50, 700 - 12 * row),
    ...(second ? [text(second, at, 700 - 12 * row)] : []),
  ]);
  expect(read(page(shown))).toEqual([rows.flat().join(' ').trim().replaceAll('  ', ' ')]);
});

describe('a row is split', () => {
  it('at a narrow gutter, at which the rows above and below have a gap, too', () => {
    const left = [
      'Vouchers are valid from the day',
      'after their purchase, for members.',
      'The merchant has collected all',
    ];
    const gutter = 50 + Math.max(...left.map((line) => 10 * widthOf(line))) + 6;
    const right = ['All guests under the age of', 'eighteen must have a waiver', 'signed by a parent.'];
    const whole = [left.join(' '), right.join(' ')];
    expect(read(page([lines(left, 50, 700), lines(right, gutter, 700)]))).toEqual(whole);
  });

  it('at a narrow gutter between words that are above each other', () => {
    const heads = [words(['Weight', 'Control'], 6, 700), words(['Growth', 'Average'], 6, 688)];
    expect(read(page(heads))).toEqual(['Weight', 'Control', 'Growth', 'Average']);
  });

  it('at a tab between two labels of a row with more cells', () => {
    const heads = [...words(['Qty', 'Price'], 15, 700), text('Tax', 200, 700)];
    expect(read(page([heads]))).toEqual(['Qty', 'Price', 'Tax']);
    expect(read(page([words(['Chapter', 'Introduction'], 15, 700)]))).toHaveLength(1);
  });

  it('at the first of several figures in cells, but not at a number in a sentence', () => {
    const name = words(['Culture and development', '11/12'], 15, 700);
    const below = text('of the media', 50, 688);
    const figures = ['08.00', '13.54'].map((figure, column) => text(figure, 260 + 50 * column, 700));
    expect(read(page([name, figures, below]))).toEqual(['Culture and development of the media']);
    expect(read(page([name, below]))).toEqual(['Culture and development 11/12 of the media']);
  });

  it('at all gaps that are much wider than the spaces of its labels', () => {
    const labels = ['is requesting:', 'FOOD', 'CASH', 'CHILD CARE', 'EMERGENCY RELIEF'];
    expect(read(page([words(labels, 14, 700)]))).toEqual(labels);
  });

  it('at a gap that is much wider than the spaces of the page', () => {
    const labels = words(['National', 'Married'], 9, 700);
    expect(read(page([labels, text('The form has few words in this row', 50, 600)]))).toContain('Married');
  });
});

describe('a row of short texts is split', () => {
  it('at gaps of three blanks, if all others have one blank', () => {
    const codes = ['N = Never married', 'M = Married', 'W = Widowed'];
    expect(read(page([text(codes.join('   '), 50, 700)]))).toEqual(codes);
    expect(read(page([text('Married   or  Widowed   now', 50, 700)]))).toHaveLength(1);
    expect(read(page([text('a loss of   their   colors', 50, 700)]))).toHaveLength(1);
  });

  it('before a letter with the sign of a currency', () => {
    expect(read(page([words(['See Instruction 10', 'A. $'], 9, 700)]))).toContain('See Instruction 10');
  });
});

describe('a row stays whole', () => {
  it('if it is an indented line that ends with the lines below it', () => {
    const first = ['children', 'forest', 'studies', 'resources'];
    const next = 'of its members were in the plans of those, and more';
    const right = 50 + 10 * widthOf(first.join('')) + 9 * (first.length - 1);
    const below = text(next, right - 10 * widthOf(next), 688);
    expect(read(page([words(first, 9, 700), below]))).toHaveLength(1);
  });

  it('if all its spaces are wide, and only one of them is below another one', () => {
    const justified = [
      ['every', 'night', 'you', 'trod'],
      ['before', 'lady', 'comes', 'here'],
    ];
    const texts = justified.map((line, row) => words(line, 9, 700 - 12 * row));
    expect(read(page(texts))).toEqual([justified.flat().join(' ')]);
  });

  it('if all its spaces are wide, and its letters are apart', () => {
    const spacing = 0.2;
    const spaced = (values: readonly string[], gap: number, y: number) => {
      let x = 50;
      return values.map((value) => {
        const shown = text(value, x, y, { spacing });
        x += 10 * (widthOf(value) + spacing * value.length) + gap;
        return shown;
      });
    };
    const rows = [
      text('The institute of forest studies and water resources', 50, 712),
      spaced(['Verification', 'suites', 'and', 'it', 'is'], 16, 700),
      spaced(['verifications', 'suites', 'by', 'our', 'own'], 9, 688),
      text('The institute of forest studies and water resources', 50, 676),
    ];
    expect(read(page(rows.flat())).join(' ')).toContain('Verification suites and it is');
  });

  it('if all its gaps are as wide as a narrow gutter', () => {
    const rows = [
      ['every', 'night', 'you', 'trod'],
      ['which', 'girls', 'had', 'left'],
    ].map((line, row) => words(line, 6, 700 - 12 * row));
    expect(read(page(rows))).toHaveLength(1);
  });
});

describe('two columns of text stay two texts', () => {
  it('if the text of their lines continues', () => {
    const option = ['Asian (for example, Chinese, Indian,', 'Japanese, and others)'];
    const content = page([lines(option, 50, 700), lines(option, 300, 700)]);
    expect(read(content)).toEqual([option.join(' '), option.join(' ')]);
  });

  it('if most of their lines are indented and end at the end of the column', () => {
    const items = [
      'Part 1: Complete this part if any of you received',
      'benefits of the board. Their sum must equal',
      'all amounts as reported for the whole year.',
      'Add all the amounts, and enter them below.',
      'Do not enter any amounts of the last year.',
    ];
    const column = (x: number) => [text(items[0]!, x, 700), lines(items.slice(1), x + 32, 688)];
    expect(read(page([column(30).flat(), column(320).flat()]))).toEqual([items.join(' '), items.join(' ')]);
  });
});
