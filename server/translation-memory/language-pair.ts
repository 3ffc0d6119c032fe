/** A language pair by the languages that its codes stand for. */
export interface Pair {
  pairSource: string;
  pairTarget: string;
}

/** A pair as `ExactHits` names it. */
export function pairName({ pairSource, pairTarget }: Pair): string {
  return `${pairSource} ${pairTarget}`;
}
