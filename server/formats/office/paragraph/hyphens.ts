import type { InlineContent } from '../../inline-content.ts';

/**
 * No-break hyphens belong to typography, not to spelling. A segment shows them as ordinary hyphens, so that the
 * translation memory and the model recognize the words. If the translation contains one of these words, such as a part
 * number, the word gets its no-break hyphens again.
 */
const noBreakHyphen = '\u2011';

const words = /[-\u2011\p{L}\p{M}\p{N}]+/gu;

/** The words with no-break hyphens. The keys are the same words with ordinary hyphens, as in the segment. */
export type NoBreakWords = ReadonlyMap<string, string>;

/**
 * Replaces the no-break hyphens in `content` by ordinary hyphens, and returns the changed words. The length of the text
 * does not change.
 */
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

/** Restores the no-break hyphens of each word in a translation that has them in the source. */
export function restoreNoBreakHyphens(text: string, noBreakWords: NoBreakWords): string {
  if (noBreakWords.size === 0) return text;
  return text.replace(words, (word) => noBreakWords.get(word) ?? word);
}
