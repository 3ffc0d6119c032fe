import { expect, test } from 'vitest';
import { pagesInFile } from '#web/app/editor/preview/pages-in-file.ts';

test('a bilingual file shows its translated pages only, in the order of the source', () => {
  const bilingual = { output: 'bilingual' as const };
  expect(pagesInFile(bilingual, 'target', 6)).toEqual([2, 4, 6]);
  expect(pagesInFile({ ...bilingual, pages: ['2', '4-'] }, 'target', 8)).toEqual([1, 3, 4, 6, 8]);
  expect(pagesInFile(bilingual, 'source', 3)).toEqual([1, 2, 3]);
  expect(pagesInFile({}, 'target', 3)).toEqual([1, 2, 3]);
});
