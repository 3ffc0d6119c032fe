import type { Rectangle } from '../../geometry.ts';
import type { KeptReason } from '../../page-content.ts';
import type { GlyphRange } from '../../text-block.ts';
import type { TextLine } from '../paragraphs/text-lines.ts';
import { functionName, isFormulaGlyph } from './formula-glyphs.ts';
import { mathSign } from './formulas.ts';
import type { JoinedCharacter } from './joined-text.ts';

/** The reason why a readable text is not translated. */
export type UntranslatedReason =
  | 'number' // a number (also in Roman digits), an amount, a date or signs, without words
  | 'label' // the bullet or number of a list item, or a single letter
  | 'identifier' // letters between digits and signs, which are not a word
  | 'address' // a URL or an email address
  | 'symbol' // signs without a known character, such as a check mark or an icon
  | 'formula'
  | 'code' // a program listing
  | 'leader' // dots before a page number
  | 'blank' // only spaces
  | 'mirrored'
  | 'askew'; // a single rotated letter, for example along a curve

/** Text of a page that is not translated. */
export interface KeptText {
  reason: KeptReason | UntranslatedReason;
  text: string;
  glyphs: GlyphRange[];
  /** The area of the text's glyphs on the page, in user space. */
  box: Rectangle;
  /** The table cell that contains the text, in user space; null if missing. */
  cell: Rectangle | null;
}

const letter = /\p{L}/u;
const bullet = /^[•‣◦▪▫●○■□◆◇►▶➢✓✔·]$/u;
/** A text whose signs all have no known character. */
export const onlySymbols = /^[\s\ufffd]+$/u;
/** Roman numbers up to 39, which are page numbers. Larger ones have the letters of words. */
const roman = /^(?=.{2})x{0,3}(?:ix|iv|v?i{0,3})$|^(?=.{2})X{0,3}(?:IX|IV|V?I{0,3})$/;
/** The number of a list item: `(ii)`, `iv.`. */
const numeral = /^[([]?(\w+)[.)\]]$/;
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const word = /[\p{L}\p{M}]{3,}/gu;
/** Letters that Unicode provides for formulas. */
const mathLetter = /[\u{1d400}-\u{1d7ff}]/gu;
const addressPattern =
  /^[<([]?(?:(?:https?:\/\/|ftp:\/\/|www\.)\S+|(?:mailto:)?[\w.+%-]+@[\w-]+(?:\.[\w-]+)+|(?:[a-z0-9-]+\.)+(?:com|org|net|gov|edu|io|eu|de|fr|uk|info)(?:\/\S*)?)[>)\].,;]?$/iu;

/** Returns the reason why a text needs no translation; null if it needs one. */
export function untranslatedReason(
  text: string,
  lines: readonly TextLine[],
  characters: readonly JoinedCharacter[],
): UntranslatedReason | null {
  // Letters of formulas, superscripts and subscripts do not count as words.
  const hasLetters = characters.some(({ text, rise }) => rise === 0 && letter.test(text));
  const isVariable = ({ text, glyph, rise }: JoinedCharacter) =>
    glyph !== null && (isFormulaGlyph(glyph) || (hasLetters && rise !== 0 && letter.test(text)));
  const plain = characters
    .map((character) => (isVariable(character) ? '·' : character.text))
    .join('')
    .replace(mathLetter, '')
    .trim();
  if (lines.every((line) => line.isLeader)) return 'leader';
  if (bullet.test(text)) return 'label';
  if (onlySymbols.test(text)) return 'symbol';
  if (!letter.test(text) || roman.test(text)) return 'number';
  if (roman.test(numeral.exec(text)?.[1] ?? '')) return 'label';
  if (text.split(/\s+/u).every((part) => addressPattern.test(part))) return 'address';
  const words = (plain.match(word) ?? []).filter((found) => !functionName.test(found));
  if (words.length === 0 && !ideographs.test(plain)) {
    const isMath = mathSign.test(text) || characters.some(isVariable);
    if (isMath && !/\p{L}{2,} \p{L}{2,}/u.test(plain)) return 'formula';
    if (plain.split(/[\s,;]+/u).every((part) => countOf(part, /\p{L}/gu) <= 1)) return 'label';
  }
  if (ideographs.test(text)) return null;
  if (!/\s/u.test(text) && countOf(text, /\p{N}/gu) >= Math.max(2, countOf(text, /\p{L}/gu)))
    return 'identifier';
  const hasWord = text.split(/\s+/u).some(isWord);
  if (!hasWord && 2 * countOf(text, /\p{L}/gu) < text.replace(/\s/gu, '').length) return 'identifier';
  return null;
}

function isWord(part: string): boolean {
  const letters = countOf(part, /[\p{L}\p{M}]/gu);
  return letters > 1 && letters >= 0.6 * part.length;
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
