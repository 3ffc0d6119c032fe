import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { PageContent } from '#server/formats/pdf/page-content.ts';
import { lines, page, plainTexts as read, text, widthOf } from './pdf-page.ts';

const sentences = [
  'Dear Sir or Madam, thank you for your order. We have delivered the items that are listed below and ask',
  'you to pay the amount within thirty days of the date of this invoice, if you have no complaint about it.',
];
/** The left edge of the text. The center of the text is left of the page's center. */
const left = 20;
const right = left + 10 * Math.max(...sentences.map(widthOf));
const body = lines(sentences, left, 500);

const flushRight = (value: string, y: number, size = 10) =>
  text(value, right - size * widthOf(value), y, { size });
const alignments = (content: PageContent): string[] =>
  findBlocks(content).blocks.map(({ alignment }) => alignment);

describe('the parts of a letter', () => {
  it('has the lines of an address apart, though the longest has no room for a word of the next one', () => {
    const address = ['Mrs Erika Porters', '12 Market Street', 'Bristol BS1 4QA'];
    expect(read(page([lines(address, left, 700), body])).slice(0, 3)).toEqual(address);
  });

  it('does not split a narrow column of text in which each line begins with a capital', () => {
    const names = ['In Room 12 Mr Porter', 'Read Act 3 of Macbeth', 'In Room 14 Mrs Hill'];
    const beside = lines(
      names.map(() => 'and the others who had come to the meeting read it too'),
      135,
      700,
    );
    expect(read(page([lines(names, left, 700), beside, body]))[0]).toBe(names.join(' '));
  });

  it('has them apart, although the longest has little room for the first word of the next one', () => {
    const address = [
      'The Store',
      'Tax 47',
      '4 The Old Yard 08960 Weston in the Marsh',
      '08960 - SAINT WESTON',
      'UK',
    ];
    const next = left + 10 * widthOf(`${address[2]} 08960`) + 18;
    expect(read(page([lines(address, left, 700), text('Page one', next, 676)])).slice(0, 5)).toEqual(address);
  });

  it('has its salutation apart, which is short and far above the sentence', () => {
    const letter = [
      'Dear Sir or Madam,',
      `we ${sentences[0]}.`,
      'The goods are paid.',
      'Thank you for all of it.',
    ];
    expect(read(page([lines(letter, left, 700, { leading: 24 })]))).toEqual(letter);
  });

  it('has labels with their values apart', () => {
    const pairs = ['Number: 2024-117', 'Date: 3 May 2024'];
    expect(
      read(page([pairs.map((pair, index) => flushRight(pair, 700 - 12 * index)), body])).slice(0, 2),
    ).toEqual(pairs);
  });

  it('has two lines at the right edge apart if the first has room for the second', () => {
    const end = ['Kind regards,', 'The team of Green Furniture'];
    const content = page([body, end.map((line, index) => flushRight(line, 450 - 12 * index))]);
    expect(read(content).slice(1)).toEqual(end);
    const start = right - 10 * widthOf(end[1]!);
    const beside = text('Holdings', start - 20 - 10 * widthOf('Holdings'), 438);
    expect(read(page([end.map((line, index) => flushRight(line, 450 - 12 * index)), beside]))).toHaveLength(
      3,
    );
    expect(alignments(content).slice(1)).toEqual(['right', 'right']);
  });

  it('has its date at the right edge flush right, and a title too that is as wide as the line below it', () => {
    expect(alignments(page([flushRight('Bath, the third of May', 600), body]))[0]).toBe('right');
    const titled = [flushRight('Invoice', 700, 24), flushRight('Number: 2024-117', 670)];
    expect(alignments(page([...titled, body])).slice(0, 2)).toEqual(['right', 'right']);
  });

  it('has a line in the middle of its text centred, though its page has other margins', () => {
    const footer = 'Green Furniture, Bristol';
    const centred = text(footer, (left + right) / 2 - 5 * widthOf(footer), 60);
    expect(alignments(page([body, centred])).at(-1)).toBe('center');
  });
});
