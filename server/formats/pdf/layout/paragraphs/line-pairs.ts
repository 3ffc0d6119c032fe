import { sentenceEnd } from '../sentences.ts';
import { roomInChain, wordSpace } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import { isSameStyle, type TextLine } from './text-lines.ts';

/* Whether two lines below each other look like one text or like two. */

/**
 * The maximum ratio of the font sizes of a text. The second value applies if no sentence continues. Sizes of one
 * style may differ by rounding.
 */
const maxSizeRatio = 1.12;
const maxSizeRatioOfNew = 1.05;
/** The minimum distance between the starts of a displayed formula and of the text, as a share of the font size. */
const minFormulaIndent = 1.8;

/** The minimum number of short lines near a line that show a stack of lines. */
const minShort = 3;

/** An ideograph, also with a comma, at which no sentence ends or starts. */
const ideographAtEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][，、]?$/u;
const ideographAtStart = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** A sign that prose has, but hardly a heading. */
const ideographicStop = /[，、。；]/u;

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u;

/** A sign that is in code, but hardly in prose. */
const codeSign = /[=;{}<>]|\w\(|\w_\w/;

/** The minimum number of ideographs of a long line. */
const minIdeographs = 16;

/**
 * Whether most letters of two lines have different sizes. A line that starts in small capitals is full, or its last
 * letters have the size of the next line.
 */
export function isOtherSize(above: TextLine, line: TextLine, mayGoOn: boolean, endsEarly: boolean): boolean {
  const ratioOf = (one: number, other: number) => Math.max(one, other) / Math.min(one, other);
  const ratio = ratioOf(above.size, line.size);
  if (ratio > maxSizeRatio && endsEarly && !mayGoOn) return true;
  const max = mayGoOn ? maxSizeRatio : maxSizeRatioOfNew;
  return ratio > max && ratioOf(above.edgeStyles.last.size, line.edgeStyles.first.size) > max;
}

/** Whether lines whose sentence continues in another line look like running text: they have several words, and end in its style. */
export function runsOn(lines: readonly TextLine[], line: TextLine, minWords: number): boolean {
  return hasWords(lines, minWords) && isSameStyle(lines.at(-1)!.edgeStyles.last, line.edgeStyles.first);
}

/** Whether a line may be the next one of a text in prose: not of code, and not another item of a list, which starts like the one above. */
export function isProse({ text }: TextLine, line: TextLine): boolean {
  const firstWord = (one: string) => one.split(' ', 1)[0]!;
  const isCode = [text, line.text].some((one) => codeSign.test(one));
  return !/^\P{L}*\p{Ll}/u.test(text) && !isCode && firstWord(text) !== firstWord(line.text);
}

/** Whether a long line continues in the next one in a script whose words are not separated. */
export function continuesInIdeographs({ edgeStyles, text }: TextLine, line: TextLine): boolean {
  return (
    text.length >= minIdeographs &&
    ideographAtEnd.test(text) &&
    ideographAtStart.test(line.text) &&
    ideographicStop.test(text + line.text) &&
    isSameStyle(edgeStyles.last, line.edgeStyles.first)
  );
}

/** Whether lines have at least as many words. */
export function hasWords(lines: readonly TextLine[], count: number): boolean {
  return lines.flatMap(({ text }) => text.split(' ', count)).length >= count;
}

/** Whether one of two lines is a displayed formula: a formula without words that starts elsewhere than the other line. */
export function isDisplayed(above: TextLine, line: TextLine): boolean {
  const isShifted = Math.abs(above.left - line.left) > minFormulaIndent * line.size;
  return above.isFormula !== line.isFormula && isShifted;
}

/**
 * Whether a change of the style shows that a paragraph ends between two lines: for example a heading above its text, or
 * a bold label above a value. A few bold words in a paragraph are not such a change.
 *
 * @param mayGoOn whether the text may continue at the line
 * @param goesOn whether a sentence continues at the line
 */
export function changesStyle(
  above: TextLine,
  line: TextLine,
  length: number,
  endsEarly: boolean,
  mayGoOn: boolean,
  goesOn: boolean,
): boolean {
  if (goesOn && !(above.isUniform && line.isUniform)) return false;
  if (isSameStyle(above.edgeStyles.last, line.edgeStyles.first)) return false;
  if (above.isUniform && line.isUniform)
    return endsEarly || !(mayGoOn || (length > 1 && !sentenceEnd.test(above.text)));
  const { first, last } = above.edgeStyles;
  const isOther = [first, last, above.style].every((style) => !isSameStyle(style, line.style));
  if (length === 1 && line.isUniform && isOther && !mayGoOn) return true;
  const isHeading =
    length === 1 && above.isUniform && above.style.bold && !line.edgeStyles.first.bold && !mayGoOn;
  // Each line of a list may start with a bold name and end with regular words.
  const isEntry =
    !mayGoOn &&
    isSameStyle(above.edgeStyles.first, line.edgeStyles.first) &&
    (!isSameStyle(line.edgeStyles.first, line.edgeStyles.last) ||
      [above, line].some(({ edgeStyles, style }) => !isSameStyle(edgeStyles.first, style)));
  return isHeading || isEntry || endsEarly;
}

/** Whether all letters of one line are of a script from right to left, and all of the other line are not. */
export function changesScript(above: TextLine, line: TextLine): boolean {
  const [upper, lower] = [above, line].map(({ text }) => {
    const letters = text.match(/\p{L}/gu) ?? [];
    const fromRight = letters.filter((letter) => rightToLeft.test(letter)).length;
    return letters.length > 1 && fromRight % letters.length === 0 ? fromRight > 0 : undefined;
  });
  return upper !== undefined && lower !== undefined && upper !== lower;
}

/** Whether two lines, and a third one next to them, have only one word each. Such lines are cells, not running text. */
export function isListOfWords(chain: Chain, index: number): boolean {
  const isWord = (at: number) => chain[at] !== undefined && !chain[at].text.includes(' ');
  return isWord(index - 1) && isWord(index) && (isWord(index - 2) || isWord(index + 1));
}

/** Whether the lines near line `index` all end early, as those of an address do. */
export function isAmongShort(chain: Chain, index: number, isCentred: boolean): boolean {
  const near = [index - 2, index - 1, index + 1, index + 2].filter((at) => chain[at - 1] && chain[at]);
  return (
    near.length >= minShort &&
    near.every((at) => {
      const { firstWordWidth, size } = chain[at]!;
      const room = roomInChain(chain, at, isCentred);
      return room > firstWordWidth + wordSpace * size && !sentenceEnd.test(chain[at - 1]!.text);
    })
  );
}

/** Whether a line has enough words for a sentence. */
export function isLong({ text }: TextLine): boolean {
  return text.split(' ').length > 3;
}
