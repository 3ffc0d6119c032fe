import { greatest } from '../../statistics.ts';
import {
  amountAtEnd,
  capitalStart,
  contactAtStart,
  endsWithAddress,
  isAddress,
  isFigures,
} from '../sentences.ts';
import { hasSameLeading } from './leadings.ts';
import type { Chain } from './line-links.ts';
import { isSameStyle, type TextLine } from './text-lines.ts';

/** The minimum number of words from which lines must have two equal words at their starts. */
const longLine = 8;
/** A label of one or two words with its value. */
const shortLabel = /^\p{Lu}[^\s:.;!?]{0,20}(?: [^\s:.;!?]{1,20})?: \S/u;

/**
 * The minimum number of lines of a list of lines, and the minimum number of its lines after which the next word would fit;
 * the minimum number of lines that all end with a number or a code.
 */
const minLines = 4;
const minEarly = 2;
const minLinesWithCode = 3;
const codeAtEnd = /^\p{L}.*\s\S*\d\S*$/u;
/** The maximum number of lines above and below that are read. It limits the time for a long list. */
const nearbyLines = 8;
/** The maximum difference between equal starts of lines, as a share of the font size. */
const sameStart = 0.1;
/** The width of a space between words, as a share of the font size. */
const wordSpace = 0.25;

/** A label of one word with a number, such as a telephone number. It is not a part of a title. */
const numberLabel = /^\p{Lu}[^\s:.;!?]{0,20}: [+(#]?\d/u;

/**
 * Whether the lines of a stack show that an entry of a list starts at a line: an article of a receipt, a contact, or a
 * row of a column. The lines must not be running text, in which these signs are there by chance.
 */
export function startsEntry(chain: Chain, index: number, isTitle: boolean): boolean {
  const [above, line, next] = [chain[index - 1]!, chain[index]!, chain[index + 1]];
  if (above.text.endsWith(',')) return false;
  return (
    (wordsOf(above).length < longLine && (isTitle ? numberLabel : shortLabel).test(line.text)) ||
    contactAtStart.test(line.text) ||
    amountAtEnd.test(above.text) ||
    isFigures(above.text) !== isFigures(line.text) ||
    endsWithAddress(above.text) ||
    (isAddress(line.text) && !above.text.endsWith(':')) ||
    startsAlike(above, line) ||
    (isInCapitals(above) && /^\P{L}*\p{Lu}\p{Ll}/u.test(line.text)) ||
    (next !== undefined && startsAlike(line, next))
  );
}

/**
 * Whether each line of the stack around a line is an item of a list: all start with a capital and end without a stop, and
 * several of them have room for the next word, or all end with a number or a code. In running text, neither happens.
 *
 * @param runs whether the lines nearby are running text. The list is then indented
 */
export function isListOfLines(chain: Chain, index: number, runs: boolean): boolean {
  const own = chain[index]!;
  const isItem = (line: TextLine | undefined) =>
    line !== undefined &&
    capitalStart.test(line.text) &&
    !/[,.!?:;]$/u.test(line.text) &&
    Math.min(Math.abs(line.left - own.left), Math.abs(line.right - own.right)) < sameStart * own.size &&
    line.size === own.size &&
    isSameStyle(line.style, own.style);
  let [first, end] = [index, index + 1];
  while (first > index - nearbyLines && isItem(chain[first - 1]) && hasSameLeading(chain, first, index))
    first--;
  while (end < index + nearbyLines && isItem(chain[end]) && hasSameLeading(chain, end, index)) end++;
  const lines = chain.slice(first, end);
  if (!isItem(own) || lines.length < minLinesWithCode) return false;
  const isIndented = (line: TextLine | undefined) => !line || own.left - line.left > own.size;
  if (runs && ![chain[first - 1], chain[end]].every(isIndented)) return false;
  if (lines.every(({ text }) => codeAtEnd.test(text))) return true;
  const widthOf = ({ left, right }: TextLine) => right - left;
  const widest = greatest(lines.map(widthOf));
  const early = lines
    .slice(1)
    .filter((line, at) => widest - widthOf(lines[at]!) > line.firstWordWidth + wordSpace * line.size);
  return (
    lines.length >= minLines && lines.every(({ text }) => /\p{Ll}|\d/u.test(text)) && early.length >= minEarly
  );
}

/** Whether two lines differ only in their numbers, such as the prices of two articles. */
export function differInNumbers(above: TextLine, line: TextLine): boolean {
  const wordsOf = ({ text }: TextLine) => text.replaceAll(/\d+/g, '1');
  return /\d/.test(line.text) && wordsOf(above) === wordsOf(line);
}

/** Whether a line has at least two words, all in capitals. Shorter words may be abbreviations in another text. */
function isInCapitals({ text }: TextLine): boolean {
  const words = text.split(' ').filter((word) => /\p{Lu}{5}/u.test(word));
  return words.length > 1 && !/\p{Ll}/u.test(text);
}

/** Whether two lines start with the same word, or with numbers of the same form. */
function startsAlike(one: TextLine, other: TextLine): boolean {
  const [first, second] = [wordsOf(one), wordsOf(other)];
  if (!capitalStart.test(one.text) || first[0] !== second[0] || first[0]!.length < 2) return false;
  return Math.max(first.length, second.length) < longLine || first[1] === second[1];
}

function wordsOf({ text }: TextLine): string[] {
  return text.replaceAll(/\d/g, '1').split(' ');
}

/** Whether a bold line is below regular words of a text that started with bold ones. The line starts the next text. */
export function isBoldLikeStart(first: TextLine, above: TextLine, line: TextLine): boolean {
  const areBold = line.isUniform && line.style.bold && first.edgeStyles.first.bold;
  return areBold && !above.edgeStyles.last.bold && capitalStart.test(line.text);
}
