import type { InlineContent } from '../inline-content.ts';

/**
 * No-break hyphens are typography, not spelling: a segment shows them as hyphens, so that the translation memory and the model
 * recognize the word. If a translation contains the same word, such as a part number, the no-break hyphens are restored.
 */
const noBreakHyphen = '\u2011';

const words = /[-\u2011\p{L}\p{M}\p{N}]+/gu;

/** Words with no-break hyphens, by the form that the segment shows. */
export type NoBreakWords = ReadonlyMap<string, string>;

/** Replaces the no-break hyphens of a text by hyphens. The length of the text does not change. */
export function replaceNoBreakHyphens(content: InlineContent): NoBreakWords {
  const found = new Map<string, string>();
  for (const [index, item] of content.entries()) {
    if (typeof item !== 'string' || !item.includes(noBreakHyphen)) continue;
    for (const [word] of item.matchAll(words))
      if (word.includes(noBreakHyphen)) found.set(word.replaceAll(noBreakHyphen, '-'), word);
    content[index] = item.replaceAll(noBreakHyphen, '-');
  }
  return found;
}

/** Restores the no-break hyphens of words in a translation that have them in the source. */
export function restoreNoBreakHyphens(text: string, noBreakWords: NoBreakWords): string {
  if (noBreakWords.size === 0) return text;
  return text.replace(words, (word) => noBreakWords.get(word) ?? word);
}
