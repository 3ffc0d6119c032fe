import { and, asc, eq, getTableColumns, gt, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { type DocumentRow, demandsReview, groupRequestOf, requestOf } from '#server/documents/jobs.ts';
import { sourceTexts } from '#server/documents/segment-contexts.ts';
import { isAtOneOf, noteOf, ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { type InlineContent, isSameContent } from '#server/formats/inline-content.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { ofChange } from '#server/language/terminology/sets.ts';
import { engineFor, type Judgement, type QualityIssue } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob, ofTenant, type TaskPayloads } from '#server/platform/job-queue.ts';
import { withFindings } from '#server/translation/checks.ts';
import {
  type Finding,
  findingsAfterChecks,
  findingsAfterJudgement,
  idOf,
  isOpen,
  isOpenCritical,
} from '#server/translation/findings.ts';
import { judgeTexts } from '#server/translation/pipeline/group.ts';
import { defaultThreshold } from '#server/translation/pipeline/policy.ts';
import { limitOf } from '#server/translation/request.ts';
import { requireJudge } from '../findings.ts';
import { type CheckServices, checkSegments, checkTerms, proposedOf } from './check.ts';
import { documentAuthor, lockTranslated, requireTranslated } from './document.ts';
import { lockWritable } from './lock-writable.ts';
import { changeSegments, isPending, storeChanges, storeFindings } from './segment-changes.ts';
import { currentSegments, ofDocumentJob, position, viewSegments } from './segment-schema.ts';

/*
 * The judge model sees the present text of segments whose findings are about an earlier one: when a reviewer asks for it,
 * and once after a segment is confirmed.
 */

/** Maximum number of segments that the judge model sees at once. */
const maxSegments = 20;

export const documentRecheckInput = z.object({
  ...ofDocumentJob,
  positions: z
    .array(position)
    .min(1)
    .max(maxSegments)
    .describe('The positions of the segments in the document, from 0.'),
});

export const recheckedSegments = currentSegments.extend({
  rechecked: z
    .array(z.int())
    .describe(
      'The positions of the segments that were checked. Segments whose text was changed during the check are not included.',
    ),
});

type RecheckServices = CheckServices & Pick<Services, 'engine' | 'settings'>;

type SegmentRow = typeof documentSegments.$inferSelect & { before: string | null };

/** The findings of the judge model and of the checks of the service for the present text of a segment. */
interface Judged {
  segment: SegmentRow;
  judgement: Judgement;
  /** The issues that the checks of the service find. */
  checked: readonly QualityIssue[];
}

/**
 * Lets the judge model and the service's own checks see the present texts of segments, and replaces their findings. A
 * text that was changed during the check keeps its findings.
 * @throws AppError 404; 400 if the document is not translated, or no model is connected; the errors of `requireJudge` and
 *   of the engine
 */
export async function recheckSegments(
  services: RecheckServices,
  withTenant: WithTenant,
  { document_id: documentId, positions }: z.infer<typeof documentRecheckInput>,
  signal: AbortSignal,
): Promise<z.infer<typeof recheckedSegments>> {
  const { row, author, segments } = await withTenant(async (tx, principal) => {
    const author = await documentAuthor(tx, principal, null);
    const row = await lockWritable(tx, principal.tenant.id, documentId, author);
    await requireJudge(services, tx, row.tenantId, principal.kind);
    return { row, author, segments: await selectTranslated(tx, row, positions) };
  });
  const judged = await judge(services, row, segments, signal);
  return services.database.inTenant(row.tenantId, async (tx) => {
    await lockWritable(tx, row.tenantId, documentId, author);
    const { rechecked, updatedAt } = await storeJudged(tx, row, judged);
    return { rechecked, ...(await viewSegments(tx, row, positions, updatedAt)) };
  });
}

/**
 * Checks confirmed segments whose findings are about an earlier text, and queues another run for the next ones. If the
 * check is not possible now, the findings stay as they are: a reviewer can ask for it later.
 */
export async function recheckConfirmed(
  services: RecheckServices & Pick<Services, 'log'>,
  { tenantId, documentId, after }: { tenantId: string; documentId: string; after: number },
): Promise<void> {
  try {
    const found = await services.database.inTenant(tenantId, async (tx) => {
      const row = await requireTranslated(tx, tenantId, documentId);
      await requireJudge(services, tx, tenantId, 'session');
      const pending = await tx
        .select({ position: documentSegments.position })
        .from(documentSegments)
        .where(
          sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} > ${after} and ${isPending}`,
        )
        .orderBy(documentSegments.position)
        .limit(maxSegments);
      const positions = pending.map(({ position }) => position);
      return { row, segments: await selectTranslated(tx, row, positions) };
    });
    if (found.segments.length === 0) return;
    const judged = await judge(services, found.row, found.segments);
    await services.database.inTenant(tenantId, async (tx) => {
      await storeJudged(tx, found.row, judged);
      const last = found.segments.at(-1)?.position ?? after;
      await addJob(tx, 'recheck_findings', { tenantId, documentId, after: last });
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    services.log.warn({ document_id: documentId, err: error }, 'confirmed segments were not checked again');
  }
}

function selectTranslated(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  positions: readonly number[],
): Promise<SegmentRow[]> {
  return tx
    .select({
      ...getTableColumns(documentSegments),
      before: sql<string | null>`(select b.source_text from document_segments b
        where b.tenant_id = ${tenantId} and b.document_id = ${documentId} and b.position = document_segments.position - 1)`,
    })
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)} and ${documentSegments.target} is not null`,
    )
    .orderBy(documentSegments.position);
}

/** No transaction is open during the calls. */
async function judge(
  services: RecheckServices,
  row: DocumentRow,
  segments: readonly SegmentRow[],
  signal?: AbortSignal,
): Promise<Judged[]> {
  if (segments.length === 0) return [];
  const texts = segments.map(
    ({ source, target, before, place, context, variant, maxLength, lengthUnit }) => ({
      source: source as InlineContent,
      target: target as InlineContent,
      before,
      context: noteOf(place, context),
      variant,
      limits: [limitOf(maxLength, lengthUnit)],
    }),
  );
  const request = groupRequestOf(requestOf(row));
  const scope = { tenantId: row.tenantId, signal, run: {} };
  await services.engine.redaction?.learn(() => sourceTexts(services, row), scope);
  const engine = await engineFor(services.engine, scope);
  const judgements = await judgeTexts(services, scope, request, texts);
  const found = await checkSegments(services, row, segments.map(proposedOf), signal);
  return segments.map((segment, index) => {
    const issues = found[index] ?? [];
    return {
      segment,
      judgement: withFindings(engine, judgements[index] as Judgement, issues),
      checked: issues,
    };
  });
}

/**
 * Stores the new findings and scores of segments that still have the judged text. If the judge finds a critical error in
 * a confirmed segment that had none, the confirmation is withdrawn: the reviewer has not seen this finding. A
 * confirmation with a reason despite critical findings stands.
 */
async function storeJudged(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  judged: readonly Judged[],
): Promise<{ rechecked: number[]; updatedAt: string }> {
  const row = await lockTranslated(tx, tenantId, documentId);
  const byPosition = new Map(judged.map((one) => [one.segment.position, one]));
  const present = await selectTranslated(tx, row, [...byPosition.keys()]);
  const changed = present.flatMap((segment) => {
    const of = byPosition.get(segment.position);
    if (!of || !isSameContent(segment.target as InlineContent, of.segment.target as InlineContent)) return [];
    const earlier = segment.issues as Finding[];
    const ofModel = of.judgement.issues.filter(({ found_by }) => found_by === undefined);
    const findings = findingsAfterJudgement(earlier, ofModel, of.checked);
    const score = Math.round(of.judgement.score);
    const needsReview =
      score < defaultThreshold ||
      (segment.needsReview && demandsReview(row)) ||
      findings.some((one) => isOpenCritical(one) || (isOpen(one) && one.category === 'terminology'));
    const isWithdrawn =
      segment.confirmedAt !== null && findings.some(isOpenCritical) && !earlier.some(isOpenCritical);
    return [{ position: segment.position, findings: { findings, needsReview }, score, isWithdrawn }];
  });
  if (changed.length === 0) return { rechecked: [], updatedAt: row.updatedAt.toISOString() };
  const positions = changed.map(({ position }) => position);
  const updatedAt = await changeSegments(tx, row, { positions, edits: 0 }, async () => {
    const withdrawn = changed
      .filter(({ isWithdrawn }) => isWithdrawn)
      .map(({ position }) => ({ position, kind: 'unconfirmed' as const, isConfirmed: false }));
    await storeChanges(tx, row, { userId: null, name: 'judge model', claimedVia: null }, newId(), withdrawn);
    await storeFindings(tx, row, changed);
  });
  return { rechecked: positions, updatedAt };
}

/** Maximum number of segments whose terms one run checks. */
const maxOfRun = 200;

type OpenSegment = typeof documentSegments.$inferSelect;

/**
 * Checks the terms of the open segments of documents that await approval again after a change of a glossary, and marks
 * those that miss a term. An open segment is translated, and no reviewer has confirmed it. Each run checks a part of one
 * document and queues the run for the next part. A chain of runs ends if a later change has begun another one.
 * @throws AppError rate_limit if too many long texts are queued for the check; the task is then repeated
 */
export async function recheckTerms(
  services: CheckServices,
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
    return { row, segments: await selectOpen(tx, row, isNext, maxOfRun) };
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
  if (single && segments.length < maxOfRun) return;
  const next = {
    ...(single && { single }),
    tenantId,
    documentId: found?.row.documentId ?? documentId,
    after: segments.length === maxOfRun ? (segments.at(-1) as OpenSegment).position : null,
    changedAt,
  };
  await database.inTenant(tenantId, (tx) =>
    addJob(tx, 'recheck_terms', next, { priority: 1, flags: single ? [] : [ofChange(changedAt)] }),
  );
}

/** Whether runs for a later change are queued, which check all documents. */
async function hasLaterChain(tx: Tx, tenantId: string, changedAt: string): Promise<boolean> {
  const [row] = await tx.execute<{ later: boolean }>(sql`
    select exists (
      select from graphile_worker.jobs, jsonb_object_keys(flags) flag
      where task_identifier = 'recheck_terms' and flags ? ${ofTenant(tenantId)}
        and flag like 'change:%' and flag collate "C" > ${ofChange(changedAt)}) as later`);
  return row?.later ?? false;
}

function selectOpen(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  condition: ReturnType<typeof isAtOneOf>,
  limit: number,
): Promise<OpenSegment[]> {
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

function isTermOfCheck({ category, found_by }: Finding): boolean {
  return category === 'terminology' && found_by === 'check';
}

/** Stores the findings of segments that are still open and have the checked text, if they have changed. */
async function storeChecked(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  checked: readonly OpenSegment[],
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
    const present = findingsAfterChecks(terms, issues[index] as QualityIssue[], false);
    const had = terms.filter(isOpen).map(idOf);
    const has = present.filter(isOpen).map(idOf);
    if (had.length === has.length && has.every((id) => had.includes(id))) return [];
    const findings = [...present, ...others];
    // A segment that was flagged for its terms only is not flagged without them.
    const isFlaggedOtherwise =
      segment.needsReview &&
      (had.length === 0 ||
        demandsReview(row) ||
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
