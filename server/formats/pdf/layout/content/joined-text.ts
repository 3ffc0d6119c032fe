import { greatest } from '../../statistics.ts';
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

/** A text in small capitals: its characters with small letters for these, and their size. */
export interface SmallCapitals {
  characters: JoinedCharacter[];
  /** The size of the small capitals as a share of the font size. */
  share: number;
  /** The characters of the full size. Their style is that of the text. */
  full: JoinedCharacter[];
}

/** The range of the size of small capitals, as a share of the font size. Word has 0.8, and fonts from 0.74 (Computer Modern). */
const shares = { least: 0.66, most: 0.88 };
/** The size of the letters of fonts that have the forms of small capitals for small letters (`inFont`). */
const shareInFont = 0.76;
const minSmall = 4;
const inFont = /csc\d|romancaps|small-?caps/i;

const isCased = ({ text, rise }: JoinedCharacter) => rise === 0 && /^[\p{Lu}\p{Ll}]\p{M}*$/u.test(text);
const sizeOf = ({ glyph }: JoinedCharacter) => glyph!.piece.size;

/**
 * Reads a text in small capitals, which are smaller capitals after each full one, or the small letters of a font for
 * them; undefined if it is not in small capitals.
 */
export function readSmallCapitals(characters: readonly JoinedCharacter[]): SmallCapitals | undefined {
  const letters = characters.filter((one) => one.glyph && isCased(one));
  if (letters.length > minSmall && letters.every(({ glyph }) => inFont.test(glyph!.piece.shown.font.name)))
    return { characters: [...characters], share: shareInFont, full: [...characters] };
  const size = greatest(letters.map(sizeOf));
  const isSmall = (one: JoinedCharacter) =>
    isCased(one) && one.glyph !== null && sizeOf(one) < shares.most * size;
  const small = letters.filter(isSmall);
  const share = small.length > 0 ? sizeOf(small[0]!) / size : 0;
  if (small.length < minSmall || share < shares.least) return undefined;
  const isFull = (one: JoinedCharacter) => Math.abs(sizeOf(one) - size) < 0.02 * size;
  const fits = (one: JoinedCharacter) =>
    /\p{Lu}/u.test(one.text) && (isFull(one) || Math.abs(sizeOf(one) - share * size) < 0.02 * size);
  if (!letters.every(fits)) return undefined;
  const isLetter = (at: number) => characters[at]?.glyph != null && isCased(characters[at]);
  let [words, names] = [0, 0];
  for (const [at, one] of characters.entries()) {
    if (!isLetter(at) || !isSmall(one) || !isLetter(at - 1) || !isFull(characters[at - 1]!)) continue;
    // Only a few names, such as IEEEtran, have two full letters before a small one.
    if (isLetter(at - 2) && isFull(characters[at - 2]!)) names++;
    else words++;
  }
  if (words <= names) return undefined;
  return {
    characters: characters.map((one) => (isSmall(one) ? { ...one, text: one.text.toLowerCase() } : one)),
    share,
    full: letters.filter(isFull),
  };
}
