import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSame } from '#test/fidelity/format-fidelity.ts';
import { formats, page } from '#test/fidelity/main.ts';
import { type FormatResult, renderReport, withoutJudges } from '#test/fidelity/report.ts';

/** LibreOffice opens the same files in `npm run fidelity`; here its column is left out. */
const results: FormatResult[] = await Promise.all(
  formats.map(async (format) => ({ format, files: await format.measure(), opened: null })),
);

it('docs/fidelity.md says what the code gives', () => {
  expect(withoutJudges(readFileSync(page, 'utf8'))).toBe(withoutJudges(renderReport(results)));
});

it('every file was opened by the program that judges its format when docs/fidelity.md was written', () => {
  const rows = readFileSync(page, 'utf8').match(/\| yes \|/g);
  expect(rows).toHaveLength(results.flatMap(({ files }) => files).length);
});

describe.each(results)('$format.title', ({ files }) => {
  it.each(files)(
    '$name has each text translated once, and no text stands where nobody knows why it stays',
    (file) => {
      expect(file.found).toBeGreaterThan(0);
      expect(file.translatedOnce).toBe(file.found);
      expect([...file.kept.keys()]).not.toContain('elsewhere');
    },
  );

  it.each(files)('$name has the same in its changed parts', ({ comparisons, changedParts }) => {
    expect(comparisons.filter((comparison) => !isSame(comparison)).map(({ kind }) => kind)).toEqual([]);
    expect(changedParts).toBeGreaterThan(0);
  });
});
