/**
 * Pairs the items of two versions of a list: equal ones, and between them those that were replaced one by one.
 *
 * @returns for each item of `after` the index in `before`; null for an item that was added
 */
export function alignLists(before: readonly string[], after: readonly string[]): (number | null)[] {
  const found: (number | null)[] = after.map(() => null);
  const pair = (from: number, to: number, start: number, end: number): void => {
    let [b, a, lastB, lastA] = [from, start, to, end];
    while (b < lastB && a < lastA && before[b] === after[a]) found[a++] = b++;
    while (b < lastB && a < lastA && before[lastB - 1] === after[lastA - 1]) found[--lastA] = --lastB;
    const anchors = anchorsOf(before.slice(b, lastB), after.slice(a, lastA));
    if (anchors.length === 0) {
      if (lastB - b === lastA - a) while (a < lastA) found[a++] = b++;
      return;
    }
    const [firstB, firstA] = [b, a];
    for (const [nextB, nextA] of anchors) {
      pair(b, firstB + nextB, a, firstA + nextA);
      found[firstA + nextA] = firstB + nextB;
      [b, a] = [firstB + nextB + 1, firstA + nextA + 1];
    }
    pair(b, lastB, a, lastA);
  };
  pair(0, before.length, 0, after.length);
  return found;
}

/** Returns the longest ascending list of pairs of items that both lists have once. */
function anchorsOf(before: readonly string[], after: readonly string[]): [number, number][] {
  const [placesBefore, placesAfter] = [onceIn(before), onceIn(after)];
  const pairs = [...placesAfter].flatMap(([item, at]): [number, number][] => {
    const from = placesBefore.get(item);
    return from === undefined ? [] : [[from, at]];
  });
  // Patience sorting: `ends[n]` ends the list of n + 1 pairs with the least last index.
  const ends: number[] = [];
  const previous = pairs.map((_, index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]!]![0] < pairs[index]![0]) low = middle + 1;
      else high = middle;
    }
    ends[low] = index;
    return low === 0 ? undefined : ends[low - 1];
  });
  const chain: [number, number][] = [];
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) chain.push(pairs[at]!);
  return chain.reverse();
}

/** Returns the indexes of the items that a list has once, in its order. */
function onceIn(items: readonly string[]): Map<string, number> {
  const counts = Map.groupBy(items.keys(), (at) => items[at]!);
  return new Map([...counts].flatMap(([item, [at, ...more]]) => (more.length === 0 ? [[item, at!]] : [])));
}
