import { Rules } from '@cto.af/linebreak';

const rules = new Rules();

/** Scripts without spaces between words, which the Unicode rules leave to a dictionary. */
const withoutSpaces = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const words = new Intl.Segmenter('th', { granularity: 'word' });
/** Signs that repeat or shorten the word before them. */
const clinging = /[ๆฯ]/;

const hangul = /\p{Script=Hangul}/u;

/**
 * Where a line may end: 1 at each UTF-16 offset that may start a line. By the Unicode line breaking algorithm
 * (UAX 14), by words in Thai, and in Korean text only where the algorithm breaks any other text.
 */
export function breakOpportunities(text: string, language: string): Uint8Array {
  const opportunities = new Uint8Array(text.length + 1);
  const keepsWords = language.toLowerCase().split('-', 1)[0] === 'ko';
  for (const { position } of rules.breaks(text)) {
    if (keepsWords && hangul.test(text[position - 1]!) && hangul.test(text[position] ?? '')) continue;
    opportunities[position] = 1;
  }
  for (const { 0: run, index } of text.matchAll(withoutSpaces))
    for (const word of words.segment(run))
      if (word.index > 0 && !clinging.test(word.segment[0]!)) opportunities[index + word.index] = 1;
  return opportunities;
}
