import type { TenantDocumentJob } from '../../../src/index.ts';

/** Whether a document is approved as it is now. */
export function isApproved({
  approved_at,
  changed_since_approval,
}: Pick<TenantDocumentJob, 'approved_at' | 'changed_since_approval'>): boolean {
  return approved_at !== null && changed_since_approval === null;
}

/** Returns the number of segments of a document that still need a review: none of an approved one. */
export function unresolvedOf(job: TenantDocumentJob): number {
  if (isApproved(job)) return 0;
  const { llm_quality, human_review } = (job.quality_report?.metadata ?? {}) as {
    llm_quality?: { needs_review_units?: number };
    human_review?: { unresolved_units?: number };
  };
  return human_review?.unresolved_units ?? llm_quality?.needs_review_units ?? 0;
}

/** Returns why a document awaits a review; undefined if it does not. */
export function reviewOf(job: TenantDocumentJob): string | undefined {
  const unresolved = unresolvedOf(job);
  if (unresolved > 0) return `${unresolved} segments need a review`;
  return job.awaits_approval ? 'awaits its approval' : undefined;
}
