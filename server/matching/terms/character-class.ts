/**
 * The classes of characters, which determine where words start and end. `other` is the class of all characters that
 * belong to none of the classes below.
 */
export const other = 0;
/** Letters, digits and connectors of scripts that separate words by spaces, except Hangul. */
export const word = 1;
export const hangul = 2;
/**
 * A mark that is not of a script in the class `dense`. A word never ends before a mark, whatever character the mark
 * follows.
 */
export const mark = 3;
/** Letters and digits of scripts that write words without spaces between them: Han, kana, Thai, Lao, Khmer, Burmese. */
export const dense = 4;
export const denseMark = 5;
/** The zero-width joiner, which joins the characters before and after it. */
export const joiner = 6;

const unknown = 0xff;
const classes = new Uint8Array(0x10000).fill(unknown);
const pairs = new Map<number, number>();

/** Returns the class of the character at `index`. If it is a surrogate pair, both units have the class of the pair. */
export function classAt(units: Uint16Array, index: number): number {
  const unit = units[index]!;
  if ((unit & 0xf800) === 0xd800) return classOfPair(units, index);
  const found = classes[unit]!;
  if (found !== unknown) return found;
  classes[unit] = classOf(String.fromCharCode(unit));
  return classes[unit]!;
}

export function joinsWord(characterClass: number): boolean {
  return characterClass === word || characterClass === hangul || characterClass === mark;
}

function classOfPair(units: Uint16Array, index: number): number {
  const isLow = (units[index]! & 0xfc00) === 0xdc00;
  const high = units[isLow ? index - 1 : index] ?? 0;
  const low = units[isLow ? index : index + 1] ?? 0;
  if ((high & 0xfc00) !== 0xd800 || (low & 0xfc00) !== 0xdc00) return other;
  const key = (high << 16) | low;
  const found = pairs.get(key);
  if (found !== undefined) return found;
  const characterClass = classOf(String.fromCharCode(high, low));
  // Real texts use fewer than 2,000 different characters beyond the first plane. The limit keeps a hostile text from
  // filling the cache.
  if (pairs.size < 2000) pairs.set(key, characterClass);
  return characterClass;
}

function classOf(character: string): number {
  if (character === '\u200d') return joiner;
  if (/[\p{M}\p{Emoji_Modifier}]/u.test(character)) return denseScript.test(character) ? denseMark : mark;
  if (!/[\p{L}\p{N}\p{Pc}]/u.test(character)) return other;
  if (denseScript.test(character)) return dense;
  return /\p{Script=Hangul}/u.test(character) ? hangul : word;
}

const denseScript =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
