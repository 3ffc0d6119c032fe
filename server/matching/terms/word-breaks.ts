import type { LanguageCode } from '#server/languages.ts';
import { classAt, dense } from './character-class.ts';
import { type FoldedText, unitsToString } from './fold.ts';

const segmenters = new Map<LanguageCode, Intl.Segmenter>();

/**
 * Returns the word breaks that `Intl.Segmenter` finds, as one flag for each position. Returns undefined if the text has
 * no letters of a script that is written without spaces between words.
 */
export function findWordBreaks(text: FoldedText, language: LanguageCode): Uint8Array | undefined {
  if (!hasDenseLetters(text.cased)) return undefined;
  let segmenter = segmenters.get(language);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(language, { granularity: 'word' });
    segmenters.set(language, segmenter);
  }
  const breaks = new Uint8Array(text.length + 1);
  for (const { index } of segmenter.segment(unitsToString(text.cased))) breaks[index] = 1;
  breaks[text.length] = 1;
  return breaks;
}

function hasDenseLetters(units: Uint16Array): boolean {
  // Thai is the first script in Unicode that is written without spaces between words.
  for (let index = 0; index < units.length; index++)
    if (units[index]! >= 0x0e00 && classAt(units, index) === dense) return true;
  return false;
}

/**
 * Whether a term may match a translation from `start` to `end` although the segmenter finds no word break at `start` or
 * `end`. Such a term may be a part of a longer word (教育 in 高等教育), or missing in the segmenter's dictionary. It must not
 * consist of parts of two words, like 京都 in 東京都. Long terms almost never do so by chance.
 */
export function fitsAcrossBreaks(text: FoldedText, breaks: Uint8Array, start: number, end: number): boolean {
  const term = unitsToString(text.cased.subarray(start, end));
  const size = end - start;
  // A short word in katakana is not searched inside a longer one, because it is a different loanword: コード is not a part
  // of レコード.
  if (katakana.test(term)) return size >= 5;
  const [inside, oneEdge, anywhere] = ideographsOrKana.test(term) ? [2, 3, 4] : [5, 5, 7];
  if (size >= anywhere) return true;
  if (size >= oneEdge && (breaks[start] === 1 || breaks[end] === 1)) return true;
  if (size < inside) return false;
  for (let position = start + 1; position < end; position++) if (breaks[position] === 1) return false;
  return true;
}

const katakana = /^\p{scx=Kana}+$/u;
const ideographsOrKana = /\p{scx=Han}|\p{scx=Hira}|\p{scx=Kana}/u;
