import type { Candidates } from './candidates.ts';

/**
 * The candidates that stand, in reading order, none over another: each is taken unless it overlaps one that goes before
 * it. Time is linear in the candidates (and the length of what is taken).
 *
 * @param ranks by pattern, 0 goes first; patterns of one rank are of one length, and the earlier goes first
 * @param length of the text
 * @returns numbers of candidates
 */
export function selectCandidates(candidates: Candidates, ranks: Int32Array, length: number): number[] {
  const taken = new Uint32Array((length >>> 5) + 1);
  const selected: number[] = [];
  for (const candidate of byRank(candidates, ranks)) {
    const [start, end] = [candidates.starts[candidate]!, candidates.ends[candidate]!];
    if (isTaken(taken, start, end)) continue;
    take(taken, start, end);
    selected.push(candidate);
  }
  return selected.sort((one, other) => candidates.starts[one]! - candidates.starts[other]!);
}

/** Counting sort: candidates come by their ends, which for one length is by their starts, and stay so within a rank. */
function byRank({ count, patterns }: Candidates, ranks: Int32Array): Int32Array {
  const next = new Int32Array(ranks.reduce((most, rank) => Math.max(most, rank), 0) + 2);
  for (let at = 0; at < count; at++) next[ranks[patterns[at]!]! + 1]!++;
  for (let rank = 1; rank < next.length; rank++) next[rank]! += next[rank - 1]!;
  const sorted = new Int32Array(count);
  for (let at = 0; at < count; at++) {
    const rank = ranks[patterns[at]!]!;
    sorted[next[rank]!] = at;
    next[rank]!++;
  }
  return sorted;
}

/** The bits of one word of 32 from `start` up to `end`. */
function bits(word: number, start: number, end: number): number {
  const from = Math.max(start - 32 * word, 0);
  const to = Math.min(end - 32 * word, 32);
  return (0xffffffff << from) & (0xffffffff >>> (32 - to));
}

function isTaken(taken: Uint32Array, start: number, end: number): boolean {
  for (let word = start >>> 5; 32 * word < end; word++)
    if ((taken[word]! & bits(word, start, end)) !== 0) return true;
  return false;
}

function take(taken: Uint32Array, start: number, end: number): void {
  for (let word = start >>> 5; 32 * word < end; word++) taken[word]! |= bits(word, start, end);
}
