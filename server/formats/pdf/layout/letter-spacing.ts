import { median } from './statistics.ts';
import type { TextLine } from './text-lines.ts';

/** The minimum space between letters that counts as wide spacing, and the maximum one, as shares of the font size. */
const minSpacing = 0.06;
const maxSpacing = 1;
/** The minimum share of the usual space that three quarters of the spaces must have. Otherwise the letters are placed unevenly. */
const minEven = 0.6;
/** The maximum length of a text with wide spacing, in glyphs. Longer texts are not headlines. */
const maxLength = 200;
const spaced = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}]+$/u;

/** Returns the space that a text has between its letters in addition to their widths, in em; 0 if it is not wide. */
export function letterSpacingOf(lines: readonly TextLine[]): number {
  const gaps: number[] = [];
  for (const { glyphs, text, size, style } of lines) {
    if (style.family === 'mono' || gaps.length + glyphs.length > maxLength || !spaced.test(text)) return 0;
    const visible = glyphs.filter(({ isBlank }) => !isBlank);
    for (const [index, { left }] of visible.slice(1).entries())
      gaps.push((left - visible[index]!.right) / size);
  }
  if (gaps.length < 2) return 0;
  const usual = median(gaps);
  const low = gaps.sort((one, other) => one - other)[gaps.length >> 2]!;
  return usual >= minSpacing && usual <= maxSpacing && low >= minEven * usual ? usual : 0;
}
