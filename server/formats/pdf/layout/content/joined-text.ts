import { continuesAddress } from '../paragraphs/addresses.ts';
import type { TextLine } from '../paragraphs/text-lines.ts';
import type { Glyph } from '../pieces.ts';
import { openHyphen } from '../vocabulary.ts';

/** A character of a block, with its glyph and its rise. A space that was added between two lines has no glyph. */
export interface JoinedCharacter {
  text: string;
  glyph: Glyph | null;
  /** The accents that are drawn over the glyph. */
  marks?: readonly Glyph[];
  rise: number;
  /** The index of the line. */
  line: number;
}

const softHyphen = '\u00ad';
const hyphenAtEnd = /\p{L}[-\u2010]$/u;
const wordAtStart = /^\p{Ll}[\p{L}\p{M}]*/u;
/**
 * Characters of scripts without spaces between words. Such a text may be broken anywhere, so its lines are joined
 * without a space.
 */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff60]/u;
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** An address that ends with a slash. The next line does not continue it, so it is not a choice of words. */
const wholeAddress = /(?:https?:\/\/|www\.)\S*\/$/u;
const emailStart = /\S+@$/u;
/** The rest of an email address, whose first part may end with a hyphen. */
const emailEnd = /^[\w.+-]+@[\w-]+\.\p{Ll}/u;
/**
 * Conjunctions. If one of them follows a hyphen at the end of a line, the hyphen stands for an omitted part of a word:
 * `Ein- und Ausgabe`.
 */
const conjunction = /^(?:und|oder|bzw|en|of|og|och|eller|et|ou)$/u;

/**
 * Joins the lines of a block to one text. If a hyphen at the end of a line may only divide a word, it is replaced by an
 * open hyphen. The document's vocabulary later decides whether the hyphen stays.
 */
export function joinLines(lines: readonly TextLine[]): JoinedCharacter[] {
  const joined: JoinedCharacter[] = [];
  for (const [index, line] of lines.entries()) {
    if (index > 0) {
      const join = joinOf(lines, index);
      if (join === openHyphen) openLast(joined);
      if (join === ' ') joined.push({ text: join, glyph: null, rise: 0, line: index });
    }
    for (const { text, glyph, marks = [] } of line.characters)
      joined.push({
        text: text.replaceAll(softHyphen, ''),
        glyph,
        marks,
        rise: riseOf(glyph, line),
        line: index,
      });
  }
  return joined;
}

function riseOf(glyph: Glyph | null, { rises, baseline }: TextLine): number {
  if (glyph?.symbol !== undefined || glyph?.piece.isMath) return glyph.piece.baseline - baseline;
  return (glyph && rises.get(glyph.piece)) ?? 0;
}

/**
 * Returns what joins a line to the line above: a space, nothing, or an open hyphen, which replaces the hyphen at the end
 * of that line.
 */
function joinOf(lines: readonly TextLine[], index: number): ' ' | '' | typeof openHyphen {
  // A hyphen in an address belongs to it, because addresses are divided without a hyphen.
  return continuesAddress(lines, index) ? '' : joinBetween(lines[index - 1]!.text, lines[index]!.text);
}

/** The same for two texts without a divided address. */
export function joinBetween(above: string, below: string): ' ' | '' | typeof openHyphen {
  if (above.endsWith(softHyphen)) return '';
  if (above.endsWith('-') && emailEnd.test(below)) return '';
  if (hyphenAtEnd.test(above)) return conjunction.test(wordAtStart.exec(below)?.[0] ?? '') ? ' ' : openHyphen;
  const last = [...above].at(-1) ?? '';
  const first = [...below][0] ?? '';
  if (ideograph.test(last) || ideograph.test(first)) return '';
  if (unspaced.test(last.normalize('NFD')) && unspaced.test(first)) return '';
  if (emailStart.test(above) && /^\S*[./@]/u.test(below)) return '';
  const isTight = (/\S[—/–‑-]$/u.test(above) && !wholeAddress.test(above)) || /^—\S/u.test(below);
  return isTight ? '' : ' ';
}

function openLast(joined: JoinedCharacter[]): void {
  const last = joined.findLast((character) => character.text !== '');
  if (last) last.text = `${last.text.slice(0, -1)}${openHyphen}`;
}
