import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import type { PageContent, ShownText, StructureElement } from '#server/formats/pdf/page-content.ts';
import { convertByLibreOffice } from './libreoffice.ts';

const folder = new URL('../corpus/docx/', import.meta.url);
const filter = `writer_pdf_Export:${JSON.stringify({ UseTaggedPDF: { type: 'boolean', value: 'true' } })}`;

/** Counts the paragraphs of some pages, and those that are joined with another one in a block. */
function count(pages: readonly PageContent[], elements: ReadonlyMap<ShownText, StructureElement>) {
  let [all, joined] = [0, 0];
  for (const page of pages) {
    const found = new Set<StructureElement>();
    for (const { glyphs } of findBlocks(page).blocks) {
      const letters = new Map<StructureElement, string>();
      for (const { text, from, to } of glyphs) {
        const element = elements.get(text);
        const own = text.glyphs.slice(from, to).map((glyph) => glyph.text);
        if (element) letters.set(element, (letters.get(element) ?? '') + own.join(''));
      }
      const texts = [...letters].filter(([, text]) => /\p{L}{2}/u.test(text));
      for (const [element] of texts) found.add(element);
      joined += Math.max(0, texts.length - 1);
    }
    all += found.size;
  }
  return { all, joined };
}

describe('the paragraphs of Word files that LibreOffice saves as tagged PDFs', { timeout: 240_000 }, () => {
  it('are not joined, except for a phrase; without their tags, less than one in ten', async (context) => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.docx'));
    const files = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, folder))]));
    const saved = convertByLibreOffice(files, 'pdf', { filter });
    if (!saved) return context.skip('LibreOffice is not installed');
    const total = { all: 0, joined: 0, joinedWithoutTags: 0 };
    for (const bytes of Object.values(saved)) {
      const pdf = await openPdf(bytes);
      const pages = await Promise.all(
        Array.from({ length: Math.min(10, pdf.pageCount) }, (_, index) => pdf.readPage(index + 1)),
      );
      await pdf.close();
      const texts = pages.flatMap((page) => page.texts);
      const elements = new Map(texts.flatMap((text) => (text.element ? [[text, text.element]] : [])));
      const tagged = count(pages, elements);
      for (const text of texts) text.element = undefined;
      total.all += tagged.all;
      total.joined += tagged.joined;
      total.joinedWithoutTags += count(pages, elements).joined;
    }
    expect(total.all).toBeGreaterThan(900);
    // A phrase of a form is in two paragraphs: `Kosten der externen F&E-Dienstleistung für das`.
    expect(total.joined).toBeLessThanOrEqual(1);
    expect(total.joinedWithoutTags).toBeGreaterThan(0);
    expect(total.joinedWithoutTags).toBeLessThan(0.1 * total.all);
  });
});
