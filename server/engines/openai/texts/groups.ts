import { isDenseScript } from '../../../languages.ts';

/**
 * UTF-16 units of a text in this language that a model translates well within OPENAI_TIMEOUT_SECONDS (60): some 2000
 * tokens either way. A character of a dense script says about what three Latin letters do.
 */
export function unitsPerCall(language: string): number {
  return isDenseScript(language) ? 2000 : 6000;
}

/** What a segment's id and field names weigh in a question, in UTF-16 units: many short segments are work too. */
export const frameUnits = 20;

/** Consecutive groups, each of at most `most` together, or of one item that weighs more by itself. */
export function groupConsecutive<T>(items: readonly T[], weigh: (item: T) => number, most: number): T[][] {
  const groups: T[][] = [];
  let room = 0;
  for (const item of items) {
    const weight = weigh(item);
    if (weight > room || groups.length === 0) {
      groups.push([]);
      room = most;
    }
    groups.at(-1)!.push(item);
    room -= weight;
  }
  return groups;
}
