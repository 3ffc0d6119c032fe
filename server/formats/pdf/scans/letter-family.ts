import type { RecognizedLine } from '../../ocr/recognized-page.ts';
import { latinFont } from '../../typesetting/font-style.ts';
import { advanceIn } from '../../typesetting/fonts.ts';
import type { TextFont } from '../page-content.ts';

const families = ['sans', 'serif', 'mono'] as const;
/** The minimum number of letters of a word that is measured, and of words that are enough to decide. */
const minLetters = 4;
const minWords = 12;

/**
 * Returns the family of fonts whose letters have the widths of a page's letters: the ratio of the width of a word to its
 * width in the font is then almost the same for all words.
 */
export function familyOf(lines: readonly RecognizedLine[]): TextFont['family'] {
  const ratios = { sans: [] as number[], serif: [] as number[], mono: [] as number[] };
  for (const { words, size, bold } of lines)
    for (const { text, box } of words) {
      if (!/^[A-Za-z]+$/.test(text) || text.length < minLetters) continue;
      for (const family of families) {
        const name = latinFont({ family, bold, italic: false });
        const width = [...text].reduce((sum, letter) => sum + (advanceIn(name, letter) ?? 0.5), 0);
        ratios[family].push(Math.log((box[2] - box[0]) / (width * size)));
      }
    }
  if (ratios.sans.length < minWords) return 'sans';
  const spread = (values: readonly number[]): number => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  };
  return families.reduce((best, family) => (spread(ratios[family]) < spread(ratios[best]) ? family : best));
}
