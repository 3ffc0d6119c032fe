import { similarityTo } from './edit-similarity.ts';

/** One of the texts that were compared: its position, and its similarity to the query, 0 to 1. */
export interface Closest {
  index: number;
  similarity: number;
}

/**
 * The texts most like the query by `editSimilarity`, best first and the earlier one first among equals: at most `most`,
 * none below `atLeast`. Texts that come best candidates first are done soonest: once there are `most`, another is only
 * looked at as far as it takes to know that it is no better.
 */
export function closest(query: string, texts: readonly string[], most: number, atLeast: number): Closest[] {
  const similarity = similarityTo(query);
  const best: Closest[] = [];
  for (const [index, text] of texts.entries()) {
    const bar = best.length < most ? atLeast : best.at(-1)!.similarity;
    const alike = similarity(text, bar);
    if (alike < bar || alike === 0) continue;
    const place = best.findLastIndex((other) => other.similarity >= alike) + 1;
    best.splice(place, 0, { index, similarity: alike });
    if (best.length > most) best.pop();
  }
  return best;
}
