import { describe, expect, it } from 'vitest';
import { isSame } from '#test/fidelity/office.ts';
import { type MeasuredFile, measureFile } from '#test/fidelity/pdf/measured-file.ts';
import { pdfNames } from '#test/fidelity/pdf.ts';

/** This file is excluded: its 55 pages would take as long as all other files. `npm run fidelity` measures it. */
const names = pdfNames.filter((name) => name !== 'large-55-pages.pdf');

describe.each(names)('%s, translated by the stub engine', { timeout: 60_000 }, (name) => {
  let measured: Promise<MeasuredFile> | undefined;
  const measure = (): Promise<MeasuredFile> => {
    measured ??= measureFile(name);
    return measured;
  };

  it('has the pages, images, links, bookmarks, labels and fields that it had', async () => {
    const { comparisons } = await measure();
    for (const comparison of comparisons)
      expect(comparison.after, comparison.kind).toEqual(comparison.before);
    expect(comparisons.every(isSame)).toBe(true);
    expect(comparisons[0]!.before.length).toBeGreaterThan(0);
  });

  it('is a PDF in which qpdf finds no fault', async () => {
    expect((await measure()).complaints).toBe('');
  });

  it('has each word of its pages in one segment, or in a text that is kept', async (context) => {
    const { words } = await measure();
    if (!words) return context.skip('pdftotext is not installed');
    expect(words.missing.filter(({ why }) => why === null)).toEqual([]);
    expect(words.twice).toEqual([]);
  });

  it('shows each translation once, and no source text besides', async (context) => {
    const { words, segments } = await measure();
    if (!words) return context.skip('pdftotext is not installed');
    expect(words.translatedOnce).toBeGreaterThanOrEqual(segments - words.cut);
    expect(words.cut).toBeLessThanOrEqual(segments / 20);
    expect(words.left.filter(({ why }) => why === null)).toEqual([]);
  });

  it('says that there is no text, or has segments', async () => {
    const { segments, findings } = await measure();
    const saysNone = findings.some(({ code }) => code === 'no_translatable_text');
    expect(saysNone).toBe(segments === 0);
    expect(segments === 0).toBe(name === 'made-scanned-no-text.pdf');
  });
});
