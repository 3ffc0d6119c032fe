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
  idOf,
  isOpen,
  isOpenCritical,
} from '#server/translation/core/findings.ts';
import { defaultThreshold } from '#server/translation/core/pipeline/policy.ts';
import type { DocumentRow } from '#server/translation/documents/jobs.ts';
import { isAtOneOf, ofDocument } from '#server/translation/documents/segments.ts';
import { checkTerms } from './check-segments.ts';
import { lockTranslated } from './reviewed-document.ts';
import { changeSegments, storeFindings } from './segment-changes.ts';

/** Maximum number of segments that one run checks. */
const maxSegments = 200;

type SegmentRow = typeof documentSegments.$inferSelect;

/**
 * Checks the terms of the open segments of documents that await approval again after a change of a glossary, and marks
 * those that miss a term. An open segment is translated, and no reviewer has confirmed it. Each run checks a part of one
 * document and queues the run for the next part. A chain of runs ends if a later change has begun another one.
 * @throws AppError rate_limit if too many long texts are queued for the check; the task is then repeated
 */
export async function recheckTerms(
  services: Parameters<typeof checkTerms>[0],
  { tenantId, documentId, after, changedAt, single }: TaskPayloads['recheck_terms'],
): Promise<void> {
  const { database, log } = services;
  const found = await database.inTenant(tenantId, async (tx) => {
    if (await hasLaterChain(tx, tenantId, changedAt)) return 'superseded';
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
    if (!row) return null;
    const isNext = sql`${documentSegments.position} > ${after ?? -1}`;
    return { row, segments: await selectOpen(tx, row, isNext, maxSegments) };
  });
  // The document of a part that was queued before may have been approved or deleted since.
  if (found === 'superseded' || (found === null && after === null)) return;
  const segments = found?.segments ?? [];
  if (found && segments.length > 0)
    try {
      const issues = await checkTerms(services, found.row, segments.map(proposedOf));
      await database.inTenant(tenantId, (tx) => storeChecked(tx, found.row, segments, issues));
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limit') throw error;
      // A document must not keep the others from being checked.
      log.warn({ document_id: found.row.documentId, err: error }, 'the terms of a document were not checked');
    }
  if (single && segments.length < maxSegments) return;
  const next = {
    ...(single && { single }),
    tenantId,
    documentId: found?.row.documentId ?? documentId,
    after: segments.length === maxSegments ? (segments.at(-1) as SegmentRow).position : null,
    changedAt,
  };
  await database.inTenant(tenantId, (tx) => addJob(tx, 'recheck_terms', next, { priority: 1 }));
}

/** Whether runs for a later change are queued, which check all documents. */
async function hasLaterChain(tx: Tx, tenantId: string, changedAt: string): Promise<boolean> {
  const [row] = await tx.execute<{ later: boolean }>(sql`
    select exists (
      select from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'recheck_terms' and j.payload ->> 'tenantId' = ${tenantId}
        and j.payload ->> 'changedAt' > ${changedAt} and j.payload -> 'single' is null) as later`);
  return row?.later ?? false;
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

function isTermOfCheck({ category, found_by }: Finding): boolean {
  return category === 'terminology' && found_by === 'check';
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
    const earlier = segment.issues as Finding[];
    const [others, terms] = [earlier.filter((one) => !isTermOfCheck(one)), earlier.filter(isTermOfCheck)];
    const present = findingsAfterChecks(terms, { issues: issues[index] as QualityIssue[] }, false);
    const had = terms.filter(isOpen).map(idOf);
    const has = present.filter(isOpen).map(idOf);
    if (had.length === has.length && has.every((id) => had.includes(id))) return [];
    const findings = [...present, ...others];
    // A segment that was flagged for its terms only is not flagged without them.
    const isFlaggedOtherwise =
      segment.needsReview &&
      (had.length === 0 ||
        (segment.score !== null && segment.score < defaultThreshold) ||
        others.some(
          (one) =>
            isOpenCritical(one) || (isOpen(one) && one.found_by !== 'check' && one.severity !== 'minor'),
        ));
    return [
      {
        position: segment.position,
        findings: { findings, needsReview: has.length > 0 || isFlaggedOtherwise },
      },
    ];
  });
  if (changed.length === 0) return;
  const positions = changed.map(({ position }) => position);
  await changeSegments(tx, row, { positions, edits: 0 }, () => storeFindings(tx, row, changed));
}
