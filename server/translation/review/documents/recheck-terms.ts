import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { type InlineContent, isSameContent } from '#server/formats/inline-content.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { addJob, type TaskPayloads } from '#server/platform/job-queue.ts';
import {
  type Finding,
  findingsAfterChecks,
  isOpen,
  isOpenCritical,
} from '#server/translation/core/findings.ts';
import { defaultThreshold } from '#server/translation/core/pipeline/quality-options.ts';
import type { DocumentRow } from '#server/translation/documents/jobs.ts';
import { isAtOneOf, ofDocument } from '#server/translation/documents/segments.ts';
import { checkSegments } from './check-segments.ts';
import { lockTranslated } from './reviewed-document.ts';
import { changeSegments, storeFindings } from './segment-changes.ts';

/** Maximum number of segments that one run checks. */
const maxSegments = 200;

type SegmentRow = typeof documentSegments.$inferSelect;

/**
 * Checks the open segments of the documents that await approval again after a change of a glossary, and marks those that
 * the new terms concern. An open segment is translated, and no reviewer has confirmed it. Each run checks a part of one
 * document and queues the run for the next part.
 * @throws AppError rate_limit if too many long texts are queued for the check; the task is then repeated
 */
export async function recheckTerms(
  services: Parameters<typeof checkSegments>[0],
  { tenantId, documentId, after }: TaskPayloads['recheck_terms'],
): Promise<void> {
  const found = await services.database.inTenant(tenantId, async (tx) => {
    const [row] = await tx
      .select()
      .from(documentJobs)
      .where(
        and(
          eq(documentJobs.tenantId, tenantId),
          (after === null ? gt : eq)(documentJobs.documentId, documentId),
          eq(documentJobs.status, 'translated'),
          isNull(documentJobs.approvedAt),
        ),
      )
      .orderBy(asc(documentJobs.documentId))
      .limit(1);
    if (!row) return;
    const isNext = gt(documentSegments.position, after ?? -1);
    return { row, segments: await selectOpen(tx, row, sql`${isNext}`, maxSegments) };
  });
  // The document of a part that was queued before may have been approved or deleted since.
  if (!found && after === null) return;
  const next = { tenantId, documentId: found?.row.documentId ?? documentId };
  const segments = found?.segments ?? [];
  if (found && segments.length > 0) {
    const issues = await checkSegments(services, found.row, segments.map(proposedOf));
    await services.database
      .inTenant(tenantId, (tx) => storeChecked(tx, found.row, segments, issues))
      .catch((error: unknown) => {
        if (!(error instanceof AppError)) throw error;
      });
  }
  const last = segments.length === maxSegments ? segments.at(-1)!.position : null;
  await services.database.inTenant(tenantId, (tx) =>
    addJob(tx, 'recheck_terms', { ...next, after: last }, { priority: 1 }),
  );
}

function selectOpen(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  condition: ReturnType<typeof isAtOneOf>,
  limit: number,
): Promise<SegmentRow[]> {
  return tx
    .select()
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${condition} and ${documentSegments.target} is not null
        and ${documentSegments.confirmedAt} is null`,
    )
    .orderBy(asc(documentSegments.position))
    .limit(limit);
}

function proposedOf({ sourceText, targetText, source, target }: SegmentRow) {
  return {
    sourceText,
    targetText: targetText ?? '',
    tagged: { source: source as InlineContent, target: target as InlineContent },
  };
}

function isOpenTerm(finding: Finding): boolean {
  return finding.category === 'terminology' && isOpen(finding);
}

/** Stores the findings of segments that are still open and have the checked text, if they have changed. */
async function storeChecked(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  checked: readonly SegmentRow[],
  issues: readonly QualityIssue[][],
): Promise<void> {
  const row = await lockTranslated(tx, tenantId, documentId);
  if (row.approvedAt !== null) return;
  const seen = new Map(checked.map((segment, index) => [segment.position, { segment, index }]));
  const present = await selectOpen(tx, row, isAtOneOf([...seen.keys()]), checked.length);
  const changed = present.flatMap((segment) => {
    const { segment: before, index } = seen.get(segment.position)!;
    if (!isSameContent(segment.target as InlineContent, before.target as InlineContent)) return [];
    const found = issues[index] as QualityIssue[];
    const earlier = segment.issues as Finding[];
    const findings = findingsAfterChecks(earlier, { issues: found, before: found }, false);
    // The flag of a segment goes with its last missing term, unless the score is low.
    const isFlaggedOtherwise =
      segment.needsReview && (!earlier.some(isOpenTerm) || (segment.score ?? 0) < defaultThreshold);
    const needsReview = isFlaggedOtherwise || findings.some((one) => isOpenCritical(one) || isOpenTerm(one));
    const isChanged =
      needsReview !== segment.needsReview || JSON.stringify(findings) !== JSON.stringify(earlier);
    return isChanged ? [{ position: segment.position, findings: { findings, needsReview } }] : [];
  });
  if (changed.length === 0) return;
  const positions = changed.map(({ position }) => position);
  await changeSegments(tx, row, { positions, edits: 0 }, () => storeFindings(tx, row, changed));
}
