/** A language pair, as codes of B 2.4. */
export interface Pair {
  pairSource: string;
  pairTarget: string;
}

/** The name of a pair, as in `pairs` of `lookUpExact`. */
export function pairName({ pairSource, pairTarget }: Pair): string {
  return `${pairSource} ${pairTarget}`;
}
