import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { officeFormats, resultsFile } from '#test/fidelity/main.ts';
import { isSame, officeSection } from '#test/fidelity/office.ts';
import { pdfNames } from '#test/fidelity/pdf.ts';
import { readResults, type StoredSection, withoutJudges } from '#test/fidelity/report.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/fidelity.md'), 'utf8');
const stored = readResults(resultsFile);
const sectionOf = (title: string): StoredSection => stored.find((each) => each.title === title)!;
/** The figure in the first row with this name. */
const figureOf = (title: string, what: string): string | undefined =>
  sectionOf(title)
    .tables.flatMap(({ rows }) => rows)
    .find((row) => row[0] === what)?.[1];

/** `npm run fidelity` also opens the files in LibreOffice. The rows of LibreOffice are omitted here. */
const results = await Promise.all(
  officeFormats.map(async (format) => ({ title: format.title, format, files: await format.measure() })),
);

it.each(results)('the stored results are those of the code for $title', ({ title, format, files }) => {
  expect(withoutJudges(sectionOf(title))).toEqual(withoutJudges(officeSection(format, files, null)));
});

it('every file was opened by the judge of its format when the results were stored', () => {
  for (const { title, files } of results)
    expect(figureOf(title, 'opened by LibreOffice')).toBe(`${files.length} of ${files.length}`);
});

it('the stored results have all PDFs of the corpus, without differences', () => {
  const { tables } = sectionOf('PDF');
  const listed = tables[0]!.rows.map(([name]) => `${name}.pdf`);
  expect(listed).toEqual(expect.arrayContaining([...pdfNames]));
  expect(JSON.stringify(tables)).not.toContain('**');
});

it('docs/fidelity.md has the stored totals', () => {
  for (const title of ['DOCX', 'XLSX']) {
    const once = figureOf(title, 'translated once')?.replace(/\d+/g, (n) => Number(n).toLocaleString('en'));
    expect(guide).toContain(`| ${title} | ${figureOf(title, 'files')} | ${once} |`);
  }
  expect(guide).toContain(`${figureOf('Scans', 'errors on all pages')} of the characters were wrong`);
});

describe.each(results)('$title', ({ files }) => {
  it.each(files)(
    '$name has each text translated once, and no text stands where nobody knows why it stays',
    (file) => {
      expect(file.found).toBeGreaterThan(0);
      expect(file.translatedOnce).toBe(file.found);
      expect([...file.kept.keys()]).not.toContain('elsewhere');
    },
  );

  it.each(files)('$name has equal content in its changed parts', ({ comparisons, changedParts }) => {
    expect(comparisons.filter((comparison) => !isSame(comparison)).map(({ kind }) => kind)).toEqual([]);
    expect(changedParts).toBeGreaterThan(0);
  });
});
