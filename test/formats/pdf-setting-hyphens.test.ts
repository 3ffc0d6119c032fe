import { describe, expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { divisionsOf } from '#server/formats/typesetting/hyphenation.ts';
import { breakLines, countLines } from '#server/formats/typesetting/lines.ts';
import { shapeParagraph } from '#server/formats/typesetting/paragraph.ts';
import { at, madePdf } from './pdf-made.ts';
import { shownLines } from './pdf-shown.ts';

const target =
  'Nichtanerkennung und Verachtung der Menschenrechte haben zu Akten der Barbarei geführt, die das Gewissen der Menschheit mit Empörung erfüllen, und Gerechtigkeitsvorstellungen verletzen.';

/** The lines of a page, 12 points apart. */
const page = (lines: readonly string[], x = 40) =>
  madePdf({ content: lines.map((line, index) => at(x, 350 - 12 * index, line)).join('\n') });

const divided = page([
  'We tell the story of a small engine that repre-',
  'sents a lot of work which nobody ever has seen',
  'before it was finished, and which everybody has',
  'seen since, as far as we know about this matter.',
]);

async function translated(source: Promise<Uint8Array>, targetLanguage = 'de', text = target) {
  const bytes = await source;
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: [text] }));
  const result = (await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage })).bytes;
  const lines = (await shownLines(result)).map(({ text }) => text);
  return { result, lines, hyphens: lines.filter((line) => line.endsWith('\u00ad')) };
}

describe('words of a translation', () => {
  it('are divided in a narrow column that divides words, and copied without a hyphen', async () => {
    const { result, lines, hyphens } = await translated(divided);
    expect(hyphens.length).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(hyphens.length);
    const [segment] = (await extract(result)).segments;
    expect(plainText(segment!.source)).toBe(target);
  });

  it('fit with their hyphen, and at most two lines in a row end with one', () => {
    const paragraph = shapeParagraph(target, { language: 'de', isHyphenated: true });
    for (let width = 6; width < 20; width += 0.1) {
      const lines = breakLines(paragraph, width);
      expect(lines).toHaveLength(countLines(paragraph, width));
      for (const line of lines) expect(line.width).toBeLessThanOrEqual(width + 1e-6);
      const ends = lines.map(({ runs }) =>
        runs.at(-1)!.clusters.at(-1)!.text.endsWith('\u00ad') ? '-' : ' ',
      );
      // A narrower line may contain less than a long word.
      if (width > 12) expect(ends.join('')).not.toContain('---');
    }
  });

  it('stay whole in a language without patterns, and if the source divides none', async () => {
    expect((await translated(divided, 'cs')).hyphens).toEqual([]);
    const whole = page([
      'We tell the story of a small engine that has',
      'done a lot of work which nobody ever has seen',
      'before it was finished, and which everybody has',
      'seen since, as far as we know about this matter.',
    ]);
    expect((await translated(whole)).hyphens).toEqual([]);
  });

  it('stay whole in a wide column', async () => {
    const wide = page([
      'We tell the story of a small engine that is quite well known and that repre-',
      'sents a lot of work which nobody ever has seen before it was finished, and it',
      'is one which everybody has seen since, as far as we know about this matter.',
    ]);
    expect((await translated(wide)).hyphens).toEqual([]);
  });

  it('of an address, an abbreviation or a compound with a hyphen are never divided', () => {
    const divide = (text: string, language = 'de') => {
      const at = divisionsOf(text, language);
      return [0, ...at].map((start, index) => text.slice(start, at[index])).join('|');
    };
    expect(divide('Menschenrechte')).toBe('Men|schen|rechte');
    expect(
      divide('Donaudampf-schifffahrt UNESCOWELT www.beispielseite.org info@beispielseite.de'),
    ).not.toContain('|');
    expect(divide('représentation', 'fr')).toBe('re|pré|sen|ta|tion');
    expect(divide('представлення', 'uk')).toContain('|');
    expect(divide('representation', 'pt-BR')).toContain('|');
    expect(divide('reprezentace', 'cs')).not.toContain('|');
  });
});
