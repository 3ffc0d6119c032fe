import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgeFile, readSource, withDirectory } from './judge-file.ts';
import type { FaultKind } from './judge-page.ts';
import { hasPoppler } from './poppler.ts';
import { targets } from './word-map.ts';

const folder = join(import.meta.dirname, '../../corpus/pages');

const kinds: readonly FaultKind[] = [
  'uneven size',
  'changed gap',
  'parted label',
  'crossed by a rule',
  'short blank',
  'lost edge',
];

/**
 * The number of faults of each page that a reader sees as irregular. A limit may only become lower. The one of the bullets
 * rose from 30: smaller letters with space between their lines, which judges preferred, stand next to kept names. The one of the
 * header row rose from 4: the labels above it, now as large as in the source, start 0.1 em next to their column because of the form of a letter.
 * The one of the holes rose from 4: a text that continues in the next column has a line less in the first one, so that its last line is full.
 * The one of the ligatures rose from 3: in the typeface of the source, some lines of the page have other ends.
 * The one of the form rose from 18: its labels are as large as in the source, except the first of a row, which has no room.
 */
const limits: Record<string, number> = {
  '01-inline-check-boxes': 15,
  '02-blank-swallowed': 7,
  '03-form-labels-three-sizes': 19,
  '04-drawn-bullets': 37,
  '06-holes-in-running-text': 6,
  '07-right-aligned-labels': 1,
  '08-header-row-one-tiny-cell': 5,
  '10-leader-rows': 9,
  '11-ligatures-wrong-tounicode': 1,
  '13-ligatures-unmapped-code': 4,
  '14-title-two-p-tags': 0,
  '16-unknown-bullet-sign': 11,
  '17-paragraph-line-by-line': 10,
  '19-label-column-sizes': 17,
};

describe.skipIf(!hasPoppler)('a translated page of strangers', () => {
  it('has a limit', () => {
    expect(Object.keys(limits)).toEqual(readdirSync(folder).map((name) => name.replace(/\.pdf$/, '')));
  });

  it.each(Object.entries(limits))('looks as regular as its source: %s', (name, limit) =>
    withDirectory(async (directory) => {
      const source = await readSource(join(folder, `${name}.pdf`), 1);
      const target = targets.find(({ name }) => name === 'Latin')!;
      const { judged } = await judgeFile(source, target, join(directory, 'result.pdf'));
      const faults = judged.pages.flatMap(({ faults }) => faults.filter(({ kind }) => kinds.includes(kind)));
      expect(faults.map(({ kind, text }) => `${kind}: ${text}`).length).toBeLessThanOrEqual(limit);
      expect(judged.pages[0]!.words).toBeGreaterThan(20);
    }),
  );
});
