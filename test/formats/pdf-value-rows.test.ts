import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { lines, page, rule, text } from './pdf-page.ts';

const read = (...content: Parameters<typeof page>): string[] =>
  findBlocks(page(...content)).blocks.map((block) => plainText(block.content));
/** A text of several lines from the top, and a value next to one of them. */
const entry = (parts: readonly string[], value: string, top: number, at = 0) => [
  ...lines(parts, 50, top),
  text(value, 330, top - 12 * at),
];

describe('lines next to the values of a list', () => {
  it('are a text each, although they are in one box and no line ends early', () => {
    const titles = ['True Crime', 'Payback', 'Analyze This', 'Show'];
    const dates = ['Wednesday, June 30', 'Monday, July 12', 'Friday, July 30', 'Friday, August 4'];
    const frame = [
      rule(40, 650, 560, 651),
      rule(40, 719, 560, 720),
      rule(40, 650, 41, 720),
      rule(559, 650, 560, 720),
    ];
    expect(read([lines(titles, 50, 705), lines(dates, 330, 705)], frame)).toEqual(
      expect.arrayContaining(titles),
    );
  });

  it.each([
    ['first', 0],
    ['last', 1],
  ])('are a text until the next one, if the values are next to their %s lines', (_, at) => {
    const texts = [
      ['Grilled barramundi with a salad of potatoes', 'Lemon and dill'],
      ['Spinach arancini with charred broccoli and', 'Fennel salad'],
      ['Greek lentil salad with oregano and Kalamata', 'Olives and feta'],
    ];
    const rows = texts.map((parts, row) => entry(parts, `from ${20 + row}.50`, 700 - 24 * row, at));
    expect(read([rows.flat()]).filter((value) => !value.startsWith('from'))).toEqual(
      texts.map((parts) => parts.join(' ')),
    );
  });

  it('stay one text if a sentence continues at the values: they are a margin column', () => {
    const paragraph = [
      'The council met in the spring and agreed on a plan for the whole of',
      'Danube valley, which its members had discussed with all towns and of',
      'Vienna and the places along the river, and which the parties of the',
      'Rhine valley had signed in the year before at the same place, where',
      'the treaty was signed.',
    ];
    const dates = ['2 May 1815', '3 May 1815', '9 June 1815'].map((date, row) =>
      text(date, 450, 688 - 12 * row),
    );
    expect(read([lines(paragraph, 50, 700), dates])).toContain(paragraph.join(' '));
  });
});
