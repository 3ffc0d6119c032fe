import { startsWithSign } from '../item-signs.ts';
import {
  capitalStart,
  isAddress,
  isOpen,
  jointAtEnd,
  labelStart,
  lowerStart,
  sentenceEnd,
} from '../sentences.ts';
import { edgesOf, minWidthOfText, wordSpace } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';

/** The minimum indent, as a share of the font size. The first bracket of a Japanese line hangs over by a half. */
export const minIndent = 0.55;
const maxIndent = 8;
/** The minimum number of lines of a text next to an object, and the maximum difference between their edges, in em. */
const minLinesBeside = 3;
const sameEnd = 0.1;
/** How much shorter than the next line the only line of a paragraph is, as a share of the font size. */
const shorter = 1;
/** The end of a line whose number is in the next one. */
const numberEnd = /\s(?:Nos?|Nr|Vol|pp?)\.$/u;

/**
 * Whether a paragraph starts because its first line is indented, or because a group of indented lines ends.
 *
 * @param length the number of lines of the paragraph above line `index`
 * @param mayGoOn whether the text may continue at the line
 */
export function changesIndent(
  chain: Chain,
  index: number,
  length: number,
  endsEarly: boolean,
  mayGoOn: boolean,
): boolean {
  const edges = edgesOf(chain);
  const [above, line, next] = [edges[index - 1]!, edges[index]!, edges[index + 1]];
  const { size, text } = chain[index]!;
  const indent = line.start - above.start;
  const isAfter = (at: number) => edges[at] !== undefined && edges[at].start - line.start > minIndent * size;
  // Of a list with hanging lines, an item of one line is between hanging lines. A paragraph of one line may have the same
  // indent as the first line of the next paragraph.
  const isFirst = () =>
    next !== undefined &&
    line.start - next.start > minIndent * size &&
    next.end - above.end > shorter * size &&
    sentenceEnd.test(chain[index - 1]!.text);
  if (Math.abs(indent) <= minIndent * size)
    return length === 1 && !mayGoOn && ((isAfter(index - 2) && isAfter(index + 1)) || isFirst());
  const isNextAligned = next !== undefined && Math.abs(next.start - line.start) < 0.3 * size;
  // In a text with hanging lines, the next word has no room at the end of a line.
  const isNextWrapped =
    isNextAligned &&
    Math.max(above.end, next.end) - line.end < chain[index + 1]!.firstWordWidth + wordSpace * size;
  const upper = chain[index - 1]!;
  if (indent < 0) {
    // The lines next to an object start at one position, and the full line below it starts at another one.
    const isBelowObject =
      length >= minLinesBeside &&
      !endsEarly &&
      !sentenceEnd.test(upper.text) &&
      (mayGoOn || Math.abs(line.end - above.end) < sameEnd * size) &&
      edges.slice(index - length, index).every(({ start }) => Math.abs(start - above.start) < sameEnd * size);
    return !isBelowObject && (length > 1 || -indent > maxIndent * size);
  }
  const isUnfinished =
    upper.right - upper.left > minWidthOfText * size &&
    indent < maxIndent * size &&
    (!sentenceEnd.test(upper.text) || (numberEnd.test(upper.text) && /^\d/.test(text)));
  const isHanging =
    length === 1 &&
    !endsEarly &&
    (isNextWrapped || startsLikeItem(upper.text) || lowerStart.test(text) || isUnfinished);
  if (isHanging) return false;
  // Lines that end at the same position but start at different positions are right-aligned, so their starts do not show
  // an indent.
  const isFlushEnd = [above, next].every((other) => other && Math.abs(other.end - line.end) < 0.2 * size);
  const isRagged =
    isFlushEnd &&
    next !== undefined &&
    !isNextAligned &&
    Math.abs(next.start - above.start) > minIndent * size;
  return !isRagged;
}

const itemNumber =
  /^(?:\[\d{1,3}\]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[ivxlc]{1,5}[.)]|[IVX]{1,5}\.|\d{1,2}(?:\.\d{1,2})+\.?)\s|^[①-⑳]|^第[\p{Nd}一二三四五六七八九十]{1,3}[章節条]?\s|^[(（][ア-ン一二三四五六七八九十]{1,2}[)）]|^\(?\d{1,2}(?:、|[.)．](?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]))/iu;

/** The number of a clause at the third level or below, before a word with a capital. The number of a version may look alike. */
const clauseNumber = /^\d{1,2}(?:\.\d{1,2}){2,}\.?\s["“(]?\p{Lu}/u;
/** The number of the first item of a list, or of any chapter. */
const firstNumber = /^(?:\(?[1ai①][.)]?|第.{1,4})\s/iu;
const initial = /^\p{Lu}\.\s/u;

/** A name with its value. */
const assignment = /^\p{L}\w* = \S+$/u;

/** The maximum difference between equal starts of lines, as a share of the font size. */
const sameStart = 0.3;

export function startsLikeItem(text: string): boolean {
  return startsWithSign(text) || itemNumber.test(text);
}

/**
 * Whether a label with a colon starts at a line: after another label, or after a line that is only a label. Below such a
 * line, an address is its value. A label in the middle of a paragraph is a part of it.
 *
 * @param first the first line of the paragraph that ends at the line above
 */
export function startsLabel(first: TextLine, above: TextLine, line: TextLine, length: number): boolean {
  if (
    length === 1 &&
    /^[^:]{1,40}:$/u.test(above.text) &&
    (capitalStart.test(line.text) || isAddress(line.text))
  )
    return true;
  if (assignment.test(above.text) && assignment.test(line.text)) return true;
  if (!labelStart.test(line.text) || jointAtEnd.test(above.text)) return false;
  return labelStart.test(first.text) || labelStart.test(above.text);
}

export function startsItem(chain: Chain, index: number, length: number, endsEarly: boolean): boolean {
  const [above, line] = [chain[index - 1]!, chain[index]!];
  const [upper, own] = edgesOf(chain).slice(index - 1, index + 1);
  const shift = own!.start - upper!.start;
  // The first line of a paragraph may have an indent.
  const isShifted = (length > 1 ? Math.abs(shift) : shift) > sameStart * line.size;
  if (startsWithMark(line)) return true;
  if (clauseNumber.test(line.text) && !isOpen(above.text, line.text)) return true;
  // A dash may also be in a sentence, as may an option of a command, or a variable whose character is unknown.
  const mayBeWord = /^[–—\-\ufffd\p{Co}]/u.test(line.text);
  // The end of a line may divide signs in place of a date or an amount: `○○`.
  if (startsWithSign(line.text) && !(above.text.endsWith(line.text[0]!) && /^\p{So}\p{L}/u.test(line.text))) {
    const first = chain[index - length]!.text;
    const isLikeFirst = startsWithSign(first) ? first[0] === line.text[0] : isShifted;
    return !mayBeWord || endsEarly || sentenceEnd.test(above.text) || isLikeFirst;
  }
  if (!itemNumber.test(line.text)) return false;
  const isNext = shapeOf(line.text) === shapeOf(chain[index - length]!.text);
  const isFirst = sentenceEnd.test(above.text) && firstNumber.test(line.text);
  // An initial letter may also start a name, in the middle of a sentence.
  return endsEarly || isNext || isFirst || (isShifted && !initial.test(line.text));
}

/** Returns the form of an item number: the same for `1.` and `22.`, another one for `1)`, `①` and `a.`. */
function shapeOf(text: string): string | undefined {
  return itemNumber
    .exec(text)?.[0]
    .replaceAll(/\d+|[①-⑳]|[ア-ン一二三四五六七八九十]+/gu, '1')
    .replaceAll(/\p{Lu}+/gu, 'A')
    .replaceAll(/\p{Ll}+/gu, 'a');
}

/** Whether a line starts with a superscript: the mark of a note or of an affiliation. */
function startsWithMark({ characters, rises }: TextLine): boolean {
  const first = characters[0]?.glyph;
  return first !== null && first !== undefined && (rises.get(first.piece) ?? 0) > 0;
}
