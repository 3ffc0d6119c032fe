import { LinguaLoopError } from '#sdk/errors.ts';
import type { QualityIssue } from '#sdk/types.ts';

/** A critical finding, and its place in the document if the item is a document. */
export interface CriticalFinding extends Pick<QualityIssue, 'explanation'> {
  place?: string;
}

/** The critical findings because of which the service rejected an approval; undefined for other errors. */
export function criticalFindingsOf(error: unknown): CriticalFinding[] | undefined {
  if (!(error instanceof LinguaLoopError) || error.code !== 'critical_findings') return undefined;
  const { critical_findings: found = [] } = (error.present ?? {}) as {
    critical_findings?: (CriticalFinding & { issues?: CriticalFinding[] })[];
  };
  return found.flatMap(({ issues, explanation, place }) =>
    issues
      ? issues.map((issue) => ({ explanation: issue.explanation, ...(place && { place }) }))
      : { explanation },
  );
}
