import type { QualityIssue } from '#sdk/types.ts';
import type { Status } from '../parts/status-mark.tsx';
import type { Segment, SegmentStatus } from '../screens/documents/search.ts';

/** The status of a stored segment. The service counts and filters by the same rule. */
export function statusOf({ confirmed_at, corrected, quality }: Segment): SegmentStatus {
  const issues = quality.issues as QualityIssue[];
  if (confirmed_at !== null) return 'confirmed';
  if (issues.some(({ severity }) => severity === 'critical')) return 'critical';
  if (issues.length > 0 || quality.needs_review) return 'warning';
  return corrected ? 'draft' : 'todo';
}

/** The status that a row shows: that of the stored segment, or of the reviewer's text. */
export function shownStatus(segment: Segment, issues: readonly QualityIssue[], isEdited: boolean): Status {
  if (!isEdited) return statusOf(segment);
  return issues.some(({ severity }) => severity === 'critical') ? 'critical' : 'draft';
}
