import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { markSharedEdges } from '#server/formats/pdf/layout/alignment/shared-edges.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import type { TextBlock } from '#server/formats/pdf/text-block.ts';
import { blockOf, plainStyle, rectangle, widthOf as widthIn } from './pdf-blocks.ts';
import { lines, page, rule, text, widthOf } from './pdf-page.ts';

/** The alignments of a page's blocks, by text. */
function alignments(content: PageContent): Record<string, string> {
  const { blocks } = findBlocks(content);
  return Object.fromEntries(blocks.map((block) => [plainText(block.content), block.alignment]));
}

/** A text that ends at a position. */
const ending = (value: string, right: number, y: number) => text(value, right - 10 * widthOf(value), y);

const prose = [
  'The committee met in spring and agreed on all',
  'the plans that the members had discussed in',
  'the winter before, with few small changes.',
];

describe('lines that end at the same position', () => {
  it('are right-aligned in a column of values, not justified', () => {
    const values = [
      ['Fixed displacement and', 'axial'],
      ['Automatic spring motor', 'released brake motors.'],
      ['Variable displacement of two', 'gears and more'],
    ];
    const rows = values.flatMap((value, row) =>
      value.map((line, index) => ending(line, 500, 700 - 40 * row - 12 * index)),
    );
    expect(new Set(Object.values(alignments(page([rows]))))).toEqual(new Set(['right']));
  });

  it('are right-aligned if they are amounts, though most are equally wide', () => {
    const amounts = ['501,00 Euro', '72,00 Euro', '161,70 Euro', '266,30 Euro'];
    const rows = amounts.map((amount, row) => [
      text(`Income ${row}`, 50, 700 - 12 * row),
      ending(amount, 300, 700 - 12 * row),
    ]);
    const wide = ending('The members have seen the figures above', 590, 600);
    const found = alignments(page([...rows.flat(), wide]));
    expect(amounts.map((amount) => found[amount])).toEqual(amounts.map(() => 'right'));
  });

  it('are right-aligned though their starts differ only little from one to the next', () => {
    const rows = [0, 2, 4, 6].flatMap((commas, row) => [
      ending(`Automatic spring motor${','.repeat(commas)}`, 500, 700 - 40 * row),
      ending(`automatic spring motor${','.repeat(commas + 1)}`, 500, 688 - 40 * row),
    ]);
    const { blocks } = findBlocks(page([rows]));
    expect(blocks.map(({ alignment, lines }) => [alignment, lines.length])).toEqual(
      [0, 2, 4, 6].map(() => ['right', 2]),
    );
  });

  it('are justified if the lines of their column start at the same position too', () => {
    const even = ['aaaa bbbb cccc dddd eeee ffff', 'gggg hhhh iiii jjjj kkkk llll'];
    const paragraphs = [0, 1, 2, 3].map((index) => lines([...even, 'mmmm nnnn oooo.'], 50, 700 - 50 * index));
    // The first line of the last paragraph is indented.
    const last = [ending(even[0]!.slice(5), 50 + 10 * widthOf(even[0]!), 500), text(even[1]!, 50, 488)];
    const { blocks } = findBlocks(page([...paragraphs, last]));
    expect(blocks.at(-1)).toMatchObject({ alignment: 'justified' });
  });
});

it('an item whose second line hangs and ends at the end of the first one is left-aligned', () => {
  const questions = [
    '9- When do you order',
    '10- How do you see it',
    '12- Do you use codes',
    '13- Do you pay',
  ];
  const items = questions.map((question, row) => text(question, 50, 700 - 60 * row));
  const first = '11- Which aspects are the best ones';
  const item = [
    text(first, 50, 500),
    ending('or the other one of these days', 50 + 10 * widthOf(first), 488),
  ];
  const { blocks } = findBlocks(page([...items, ...item]));
  expect(blocks.find(({ lines }) => lines.length === 2)).toMatchObject({ alignment: 'left' });
});

it('the first line of the last paragraph is left-aligned at the indent of the others, although it ends at their end', () => {
  const full = 'aaaa bbbb cccc dddd eeee ffff';
  const indented = (y: number) => ending(full.slice(5), 50 + 10 * widthOf(full), y);
  const paragraphs = [0, 1, 2, 3].flatMap((row) => [
    indented(700 - 50 * row),
    ...lines([full, 'mmmm nnnn.'], 50, 688 - 50 * row),
  ]);
  const { blocks } = findBlocks(page([...paragraphs, indented(500)]));
  expect(blocks.at(-1)).toMatchObject({ alignment: 'left' });
});

it('two lines with exactly one middle are a centered title, although it is not the middle of the page', () => {
  const centered = (value: string, y: number) => text(value, 180 - 5 * widthOf(value), y);
  const title = [centered('The bylaws of', 740), centered('an institute for independent scholars', 712)];
  const found = alignments(page([title, lines(prose, 50, 694)]));
  expect(found).toMatchObject({
    'The bylaws of': 'center',
    'an institute for independent scholars': 'center',
  });
});

it('a heading at the left edge is left-aligned, although lines of the list above it have its end', () => {
  const list = ['One word', 'or two', 'or three words'].map((item, row) => ending(item, 100, 690 - 12 * row));
  const others = [0, 1, 2, 3].map((row) =>
    text(`A line of the page and its number ${row}`, 50, 780 - 12 * row),
  );
  expect(alignments(page([others, list, ending('Education', 100, 642)]))).toMatchObject({
    Education: 'right',
  });
  const more = [0, 1, 2, 3].map((row) =>
    text(`A line of the page and its number ${row}`, 55, 780 - 12 * row),
  );
  expect(alignments(page([more, list, ending('Education', 100, 642)]))).toMatchObject({ Education: 'left' });
});

it('the cells of a column are left-aligned, although it is in the middle of the boxes of the rows', () => {
  const cells = ['2 mg of it', '15 mg of it', '5 mg of it', '20 mg of it', '1 mg of it'];
  const rows = cells.map((cell, row) => [
    text(`Product number ${row}`, 50, 700 - 30 * row),
    text(cell, 228, 700 - 30 * row),
  ]);
  const boxes = cells.map((_, row) => rule(40, 690 - 30 * row, 460, 712 - 30 * row));
  const found = alignments(page(rows, boxes));
  expect(cells.map((cell) => found[cell])).toEqual(cells.map(() => 'left'));
});

it('a wide title in the middle of the page is centered', () => {
  const size = 400 / widthOf('Experimental performance');
  const title = text('Experimental performance', 100, 740, { size });
  const list = ['These are the words of an item that has', 'many of them on every line of its own page'].map(
    (line, row) => text(line, 60, 690 - 24 * row, { size: 24 }),
  );
  expect(alignments(page([title, ...list]))['Experimental performance']).toBe('center');
});

describe('a line at the right edge of the text', () => {
  it('is right-aligned if no other line starts where it starts, such as a page number', () => {
    expect(alignments(page([lines(prose, 50, 700), ending('Page 3 of 3', 280, 50)]))).toMatchObject({
      'Page 3 of 3': 'right',
    });
  });

  it('is left-aligned if it is the longest of several lines with the same start', () => {
    const list = ['Monday', 'Tuesday afternoon', 'Sunday'].map((day, row) => text(day, 400, 700 - 40 * row));
    expect(Object.values(alignments(page([text('Days', 50, 700), list])))).toEqual([
      'left',
      'left',
      'left',
      'left',
    ]);
  });
});

describe('a title of almost the whole width of the text below', () => {
  const middle = (value: string, y: number) => text(value, 300 - 5 * widthOf(value), y);
  const title = 'National competition of the computational sciences';
  const below = ['The committee met in spring and agreed with all of the', 'plans that the members had'];

  it('is centered if the lines next to it have the same middle', () => {
    const content = page([middle('Announcement', 700), middle(title, 685), lines(below, 185, 660)]);
    expect(alignments(content)).toMatchObject({ [title]: 'center' });
  });

  it('is left-aligned if another line starts at its start', () => {
    const start = 300 - 5 * widthOf(title);
    const content = page([middle('Announcement', 700), middle(title, 685), lines(below, start, 660)]);
    expect(alignments(content)).toMatchObject({ [title]: 'left' });
  });
});

it('a heading at the left edge of many lines is not centered, though two signs have its middle', () => {
  const edge = Array.from({ length: 5 }, (_, index) => text(`A heading ${index}`, 70, 760 - 30 * index));
  const title = 'The influence';
  const middle = 70 + (10 * widthOf(title)) / 2;
  const sign = (y: number) => text('oo', middle - (10 * widthOf('oo')) / 2, y);
  expect(
    alignments(page([...edge, sign(418), sign(394), text(title, 70, 370), text('Linear', 106, 346)])),
  ).toMatchObject({
    [title]: 'left',
  });
});

it('a label has the alignment of the blocks with its left edge, though one has its middle by chance', () => {
  const label = blockOf({ lines: ['Main pumps:'], alignment: 'center' });
  const others = ['Flow:', 'Return of flow:', 'Main pumps?'].map((text, row) =>
    blockOf({ lines: [text], y: 680 - 20 * row }),
  );
  markSharedEdges([label, ...others], false);
  expect(label.alignment).toBe('left');
});

it('a large title stays centered, though blocks of small text start near its left end', () => {
  const title = blockOf({ lines: ['A long title'], alignment: 'center', style: { size: 48 }, x: 124 });
  const small = [650, 630, 610].map((y) => blockOf({ lines: ['A line of text'], x: 130, y }));
  markSharedEdges([title, ...small], false);
  expect(title.alignment).toBe('center');
});

describe('cells above each other', () => {
  const container = rectangle(50, 100, 150, 720);
  const cell = (text: string, row: number, alignment: TextBlock['alignment'] = 'left') =>
    blockOf({
      lines: [text],
      x: 100 - widthIn(text, plainStyle) / 2,
      y: 700 - 30 * row,
      container,
      alignment,
    });

  it('are centered if they have the middle of their column and different widths', () => {
    const cells = ['A', 'A longer text', 'Text'].map((text, row) => cell(text, row));
    markSharedEdges(cells, false);
    expect(cells.map(({ alignment }) => alignment)).toEqual(['center', 'center', 'center']);
  });

  it('keep their alignment if their texts have the same width', () => {
    const cells = ['Text', 'Text', 'Text'].map((text, row) => cell(text, row));
    markSharedEdges(cells, false);
    expect(cells.map(({ alignment }) => alignment)).toEqual(['left', 'left', 'left']);
  });
});

it('labels that end at one position are right-aligned, also those as wide as the column', () => {
  const names = ['Atlanta', 'Los Angeles and its bay', 'Houston area', 'Dallas', 'Cape Coral and its bay'];
  const rows = names.map((name, row) => ending(name, 200, 700 - 40 * row));
  expect(Object.values(alignments(page([rows])))).toEqual(names.map(() => 'right'));
});

it('an item of a list that ends at the end of its box by chance is aligned with the item above', () => {
  const container = rectangle(50, 100, 200, 720);
  const items = ['A bag', 'A logo on the website'].map((text, row) =>
    blockOf({ lines: [text], y: 700 - 14 * row, container, alignment: row === 1 ? 'right' : 'left' }),
  );
  markSharedEdges(items, false);
  expect(items.map(({ alignment }) => alignment)).toEqual(['left', 'left']);
});

it('lines with exactly the same middle are centered, though two of them start at the same position', () => {
  const middle = (value: string, y: number) => text(value, 300 - 5 * widthOf(value), y);
  const rows = [
    middle('National competition', 700),
    middle('of computing', 688),
    middle('and sciences', 676),
  ];
  expect(alignments(page([...rows]))).toEqual({ 'National competition of computing and sciences': 'center' });
});

it('a title shares the edge of the paragraphs far below it, and a label there does not', () => {
  const paragraphs = [600, 550].map((y) =>
    blockOf({ lines: ['The first line of a text', 'and its second'], y }),
  );
  const title = { ...blockOf({ lines: ['A title'], y: 780 }), kind: 'heading' as const };
  const label = blockOf({ lines: ['A label'], y: 780 });
  markSharedEdges([title, ...paragraphs], false);
  markSharedEdges([label, ...paragraphs], false);
  expect([title.sharesEdge, label.sharesEdge]).toEqual([true, false]);
});

it('single lines of one style share an edge, however far apart they are; other texts do not', () => {
  const labels = [780, 600, 300].map((y) => blockOf({ lines: ['A label:'], y }));
  const heading = {
    ...blockOf({ lines: ['A heading'], y: 450 }),
    style: { ...labels[0]!.style, bold: true },
  };
  markSharedEdges([...labels, heading], false);
  expect(labels.map(({ sharesEdge }) => sharesEdge)).toEqual([true, true, true]);
  expect(heading.sharesEdge).toBe(false);
});

it('a single line is centered if it shares only its middle with others, such as the item of a centered list', () => {
  const middle = (value: string, y: number) => {
    const block = blockOf({ lines: [value], y });
    const x = 300 - (block.box.right - block.box.left) / 2;
    return blockOf({ lines: [value], x, y });
  };
  const items = ['An item', 'Another item', 'The third item of the list', 'The last one of it'].map(
    (value, row) => middle(value, 700 - 20 * row),
  );
  const others = ['An item', 'Another one', 'Another one', 'Another one'].map((value, row) =>
    middle(value, 300 - 20 * row),
  );
  markSharedEdges([...items, ...others], false);
  expect(items.map(({ alignment }) => alignment)).toEqual(items.map(() => 'center'));
  expect(others.map(({ alignment }) => alignment)).toEqual(others.map(() => 'left'));
});

it('a wide title and its text are centered by their common middle', () => {
  const column = prose.map((value) => `${value} ${value}`);
  const middle = 50 + 5 * Math.max(...column.map(widthOf));
  const at = (value: string, y: number, size: number) =>
    text(value, middle - (size / 2) * widthOf(value), y, { size });
  const title = 'The plans of the committee of the town';
  const content = page([at(title, 740, 27), at('and its members', 718, 14), lines(column, 50, 700)]);
  expect(alignments(content)).toMatchObject({ [title]: 'center', 'and its members': 'center' });
});

it('a line behind another one of its row is right-aligned at the end of the text, if another line ends there', () => {
  const header = 'A long name of the report of the committee and its members';
  const of = (...others: ReturnType<typeof text>[]) =>
    alignments(page([text('Report', 50, 750), ending(header, 500, 750), lines(prose, 50, 600), others]))[
      header
    ];
  expect(of(ending('26', 500, 50))).toBe('right');
  expect(of(text('26', 50, 50))).toBe('left');
});

it('dates behind the entries of a list end where the others of their style do, whatever is between them', () => {
  const rows = [700, 500, 300, 100].map((y) => blockOf({ lines: ['An entry of the list'], y }));
  const dates = ['May 2021', 'January 2022', 'May 2021', 'June 2019 and 2020'].map((value, row) => {
    const { box } = blockOf({ lines: [value], y: 0 });
    return blockOf({ lines: [value], x: 500 - box.right + box.left, y: 700 - 200 * row });
  });
  markSharedEdges([...rows, ...dates], false);
  expect(dates.map(({ alignment }) => alignment)).toEqual(dates.map(() => 'right'));
});
