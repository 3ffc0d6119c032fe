import type { InlineContent } from '../inline-content.ts';

/**
 * No-break hyphens are how a word is set, not how it is written: a segment shows them as hyphens, so that memory and model know
 * the word. A translation that has the same word, such as a part number, gets them back.
 */
const noBreakHyphen = '\u2011';

const words = /[-\u2011\p{L}\p{M}\p{N}]+/gu;

/** Words with no-break hyphens, by how the segment shows them. */
export type NoBreakWords = ReadonlyMap<string, string>;

/** Shows the no-break hyphens of a text as hyphens. Its length stays. */
export function takeNoBreakHyphens(content: InlineContent): NoBreakWords {
  const found = new Map<string, string>();
  for (const [index, item] of content.entries()) {
    if (typeof item !== 'string' || !item.includes(noBreakHyphen)) continue;
    for (const [word] of item.matchAll(words))
      if (word.includes(noBreakHyphen)) found.set(word.replaceAll(noBreakHyphen, '-'), word);
    content[index] = item.replaceAll(noBreakHyphen, '-');
  }
  return found;
}

/** Sets the words of a translation that have no-break hyphens in the source as they are there. */
export function putNoBreakHyphens(text: string, noBreakWords: NoBreakWords): string {
  if (noBreakWords.size === 0) return text;
  return text.replace(words, (word) => noBreakWords.get(word) ?? word);
}
