import type { LanguageCode } from '#server/languages.ts';
import { classAt, dense, denseMark, hangul, joiner, joinsWord, mark, other } from './character-class.ts';
import type { FoldedText } from './fold.ts';
import { apostrophe, hyphen } from './letters.ts';

/** What the positions of a text are to a term that would begin (`opens`) or end (`closes`) there. */
export interface Edges {
  opens: Uint8Array;
  closes: Uint8Array;
}

/** Inside a character. */
export const closed = 0;
export const open = 1;
/** Between two letters of one word. */
export const inWord = 2;
/** Between two letters of a script without spaces, where the segmenter sees no edge of a word. */
export const uncut = 3;

/** @param cuts the edges of words that `findWordCuts` found */
export function edgesOf(text: FoldedText, language: LanguageCode, cuts: Uint8Array | undefined): Edges {
  const { cased, starts, length } = text;
  const opens = new Uint8Array(length + 1);
  let left: number = other;
  for (let position = 0; position < length; position++) {
    const right = classAt(cased, position);
    if (position > 0 && starts[position] === starts[position - 1]) opens[position] = closed;
    else opens[position] = edgeBetween(left, right, cuts?.[position] === 1);
    left = right;
  }
  opens[0] = open;
  opens[length] = open;
  const edges = { opens, closes: opens.slice() };
  if (cased.includes(apostrophe)) setApostropheEdges(text, language, edges);
  if (reduplicating.has(language) && cased.includes(hyphen)) closeRepeats(text, edges);
  return edges;
}

function edgeBetween(left: number, right: number, isCut: boolean): number {
  if (right === mark || right === denseMark || right === joiner || left === joiner) return closed;
  const leftIsDense = left === dense || left === denseMark;
  if (leftIsDense && right === dense) return isCut ? open : uncut;
  if (!joinsWord(left) || !joinsWord(right)) return open;
  // API를, 3개월: Hangul goes on after letters and digits of another script without a space.
  return left !== mark && (left === hangul) !== (right === hangul) ? open : inWord;
}

/** A word follows the apostrophe of an elision: "l'usine", "dell'accordo", "copo d'água". */
const eliding: ReadonlySet<string> = new Set(['fr', 'fr-CA', 'it', 'pt-BR', 'pt-PT']);

/**
 * After an apostrophe between two letters stands an ending: "company's", "Ankara'nın", "foto's"; or, where the language
 * elides, a word. In Ukrainian the apostrophe is a letter of the word, and "can" is no part of the English "can't".
 */
function setApostropheEdges(text: FoldedText, language: LanguageCode, { opens, closes }: Edges): void {
  const units = text.folded;
  const isLetter = (index: number): boolean => index < units.length && joinsWord(classAt(units, index));
  for (let index = units.indexOf(apostrophe, 1); index > 0; index = units.indexOf(apostrophe, index + 1)) {
    if (!isLetter(index - 1) || !isLetter(index + 1)) continue;
    if (!eliding.has(language)) opens[index + 1] = closed;
    const isNegation = language === 'en' && units[index + 1] === 0x74 && !isLetter(index + 2);
    if (language === 'uk' || isNegation) closes[index] = closed;
    if (language === 'uk') {
      opens[index] = closed;
      closes[index + 1] = closed;
    }
  }
}

/** Indonesian and Malay say the plural by saying the word twice: "buku-buku" is one use of "buku". */
const reduplicating: ReadonlySet<string> = new Set(['id', 'ms']);

function closeRepeats(text: FoldedText, { opens }: Edges): void {
  const units = text.folded;
  const isLetter = (index: number): boolean => index >= 0 && joinsWord(classAt(units, index));
  for (let index = units.indexOf(hyphen, 1); index > 0; index = units.indexOf(hyphen, index + 1)) {
    let size = 0;
    while (size < 40 && isLetter(index - size - 1)) size++;
    if (size === 0 || size === 40) continue;
    let same = 0;
    while (same < size && units[index + 1 + same] === units[index - size + same]) same++;
    if (same === size) opens[index + 1] = closed;
  }
}
