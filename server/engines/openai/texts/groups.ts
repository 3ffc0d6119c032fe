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
