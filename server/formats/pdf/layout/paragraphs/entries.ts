import {
  amountAtEnd,
  capitalStart,
  contactAtStart,
  endsWithAddress,
  isAddress,
  isFigures,
} from '../sentences.ts';
import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';

/** The minimum number of words from which lines must have two equal words at their starts. */
const longLine = 8;
/** A label of one or two words with its value. */
const shortLabel = /^\p{Lu}[^\s:.;!?]{0,20}(?: [^\s:.;!?]{1,20})?: \S/u;

/** A label of one word with a number, such as a telephone number. It is not a part of a title. */
const numberLabel = /^\p{Lu}[^\s:.;!?]{0,20}: [+(#]?\d/u;

/**
 * Whether the lines of a stack show that an entry of a list starts at a line: an article of a receipt, a contact, or a
 * row of a column.
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
