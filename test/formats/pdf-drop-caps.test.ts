import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { bold, lines, page, text } from './pdf-page.ts';

const beside = ['he committee met in spring and agreed on', 'the plan that the members had discussed'];
const below = ['in the winter before, with only a few small', 'changes that nobody had asked for.'];
/** The height of two lines of 12 points: from the top of the first line to the baseline of the second one. */
const size = 27;
const paragraph = [
  lines(beside, 66, 700),
  lines(below, 50, 676),
  text('Another paragraph follows it in the same column', 50, 640),
].flat();
const whole = `T${beside.join(' ')} ${below.join(' ')}`;

describe('a large initial', () => {
  it('is the first letter of its paragraph, which is set at the size of its text', () => {
    const initial = text('T', 50, 688, { size, font: bold, color: '1 0 0 rg' });
    const { blocks, kept } = findBlocks(page([initial, paragraph]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual([
      whole,
      expect.stringContaining('Another'),
    ]);
    expect(kept).toEqual([]);
    expect(blocks[0]).toMatchObject({ style: { size: 10, bold: false }, alignment: 'left', indent: 0 });
    expect(blocks[0]!.spans.size).toBe(0);
    expect(blocks[0]!.box.left).toBe(50);
    expect(blocks[0]!.box.top).toBe(708);
    expect(blocks[0]!.glyphs.map(({ text: shown }) => shown.glyphs.length)).toContain(1);
  });

  it('is a word by itself if a space follows it', () => {
    const others = [text(' committee met in spring and agreed on it', 63.5, 700), paragraph[1]!];
    const { blocks } = findBlocks(page([text('A', 50, 688, { size }), others, paragraph.slice(2)].flat()));
    expect(plainText(blocks[0]!.content)).toMatch(/^A committee met in spring and agreed on it the plan/);
  });

  it('is the first letter also below a headline', () => {
    const initial = text('T', 50, 688, { size, font: bold });
    const headline = text('Committee Delivers', 66, 716, { size: 15 });
    const { blocks } = findBlocks(page([headline, initial, ...paragraph]));
    expect(blocks.map(({ content }) => plainText(content))).toContain(whole);
  });

  it('may have an opening quote before it', () => {
    const initial = text('“T', 50, 688, { size });
    const { blocks } = findBlocks(page([initial, lines(beside, 78, 700), lines(below, 50, 676)]));
    expect(blocks.map(({ content }) => plainText(content))).toEqual([`“${whole}`]);
  });

  it('is none if no text goes on beside it, or only one line does', () => {
    const letter = text('A', 50, 688, { size });
    const { blocks } = findBlocks(page([letter, lines(['The first option', 'of two'], 200, 700)]));
    expect(blocks.map(({ content }) => plainText(content)).join(' ')).toBe('The first option of two');
    const heading = findBlocks(page([text('T', 50, 700, { size }), text('he committee', 66, 700)]));
    expect(heading.blocks.map(({ content }) => plainText(content)).join('')).toContain('The committee');
  });
});
