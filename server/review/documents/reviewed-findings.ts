import type { documentSegments } from '#db/schema/documents.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import {
  type Finding,
  findingsAfterChecks,
  findingView,
  idOf,
  isOpen,
  isOpenCritical,
  vanishedFindings,
  withResolution,
} from '#server/translation/findings.ts';
import { defaultThreshold } from '#server/translation/pipeline/policy.ts';
import type { Author } from '../author.ts';
import { UnconfirmedFindings } from '../decide.ts';

/** The quality of a segment as it is stored. */
export interface StoredQuality {
  issues: unknown[];
  score: number | null;
  needsReview: boolean;
}

/** The findings of a segment after a change, and whether the segment needs a review. */
export interface ReviewedFindings {
  findings: Finding[];
  needsReview: boolean;
}

/** Returns the findings of a segment after a reviewer has given it a text that the checks have seen. */
export function reviewedFindings(
  stored: StoredQuality,
  issues: readonly QualityIssue[],
  isEdited: boolean,
): ReviewedFindings {
  const present = findingsAfterChecks(withLowScore(stored), issues, isEdited);
  const findings = isEdited
    ? [...present, ...vanishedFindings(stored.issues as Finding[], present)]
    : present;
  return { findings, needsReview: isFlagged(stored.needsReview, findings) };
}

/**
 * Whether a segment with a text of a reviewer needs a review: it has an open critical finding, or was flagged and has an
 * open finding that no check can compute again.
 */
function isFlagged(wasFlagged: boolean, findings: readonly Finding[]): boolean {
  return (
    findings.some(isOpenCritical) ||
    (wasFlagged && findings.some((finding) => isOpen(finding) && finding.found_by !== 'check'))
  );
}

/** Returns the findings after a person has accepted all open ones that are not critical. */
export function acceptedMinor(
  { findings: earlier, needsReview }: ReviewedFindings,
  { name }: Pick<Author, 'name'>,
): ReviewedFindings {
  const resolution = { as: 'accepted', by: name, at: new Date().toISOString(), reason: null } as const;
  const findings = earlier
    .filter((finding) => isOpen(finding) && !isOpenCritical(finding))
    .reduce((all, finding) => withResolution(all, idOf(finding), resolution) ?? all, earlier);
  return { findings, needsReview: isFlagged(needsReview, findings) };
}

/**
 * Whether a segment whose text stays needs a review after a person has resolved a finding: not if no finding is open, and
 * the score is not low.
 */
export function isStillFlagged({ needsReview, score }: StoredQuality, findings: readonly Finding[]): boolean {
  return needsReview && (findings.some(isOpen) || (score ?? 100) < defaultThreshold);
}

/** A new text has no score. A low score without a finding of the model becomes one, so that the text stays flagged. */
function withLowScore({ issues, score }: StoredQuality): Finding[] {
  const findings = issues as Finding[];
  const isExplained = findings.some((finding) => finding.found_by === undefined && isOpen(finding));
  return score === null || score >= defaultThreshold || isExplained
    ? findings
    : [...findings, lowScore(score)];
}

function lowScore(score: number): QualityIssue {
  return {
    severity: 'major',
    category: 'accuracy',
    span: null,
    explanation: `The judge model gave the machine translation a score of ${score}, below ${defaultThreshold}.`,
    suggestion: null,
  };
}

type Place = Pick<typeof documentSegments.$inferSelect, 'position' | 'regionId' | 'cellId' | 'place'>;

/**
 * Requires a confirmation with a reason if segments that a reviewer confirms have open critical findings.
 * @throws UnconfirmedFindings
 */
export function requireReason(
  { documentId }: { documentId: string },
  confirmed: readonly { row: Place; findings: readonly Finding[] }[],
  { confirm_critical, reason }: { confirm_critical: boolean; reason?: object | undefined },
): void {
  if (confirm_critical && reason) return;
  const critical = confirmed.flatMap(({ row: { position, regionId, cellId, place }, findings }) => {
    const issues = findings.filter(isOpenCritical).map(findingView);
    return issues.length > 0 ? [{ position, region_id: regionId, cell_id: cellId, place, issues }] : [];
  });
  if (critical.length > 0) throw new UnconfirmedFindings(`document job ${documentId}`, critical);
}
