import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { LetterWidths } from '#server/formats/pdf/fitting/condensed.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { blockOf, pageOf, paint, rectangle, render } from './pdf-blocks.ts';
import { at, madePdf } from './pdf-made.ts';
import { page, serif, text } from './pdf-page.ts';
import { type Shown, shownTexts } from './pdf-shown.ts';

/** The width of the letters of a text as a share of their width in the font. */
const stretchOf = ({ turn }: Shown): number => Number((turn[0]! / turn[3]!).toFixed(2));

async function translated(content: string, target: string, targetLanguage = 'fr'): Promise<Shown[]> {
  const bytes = await madePdf({ content });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [target] }));
  return shownTexts((await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage })).bytes);
}

describe('the width of letters', () => {
  it('is that of a condensed source, by the widths of its letters', async () => {
    const condensed = await translated(
      `80 Tz ${at(40, 300, 'Annual general meeting')}`,
      'Assemblée générale',
    );
    expect(condensed.map(stretchOf)).toEqual([0.8]);
    const usual = await translated(at(40, 300, 'Annual general meeting'), 'Assemblée générale');
    expect(usual.map(stretchOf)).toEqual([1]);
  });

  it('is that of the Latin letters of its typeface, if it has none', async () => {
    const font = { ...serif, name: 'Lean' };
    const texts = ['Annual general meeting', 'สวัสดี'].map((value, at) =>
      text(value, 40, 300 - 90 * at, { font: { ...font } }),
    );
    for (const glyph of texts[0]!.glyphs) glyph.advance *= 0.7;
    const { blocks } = findBlocks(page(texts));
    const widths = new LetterWidths(page(texts), 'fr');
    const [latin, thai] = blocks.map((block) => widths.stretchOf(block));
    expect(latin).toBeLessThan(0.9);
    expect(thai).toBe(latin);
  });

  it('is not less than 72 %, and not more than 106 %', async () => {
    const narrow = await translated(`50 Tz ${at(40, 300, 'Annual general meeting')}`, 'Assemblée générale');
    expect(narrow.map(stretchOf)).toEqual([0.72]);
    const wide = await translated(`130 Tz ${at(40, 300, 'Annual general meeting')}`, 'Assemblée générale');
    expect(wide.map(stretchOf)).toEqual([1.06]);
  });

  it('is the usual one in other scripts', async () => {
    const shown = await translated(`80 Tz ${at(40, 300, 'Annual general meeting')}`, 'اجتماع', 'ar');
    expect(shown.map(stretchOf)).toEqual([1]);
  });

  const setBetweenWalls = async (target: string) => {
    const block = blockOf({ lines: ['Date of birth'] });
    const { left, bottom, right, top } = block.box;
    const paints = [
      paint(rectangle(right + 18, bottom - 20, 600, top + 20)),
      paint(rectangle(20, bottom - 20, left - 1, top + 20)),
      paint(rectangle(20, bottom - 20, 600, bottom - 1)),
    ];
    const set = await render([{ source: block, target }], { page: pageOf({ paints }) });
    return { set, shown: await shownTexts(set.bytes) };
  };

  it('becomes less, down to 85 %, before a line becomes smaller, and less if it becomes much smaller', async () => {
    const { set, shown } = await setBetweenWalls('Date de naissance');
    expect(shown.map(({ turn }) => turn[3])).toEqual([10]);
    expect(stretchOf(shown[0]!)).toBeLessThan(1);
    expect(stretchOf(shown[0]!)).toBeGreaterThanOrEqual(0.85);
    expect(set.findings).toEqual([]);
    const smaller = await setBetweenWalls('Date et lieu de naissance');
    expect(smaller.shown.map(stretchOf)).toEqual([0.75]);
    expect(smaller.set.findings.map(({ code }) => code)).toEqual(['text_shrunk']);
  });
});
