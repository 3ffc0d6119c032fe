import type { Candidates } from './candidates.ts';
import { countingSort, inOrder } from './counting-sort.ts';
import { Stretches } from './stretches.ts';

/**
 * The candidates that stand, in reading order, none over another: each is taken unless it overlaps one that goes before
 * it. Time is linear in the candidates and their length, not in their number times the terms'.
 *
 * @param ranks by pattern, 0 goes first; patterns of one rank are of one length, and the earlier goes first
 * @param length of the text
 * @returns numbers of candidates
 */
export function selectCandidates(candidates: Candidates, ranks: Int32Array, length: number): number[] {
  const { count, starts, ends, patterns } = candidates;
  const last = ranks.reduce((most, rank) => Math.max(most, rank), 0);
  const taken = new Stretches(length);
  const selected: number[] = [];
  // Candidates come by their ends, which for one length is by their starts.
  for (const candidate of countingSort(inOrder(count), (at) => ranks[patterns[at]!]!, last)) {
    if (!taken.isFree(starts[candidate]!, ends[candidate]!)) continue;
    taken.take(starts[candidate]!, ends[candidate]!);
    selected.push(candidate);
  }
  return selected.sort((one, other) => starts[one]! - starts[other]!);
}
