import { greatest } from '../../statistics.ts';
import type { JoinedCharacter } from './joined-text.ts';

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
