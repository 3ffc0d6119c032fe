import { isPairAt } from '../text.ts';

const space = 0.28;
/** The usual widths of characters in ems, in the order in which they are tried. */
const widths: readonly [pattern: RegExp, width: number][] = [
  [/\p{M}/u, 0],
  [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\uff00-\uffef]/u, 1],
  [/[\s.,;:'|!()[\]ijlftr/-]/, space],
  [/[mwMW]/, 0.85],
  [/\p{Lu}/u, 0.67],
];

/** The width of a digit in ems. The widths of columns are numbers of digits. */
export const digitWidth = 0.55;

/** The widths of the UTF-16 units that were measured before; NaN for the others. Patterns would take most of the time. */
const known = new Float64Array(0x10000).fill(Number.NaN);

/** Returns the approximate width of a text on one line, in ems. */
export function widthOf(text: string): number {
  let width = 0;
  for (let index = 0; index < text.length; index++) {
    if (isPairAt(text, index)) width += widthOfCharacter(text.slice(index, ++index + 1));
    else {
      const unit = text.charCodeAt(index);
      if (Number.isNaN(known[unit])) known[unit] = widthOfCharacter(text[index]!);
      width += known[unit]!;
    }
  }
  return width;
}

function widthOfCharacter(character: string): number {
  return widths.find(([pattern]) => pattern.test(character))?.[1] ?? digitWidth;
}

/** Returns the width of the longest line of a text, in ems. */
export function longestLine(text: string): number {
  return Math.max(...text.split('\n').map(widthOf));
}

/** Returns the width of the longest word of a text, in ems. */
export function longestWord(text: string): number {
  return Math.max(...text.split(/\s+/).map(widthOf));
}

/** Returns the number of lines of a text whose lines have at most this length, in ems. */
export function linesOf(text: string, length: number): number {
  let lines = 0;
  for (const paragraph of text.split('\n')) {
    lines++;
    let used = 0;
    for (const word of paragraph.split(/\s+/)) {
      const width = widthOf(word);
      if (used > 0 && used + space + width > length) {
        lines++;
        used = width;
      } else used += width + (used > 0 ? space : 0);
    }
  }
  return lines;
}

/** Returns the shortest length of lines such that a text has no more lines than `lines`, in ems. */
export function shortestLength(text: string, lines: number): number {
  let low = longestWord(text);
  let high = Math.max(low, widthOf(text));
  if (linesOf(text, low) <= lines || linesOf(text, high) > lines)
    return linesOf(text, low) <= lines ? low : high;
  for (let step = 0; step < 12; step++) {
    const middle = (low + high) / 2;
    if (linesOf(text, middle) <= lines) high = middle;
    else low = middle;
  }
  return high;
}
