/**
 * Pairs the items of two versions of a list: as many equal ones as possible in the same order, and between them those that
 * were replaced one by one. The time is limited: very long lists of repeated items are paired from the start.
 *
 * @returns for each item of `after` the index in `before`; null for an item that was added
 */
export function alignLists(before: readonly string[], after: readonly string[]): (number | null)[] {
  const found: (number | null)[] = after.map(() => null);
  const budget = { cells: maxCells };
  const whole = trimmed(before, after, [0, 0, before.length, after.length], found);
  let [b, a] = whole;
  const [, , lastB, lastA] = whole;
  for (const [nextB, nextA] of [...anchorsOf(before, after, whole), [lastB, lastA] as const]) {
    alignEqual(before, after, trimmed(before, after, [b, a, nextB, nextA], found), found, budget);
    if (nextA < lastA) found[nextA] = nextB;
    [b, a] = [nextB + 1, nextA + 1];
  }
  pairReplaced(before.length, found);
  if (before.length === after.length) pairPlaces(found);
  return found;
}

/** Pairs the items that are left at the same place of both lists. */
function pairPlaces(found: (number | null)[]): void {
  const used = new Set(found);
  for (const [at, one] of found.entries()) if (one === null && !used.has(at)) found[at] = at;
}

/** A part of each list: `[from, to)` of `before`, and `[start, end)` of `after`. */
type Range = readonly [from: number, start: number, to: number, end: number];

/** The most pairs of items that are compared. Each takes one byte of memory at most. */
const maxCells = 16_000_000;

/** Pairs the equal items at the start and at the end of a range, and returns the rest. */
function trimmed(
  before: readonly string[],
  after: readonly string[],
  [from, start, to, end]: Range,
  found: (number | null)[],
): Range {
  let [b, a, lastB, lastA] = [from, start, to, end];
  while (b < lastB && a < lastA && before[b] === after[a]) found[a++] = b++;
  while (b < lastB && a < lastA && before[lastB - 1] === after[lastA - 1]) found[--lastA] = --lastB;
  return [b, a, lastB, lastA];
}

/** Pairs the equal items of a range in which each item occurs several times, or in one list only. */
function alignEqual(
  before: readonly string[],
  after: readonly string[],
  [from, start, to, end]: Range,
  found: (number | null)[],
  budget: { cells: number },
): void {
  const [inBefore, inAfter] = [new Set(before.slice(from, to)), new Set(after.slice(start, end))];
  const rows = indexes(from, to).filter((at) => inAfter.has(before[at]!));
  const columns = indexes(start, end).filter((at) => inBefore.has(after[at]!));
  if (rows.length === 0) return;
  const width = columns.length + 1;
  const cells = (rows.length + 1) * width;
  if (cells > budget.cells) {
    alignGreedily(before, after, rows, columns, found);
    return;
  }
  budget.cells -= cells;
  // The step that the longest common list takes at each pair: both items, or the next one of one list.
  const steps = new Uint8Array(cells);
  let below = new Uint32Array(width);
  for (let row = rows.length - 1; row >= 0; row--) {
    const lengths = new Uint32Array(width);
    for (let column = columns.length - 1; column >= 0; column--) {
      const isEqual = before[rows[row]!] === after[columns[column]!];
      const best = isEqual ? below[column + 1]! + 1 : Math.max(below[column]!, lengths[column + 1]!);
      // Of repeated items, those at the same place are paired.
      const shift = rows[row]! - from - (columns[column]! - start);
      const isShifted = (shift < 0 && below[column] === best) || (shift > 0 && lengths[column + 1] === best);
      const skipsRow = isEqual ? shift < 0 : below[column]! >= lengths[column + 1]!;
      steps[row * width + column] = isEqual && !isShifted ? both : skipsRow ? nextRow : nextColumn;
      lengths[column] = best;
    }
    below = lengths;
  }
  for (let [row, column] = [0, 0]; row < rows.length && column < columns.length; ) {
    const step = steps[row * width + column];
    if (step === both) found[columns[column]!] = rows[row]!;
    if (step !== nextColumn) row++;
    if (step !== nextRow) column++;
  }
}

const [both, nextRow, nextColumn] = [0, 1, 2] as const;

function alignGreedily(
  before: readonly string[],
  after: readonly string[],
  rows: readonly number[],
  columns: readonly number[],
  found: (number | null)[],
): void {
  const places = Map.groupBy(rows, (at) => before[at]!);
  const passed = new Map<string, number>();
  let last = -1;
  for (const column of columns) {
    const own = places.get(after[column]!)!;
    let next = passed.get(after[column]!) ?? 0;
    while (next < own.length && own[next]! <= last) next++;
    passed.set(after[column]!, next);
    if (next < own.length) found[column] = last = own[next]!;
  }
}

/** Pairs the items between equal ones if both lists have as many. */
function pairReplaced(length: number, found: (number | null)[]): void {
  let [b, a] = [0, 0];
  for (let at = 0; at <= found.length; at++) {
    const next = at === found.length ? length : found[at];
    if (next === null || next === undefined) continue;
    if (next - b === at - a) for (; a < at; a++) found[a] = b++;
    [b, a] = [next + 1, at + 1];
  }
}

const indexes = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

/** Returns the longest ascending list of pairs of items that both ranges have once. */
function anchorsOf(
  before: readonly string[],
  after: readonly string[],
  [from, start, to, end]: Range,
): [number, number][] {
  const [placesBefore, placesAfter] = [onceIn(before, from, to), onceIn(after, start, end)];
  const pairs = [...placesAfter].flatMap(([item, at]): [number, number][] => {
    const place = placesBefore.get(item);
    return place === undefined ? [] : [[place, at]];
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

/** Returns the indexes of the items that a range has once, in its order. */
function onceIn(items: readonly string[], from: number, to: number): Map<string, number> {
  const counts = Map.groupBy(indexes(from, to), (at) => items[at]!);
  return new Map([...counts].flatMap(([item, [at, ...more]]) => (more.length === 0 ? [[item, at!]] : [])));
}
