import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { Rectangle } from '#server/formats/pdf/geometry.ts';
import { blockOf, render } from './pdf-blocks.ts';
import { bold, page, text } from './pdf-page.ts';
import { shownLines } from './pdf-shown.ts';

const heading = (value: string, spacing: number) =>
  findBlocks(page([text(value, 50, 700, { font: bold, spacing })])).blocks[0];

describe('a text with wide letter spacing', () => {
  it.each(['WHY', 'WHAT', 'Menu', 'ROOM SERVICE', 'THE WORDS OF A LINE'])('is read as words: %s', (value) => {
    const block = heading(value, 0.2)!;
    expect(plainText(block.content)).toBe(value);
    expect(block.letterSpacing).toBeCloseTo(0.2);
  });

  it.each(['ABC', 'ROW'])(
    'is not a word if its letters are a list or have the spaces of words: %s',
    (value) => {
      const apart = [...value].map((letter, index) => text(letter, 50 + 20 * index, 700, { font: bold }));
      const { blocks } = findBlocks(page(apart));
      expect(blocks.map(({ content }) => plainText(content))).not.toContain(value);
      expect(findBlocks(page([text('ABC', 50, 700, { spacing: 0.2 })])).kept[0]?.text).toBe('A B C');
    },
  );

  it('does not include text with the spacing of its font', () => {
    expect(heading('The words of a line', 0.02)!.letterSpacing).toBeUndefined();
  });
});

describe('a translation', () => {
  const source = { ...blockOf({ lines: ['ROOM SERVICE IS HERE'] }), letterSpacing: 0.25 };
  const lineOf = async (target: string, block = source, targetLanguage = 'fr') =>
    (await shownLines((await render([{ source: block, target }], { targetLanguage })).bytes))[0]!;

  it('has the letter spacing of its source', async () => {
    const { letterSpacing: _, ...plain } = source;
    const [set, unspaced] = [
      await lineOf('SERVICE ICI'),
      await lineOf('SERVICE ICI', plain as typeof source),
    ];
    // PDF.js reads wide letter spacing as spaces, in the source too.
    expect(set.text.replaceAll(' ', '')).toBe('SERVICEICI');
    expect(set.right - set.x - (unspaced.right - unspaced.x)).toBeGreaterThan(10 * 0.25 * 10 - 1);
  });

  it('has narrower letter spacing if its line becomes too long', async () => {
    const { left, right } = source.box;
    const set = await lineOf('SERVICE EN CHAMBRE ICI');
    expect(set.right - set.x).toBeLessThan(1.4 * (right - left));
    expect(set.size).toBe(10);
  });

  it('has the letter spacing of others of its look, which is that of the text with the least space', async () => {
    const narrow = {
      ...blockOf({ id: 'p1.b2', lines: ['ROOM SERVICE IS HERE'], x: 440, y: 600 }),
      letterSpacing: 0.25,
    };
    const spacingsOf = async (...targets: string[]) => {
      const blocks = [source, narrow].map((block, index) => ({ source: block, target: targets[index]! }));
      const { operators } = await render(blocks);
      return [...operators.matchAll(/([\d.]+) Tc/g)]
        .map(([, value]) => Number(value))
        .filter((value) => value > 0);
    };
    expect(await spacingsOf('SERVICE', 'SERVICE')).toEqual([2.5, 2.5]);
    const [one, other] = await spacingsOf('SERVICE', 'SERVICE EN CHAMBRE');
    expect(one).toBeLessThan(2);
    expect(other).toBe(one);
  });

  it('in a cell keeps its letter spacing if the space after it is free', async () => {
    const cell = { ...blockOf({ lines: ['ROOM'] }), kind: 'table_cell' as const, letterSpacing: 0.25 };
    const { operators } = await render([{ source: cell, target: 'SERVICE' }]);
    expect(operators).toContain('2.5 Tc');
  });

  it('stays on one line of the page, because its letter spacing becomes narrower', async () => {
    const wide = { ...blockOf({ lines: ['ROOM SERVICE IS HERE'] }), letterSpacing: 2.4 };
    wide.box = { ...wide.box, right: 480 };
    const { places, operators } = await render([{ source: wide, target: 'LE SERVICE EN CHAMBRE ICI' }]);
    const [{ bottom, right, top }] = [...places.values()] as [Rectangle];
    expect(right).toBeLessThan(612 - 36);
    expect(top - bottom).toBeLessThan(20);
    expect(operators).not.toBe('');
  });

  it('in a connected script has none', async () => {
    const { letterSpacing: _, ...plain } = source;
    const [set, unspaced] = [
      await lineOf('خدمة', source, 'ar'),
      await lineOf('خدمة', plain as typeof source, 'ar'),
    ];
    expect(set.right - set.x).toBeCloseTo(unspaced.right - unspaced.x);
  });
});
