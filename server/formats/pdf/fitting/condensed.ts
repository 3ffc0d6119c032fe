import { fontChoice } from '../../typesetting/font-choice.ts';
import { faceOf } from '../../typesetting/font-style.ts';
import { advanceIn } from '../../typesetting/fonts.ts';
import type { PageContent, TextFont } from '../page-content.ts';
import type { TextBlock } from '../text-block.ts';

/** The share of their usual width to which letters are condensed at most because of their source. */
const minStretch = 0.72;
/** The share of their usual width to which letters are stretched at most because of their source. */
const maxStretch = 1.06;
/** The shares between which letters have their usual width. */
const usual = { least: 0.97, most: 1.01 };
/** The minimum number of measured letters of a font on a page. */
const minLetters = 12;

/**
 * Measures how much narrower the letters of a page's fonts are than those of the fonts for translations. Only Latin
 * letters are measured.
 */
export class LetterWidths {
  readonly #ratios = new Map<string | TextFont, { own: number; ours: number; letters: number }>();

  /** @param language the language of the translations: a typeface may lack its letters */
  constructor({ texts }: PageContent, language: string) {
    for (const { font, glyphs, matrix } of texts) {
      const [a, b, c, d] = matrix;
      const scaling = Math.hypot(a, b) / Math.hypot(c, d);
      const name = fontChoice(language, { ...font, face: faceOf(font) })('a');
      const sum = this.#ratios.get(keyOf(font)) ?? { own: 0, ours: 0, letters: 0 };
      this.#ratios.set(keyOf(font), sum);
      for (const { text, advance } of glyphs) {
        if (!/^[A-Za-z]$/.test(text)) continue;
        const ours = advanceIn(name, text);
        if (ours === null || !Number.isFinite(scaling)) continue;
        sum.own += advance * scaling;
        sum.ours += ours;
        sum.letters++;
      }
    }
  }

  /** Returns the share of the usual width that a translation's letters must have to look as narrow as their source. */
  stretchOf({ glyphs, style }: TextBlock): number {
    if (style.family === 'mono') return 1;
    let [own, ours] = [0, 0];
    const counts = new Map<string | TextFont, number>();
    for (const { text, from, to } of glyphs) {
      const key = keyOf(text.font);
      counts.set(key, (counts.get(key) ?? 0) + to - from);
    }
    for (const [key, count] of counts) {
      const measured = this.#ratios.get(key);
      if (!measured || measured.letters < minLetters) continue;
      own += (count * measured.own) / measured.ours;
      ours += count;
    }
    const stretch = ours > 0 ? own / ours : 1;
    if (stretch >= usual.least && stretch <= usual.most) return 1;
    return Math.min(maxStretch, Math.max(minStretch, stretch));
  }
}

/** Returns a key that the fonts of one face share: programs divide a typeface by its scripts. */
function keyOf(font: TextFont): string | TextFont {
  const { name, bold, light, italic } = font;
  return name ? `${name} ${bold} ${light} ${italic}` : font;
}
