import type { Pair } from './queries/capacity.ts';

const prefix = 'golden-approved-';

/** B 2.9: the set that a pair's approved work goes to. */
export function goldenSetName({ pairSource, pairTarget }: Pair): string {
  return `${prefix}${pairSource}-${pairTarget}`;
}

/** Whether a name is kept for such sets. In any case of its letters: two that differ in nothing else mislead. */
export function isGoldenName(name: string): boolean {
  return name.toLowerCase().startsWith(prefix);
}
