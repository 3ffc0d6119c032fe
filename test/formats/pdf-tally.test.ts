import { expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { tallyPage } from '#server/formats/pdf/page-tally.ts';
import { TextTally } from '#server/formats/text-tally.ts';
import { at, readMade } from './pdf-made.ts';

it('counts a lost and a repeated glyph of a page, which do not cancel each other', async () => {
  const page = await readMade({ content: at(20, 300, 'First') + at(20, 100, 'Other') });
  const found = findBlocks(page);
  const [first, other] = found.blocks;
  if (!first || !other) throw new Error('the page has two blocks');
  const unaccounted = (...blocks: typeof found.blocks) => {
    const tally = new TextTally();
    tallyPage(tally, page, { ...found, blocks }, true);
    return tally.outcome().unaccounted;
  };
  expect(unaccounted(first, other)).toBe(0);
  expect(unaccounted(first)).toBe(5);
  expect(unaccounted(first, other, other)).toBe(5);
  expect(unaccounted(other, other)).toBe(10);
});
