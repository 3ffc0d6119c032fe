import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, madePdf } from './pdf-made.ts';
import { shownLines } from './pdf-shown.ts';

const longer = 'Une rubrique de la liste, dont la traduction est bien plus longue que la ligne de la page';
const shorter = 'Une autre';

/** Sets a list of three items, of which the first becomes longer than the width of the page. */
async function setList(sign: string, page: Record<string, unknown> = {}) {
  const rows = ['An item of the list, which has almost the width of the page', 'Another one', 'A third one'];
  const content = rows.map((row, index) => at(40, 300 - 12 * index, sign) + at(55, 300 - 12 * index, row));
  const bytes = await madePdf({ content: content.join(' '), page });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }, index) => ({
    regionId,
    cellId,
    target: [index === 0 ? longer : shorter],
  }));
  const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  return { lines: await shownLines(result.bytes), findings: result.findings };
}

describe('the items of a list', () => {
  it('move down with their bullets before one of them becomes smaller than the others', async () => {
    const { lines, findings } = await setList('\\225');
    expect(lines.map(({ text }) => text.startsWith('•'))).toEqual([true, false, true, true]);
    expect(new Set(lines.map(({ size }) => size))).toEqual(new Set([10]));
    expect(lines.map(({ x }) => Math.round(x))).toEqual([40, 55, 40, 40]);
    expect(findings).toEqual([]);
  });

  it('stay in place if they have numbers, or if the page has form fields', async () => {
    const field = { Type: 'Annot', Subtype: 'Widget', FT: 'Tx', Rect: [40, 100, 200, 120] };
    for (const { lines } of [await setList('1.'), await setList('\\225', { Annots: [field] })])
      expect(lines.map(({ y }) => Math.round(y))).toEqual([300, 288, 276]);
  });
});
