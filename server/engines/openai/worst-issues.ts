import type { QualityIssue } from '../engine.ts';

/** More than anybody reads or repairs at once. */
const mostIssues = 100;

const ranks = { critical: 0, major: 1, minor: 2 } as const satisfies Record<QualityIssue['severity'], number>;

/** The worst first, otherwise in their order, 100 at most: what is cut away is never worse than what stays. */
export function worstIssues(issues: readonly QualityIssue[]): QualityIssue[] {
  return issues.toSorted((a, b) => ranks[a.severity] - ranks[b.severity]).slice(0, mostIssues);
}
