import { describe, expect, it } from 'vitest';
import { formatTagged, plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { Paint } from '#server/formats/pdf/page-content.ts';
import type { TextBlock } from '#server/formats/pdf/text-block.ts';
import { render } from './pdf-blocks.ts';
import { bold, lines, mono, page, plainTexts as read, rule, text, widthOf } from './pdf-page.ts';

describe('the parts of a form', () => {
  it('are apart if their sizes differ and the gap is wide, on one baseline or nearly so', () => {
    for (const raised of [0, 3]) {
      const number = text('D 40', 50, 700 - raised, { size: 24, font: bold });
      const title = text('Individual Income Tax', 50 + 42 + 16, 700, { size: 12, font: bold });
      expect(read(page([number, title]))).toEqual(['Individual Income Tax']);
    }
  });

  it('are apart if one is a value that was typed in a larger font of a fixed width', () => {
    const label = (x: number) => text('Kind of owner', x, 700, { size: 8 });
    const value = (x: number, size: number) => text('Person', x, 700, { size, font: mono });
    expect(read(page([label(50), value(105, 10)]))).toEqual(['Kind of owner', 'Person']);
    expect(read(page([value(50, 10), label(90)]))).toEqual(['Person', 'Kind of owner']);
    // Code in a sentence is not larger than the words next to it.
    expect(read(page([label(50), value(103, 8)]))).toEqual(['Kind of owner Person']);
  });

  it('has a line to write on as a part of the sentence around it, but not of two labels', () => {
    const drawn = { ...rule(70, 698, 120, 698.6), place: { use: 0, start: 0, end: 9 } };
    const form = (after: string) => page([text('on the', 40, 700), text(after, 122, 700)], [drawn]);
    const [{ content, moved, rules }] = findBlocks(form('day of May.')).blocks as [TextBlock];
    expect(formatTagged(content)).toBe('on the <1/> day of May.');
    expect(moved.get(1)).toMatchObject({ parts: [], width: 50, bars: [{ box: { bottom: -2 } }] });
    expect(rules).toEqual([drawn]);
    expect(read(form('Date'))).toEqual(['on the', 'Date']);
    const cells = [rule(90, 698, 90.5, 702)];
    const comb = page([text('on the', 40, 700), text('day of May.', 122, 700)], [drawn, ...cells]);
    expect(read(comb)).toEqual(['on the', 'day of May.']);
    const covered = page(
      [text('on the', 40, 700), text('day of May.', 122, 700)],
      [drawn, { ...rule(30, 690, 300, 715), order: 1 }],
    );
    expect(read(covered)).toEqual(['on the', 'day of May.']);
    // A line that cannot be drawn again stays between its texts.
    const fixed = page([text('on the', 40, 700), text('day of May.', 122, 700)], [rule(70, 698, 120, 698.6)]);
    expect(read(fixed)).toEqual(['on the', 'day of May.']);
  });

  it('has underscores as a part of their sentence, except below a form field, which stays', () => {
    const sentence = page([text('on the __________ day of May.', 40, 700)]);
    const box = { left: 72, right: 122, bottom: 698, top: 710 };
    expect(read(sentence)).toEqual(['on the __________ day of May.']);
    const verb = 'Crops like cotton __________ (to be) sold';
    expect(read(page([text(verb, 40, 700)]))).toEqual([verb]);
    expect(read({ ...sentence, annotations: [{ kind: 'widget', box }] })).toEqual(['on the', 'day of May.']);
  });

  it('has underscores at the end of a line as a part of a sentence that continues below, but not after a label', () => {
    const over = (first: string, second: string) =>
      read(page([lines([`${first} ____________`, second], 50, 700)]));
    expect(over('I declare that all that is said about my son', 'in this form is true and')).toEqual([
      'I declare that all that is said about my son ____________ in this form is true and',
    ]);
    expect(over('name of it', 'town of it')).toEqual(['name of it', 'town of it']);
  });

  it('are apart at a small picture, which would be covered, but a sentence is not', () => {
    const icon: Paint = { ...rule(70, 698, 79, 707), kind: 'image' };
    const form = (after: string) => read(page([text('Office', 38, 700), text(after, 82, 700)], [icon]));
    expect(form('Email')).toEqual(['Office', 'Email']);
    expect(form('email')).toEqual(['Office email']);
  });

  it('are not apart at the boxes of a table, which are further from each other than the lines', () => {
    const note = [
      'with more than four of',
      'them, the form has to be',
      'sent twice, also the one',
      'with the names of all',
    ];
    const shown = (step: number) => {
      const tops = [0, 1, 2, 3].map((row) => 707 - step * row);
      const boxes = tops.map((top) => ({ left: 30, right: 42, bottom: top - step, top }));
      const widgets = boxes.map((box) => ({ kind: 'widget', box }) as const);
      return read({ ...page([lines(note, 50, 700)]), annotations: widgets });
    };
    expect(shown(12)).toEqual(note);
    expect(shown(18)).toEqual([note.join(' ')]);
  });

  it('are apart after the end of a sentence and an unknown sign, such as an arrow to a field', () => {
    const values = [
      'Enter the amount of all expenses that are in the list. \ufffd',
      'b did the owner file a form for it?',
    ];
    expect(read(page([lines(values, 50, 700)]))).toHaveLength(2);
  });

  it('are not apart at a page number next to a full line of a sentence', () => {
    const entry = [
      'The government of the land gives',
      'funds of all kinds in support to',
      'the elections of this year',
    ];
    const number = text('5', 50 + 10 * widthOf(entry[1]!) + 20, 688, { font: bold });
    expect(read(page([lines(entry, 50, 700), number]))).toEqual([entry.join(' ')]);
  });

  it('keeps a script with its text', () => {
    const [base, raised] = [text('Annual report', 50, 700), text('note', 113.5, 704, { size: 6 })];
    expect(read(page([base, raised]))).toEqual(['Annual reportnote']);
  });

  it('are apart where a sign is drawn between blanks', () => {
    const apart = [text('Paid    Due', 48, 700)];
    expect([[], [rule(70, 703, 76, 703.6)]].map((drawn) => read(page(apart, drawn)).length)).toEqual([1, 2]);
  });

  it('leaves the number of a field at the end of a question where it is', () => {
    const question = text('Were you born before 1946', 50, 700);
    const { blocks, kept } = findBlocks(page([question, text('39b', 182, 700, { font: bold })]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual(['Were you born before 1946']);
    expect(kept).toMatchObject([{ text: '39b' }]);
  });

  it('begins with each numbered row anew, even if all rows are full and have a number', () => {
    const rows = ['8', '9a', 'b', '10'].map((number, index) => [
      text(number, 50, 700 - 12 * index, { font: bold }),
      text('Interest and dividends, attach Schedule B', 75, 700 - 12 * index),
    ]);
    expect(read(page(rows.flat()))).toHaveLength(4);
  });
});

describe('edges that blocks share', () => {
  const labels = ['Wages', 'Interest on savings', 'Ordinary dividends'];
  const cells = labels.map((label, index) => text(label, 75, 700 - 24 * index));
  const rules = [0, 1, 2, 3].map((row) => rule(50, 710 - 24 * row, 190, 710.5 - 24 * row));
  const sides = [50, 190].map((x) => rule(x, 638, x + 0.5, 710));

  it('show that a line in the middle of its cell is left-aligned', () => {
    // The distances to the left and right sides are equal.
    const middle = text('Pensions, received', 75, 700 - 72);
    const alone = findBlocks(
      page(
        [middle],
        [
          rule(50, 614, 190, 614.5),
          rule(50, 640, 190, 640.5),
          ...[50, 190].map((x) => rule(x, 614, x + 0.5, 640)),
        ],
      ),
    );
    expect(alone.blocks).toMatchObject([{ alignment: 'center', sharesEdge: false }]);
    const { blocks } = findBlocks(
      page(
        [cells, middle],
        [...rules, rule(50, 614, 190, 614.5), ...[50, 190].map((x) => rule(x, 614, x + 0.5, 710))],
      ),
    );
    expect(blocks.map(({ alignment, sharesEdge }) => [alignment, sharesEdge])).toEqual(
      Array.from({ length: 4 }, () => ['left', true]),
    );
  });

  it('are not grown over by a longer translation', async () => {
    const content = page([cells], [...rules, ...sides]);
    const { blocks } = findBlocks(content);
    const target = 'Les dividendes ordinaires imposables';
    const set = await render(
      blocks.map((source) => ({ source, target })),
      { page: { ...content, texts: [] } },
    );
    for (const { id } of blocks) expect(set.places.get(id)!.left).toBeCloseTo(75, 1);
  });
});

it('lines in the middle of a page are centred if they have one middle and begin at different places, even the longest', () => {
  const title = text('Ideology as ritual', 240.5, 700, { size: 14 });
  const others = [text('The Author', 276.25, 680), text('Monday, the fifth of May', 246.25, 660)];
  const { blocks } = findBlocks(page([title, others]));
  expect(blocks.map(({ alignment }) => alignment)).toEqual(['center', 'center', 'center']);
});

it('a line in the middle of a page is left-aligned if other lines of the page start at its edge', () => {
  const line = text('A reference of the middle of the page, by chance', 192.5, 660);
  const around = [760, 560, 460].map((y) => text('Another reference', 192.5, y));
  const alone = findBlocks(page([line])).blocks;
  expect(alone.map(({ alignment }) => alignment)).toEqual(['center']);
  const { blocks } = findBlocks(page([line, ...around]));
  expect(blocks.map(({ alignment }) => alignment)).toEqual(['left', 'left', 'left', 'left']);
});
