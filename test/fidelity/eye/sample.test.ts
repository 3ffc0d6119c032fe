import { expect, it } from 'vitest';
import type { PageFigures } from './judge-page.ts';
import type { FileResult } from './run-file.ts';
import { drawPages } from './sample.ts';

const file = (name: string, pages: number): FileResult => ({
  path: name,
  name,
  judged: [
    {
      target: 'Latin',
      pages: Array.from({ length: pages }, (_, index) => ({ page: index + 1, words: 1 }) as PageFigures),
    },
  ],
});

const pagesOf = (seed: number): string[] =>
  drawPages([file('long', 50), file('short', 2), file('other', 3)], 20, seed).map(
    ({ file, page }) => `${file.name} ${page}`,
  );

it('draws the same pages for a seed, others for another seed, and none twice', () => {
  expect(pagesOf(7)).toEqual(pagesOf(7));
  expect(pagesOf(7)).not.toEqual(pagesOf(8));
  expect(new Set(pagesOf(7)).size).toBe(20);
});

it('draws from each file before it draws from one again', () => {
  expect(
    new Set(
      pagesOf(1)
        .slice(0, 3)
        .map((page) => page.split(' ')[0]),
    ).size,
  ).toBe(3);
});

it('draws all pages if there are fewer', () => {
  expect(drawPages([file('short', 2)], 20, 1)).toHaveLength(2);
});
