import { longestFuzzy } from '#server/matching/fuzzy/index.ts';

/** B 8: texts over 2000 characters get no close matches, and pairs with one are not offered. */
export function isShort(text: string): boolean {
  return text.length <= longestFuzzy || (text.length <= 2 * longestFuzzy && [...text].length <= longestFuzzy);
}
