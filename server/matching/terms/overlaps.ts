import type { Candidates } from './patterns.ts';

/**
 * Selects candidates that do not overlap. Of overlapping candidates, the one with the best rank is selected. Takes time
 * linear in the number and the lengths of the candidates.
 *
 * @param ranks the rank of each pattern; 0 is the best. Patterns of equal rank must have the same length, and of their
 *   matches the earlier one is selected
 * @param length the length of the text
 * @returns the numbers of the selected candidates, in reading order
 */
export function selectNonOverlapping(candidates: Candidates, ranks: Int32Array, length: number): number[] {
  const { count, starts, ends, patterns } = candidates;
  const last = ranks.reduce((maxKey, rank) => Math.max(maxKey, rank), 0);
  const taken = new OccupiedSpans(length);
  const selected: number[] = [];
  // Candidates are ordered by their ends. For candidates of equal length, this is also the order of their starts.
  for (const candidate of countingSort(inOrder(count), (at) => ranks[patterns[at]!]!, last)) {
    if (!taken.isFree(starts[candidate]!, ends[candidate]!)) continue;
    taken.take(starts[candidate]!, ends[candidate]!);
    selected.push(candidate);
  }
  return selected.sort((one, other) => starts[one]! - starts[other]!);
}

/** The units of a text that are part of a selected match, with one bit for each unit. */
export class OccupiedSpans {
  readonly #taken: Uint32Array;

  /** @param length the length of the text */
  constructor(length: number) {
    this.#taken = new Uint32Array((length >>> 5) + 1);
  }

  isFree(start: number, end: number): boolean {
    for (let group = start >>> 5; 32 * group < end; group++)
      if ((this.#taken[group]! & bits(group, start, end)) !== 0) return false;
    return true;
  }

  /** Whether all units from `start` up to `end` are taken. */
  isFull(start: number, end: number): boolean {
    for (let group = start >>> 5; 32 * group < end; group++) {
      const wanted = bits(group, start, end);
      if ((this.#taken[group]! & wanted) !== wanted) return false;
    }
    return true;
  }

  take(start: number, end: number): void {
    for (let group = start >>> 5; 32 * group < end; group++) this.#taken[group]! |= bits(group, start, end);
  }
}

/** Returns a mask for the group of 32 units with this number. The bits from `start` up to `end` are set. */
function bits(group: number, start: number, end: number): number {
  const from = Math.max(start - 32 * group, 0);
  const to = Math.min(end - 32 * group, 32);
  return (0xffffffff << from) & (0xffffffff >>> (32 - to));
}

/** Sorts the numbers in `order` by their keys, which are from 0 to `most`. The sort is stable and takes linear time. */
export function countingSort(order: Int32Array, keyOf: (number: number) => number, most: number): Int32Array {
  const next = new Int32Array(most + 2);
  for (const number of order) next[keyOf(number) + 1]!++;
  for (let key = 1; key < next.length; key++) next[key]! += next[key - 1]!;
  const sorted = new Int32Array(order.length);
  for (const number of order) {
    const key = keyOf(number);
    sorted[next[key]!] = number;
    next[key]!++;
  }
  return sorted;
}

/** Returns the numbers 0, 1, 2, … up to `count` - 1. */
export function inOrder(count: number): Int32Array {
  const numbers = new Int32Array(count);
  for (let number = 0; number < count; number++) numbers[number] = number;
  return numbers;
}
