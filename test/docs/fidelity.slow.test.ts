import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { officeFormats, page } from '#test/fidelity/main.ts';
import { isSame, officeSection } from '#test/fidelity/office.ts';
import { pdfNames } from '#test/fidelity/pdf.ts';
import { renderSection, withoutJudges } from '#test/fidelity/report.ts';

const written = readFileSync(page, 'utf8');
const sections = written.split(/^(?=## )/m);
const sectionOf = (title: string): string =>
  sections.find((each) => each.startsWith(`## ${title}\n`))!.trim();

/** `npm run fidelity` also opens the files in LibreOffice. The column of LibreOffice is omitted here. */
const results = await Promise.all(
  officeFormats.map(async (format) => ({ title: format.title, format, files: await format.measure() })),
);

it.each(results)('docs/fidelity.md has the results of the code for $title', ({ title, format, files }) => {
  const section = renderSection(officeSection(format, files, null));
  expect(withoutJudges(sectionOf(title))).toBe(withoutJudges(section));
});

it('every file was opened by the judge of its format when docs/fidelity.md was written', () => {
  for (const { title, files } of results)
    expect(sectionOf(title)).toContain(`| opened by LibreOffice | ${files.length} of ${files.length} |`);
});

it('the section about PDFs has all files of the corpus, without differences', () => {
  const section = sectionOf('PDF');
  for (const name of pdfNames) expect(section).toContain(`| ${name.replace('.pdf', '')} |`);
  expect(section).not.toContain('**');
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
