import { getTableColumns, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type InlineContent, isSameContent } from '#server/formats/inline-content.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Judgement } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { withFindings } from '#server/translation/core/checks.ts';
import {
  type Checked,
  type Finding,
  findingsAfterJudgement,
  isOpen,
  isOpenCritical,
} from '#server/translation/core/findings.ts';
import { judgeTexts } from '#server/translation/core/pipeline/group.ts';
import { defaultThreshold } from '#server/translation/core/pipeline/policy.ts';
import {
  type DocumentRow,
  groupRequestOf,
  requestOf,
  requireDocument,
} from '#server/translation/documents/jobs.ts';
import { isAtOneOf, noteOf, ofDocument } from '#server/translation/documents/segments.ts';
import { requireJudge } from '../require-judge.ts';
import { checkSegments } from './check-segments.ts';
import { confirmedSegments } from './confirm.ts';
import { isPending } from './pending-rechecks.ts';
import { selectSegments } from './positioned-segment.ts';
import { lockTranslated, requireTranslated } from './reviewed-document.ts';
import { changeSegments, storeChanges, storeFindings } from './segment-changes.ts';

/*
 * The judge model sees the present text of segments whose findings are about an earlier one: when a reviewer asks for it,
 * and once after a segment is confirmed.
 */

/** Maximum number of segments that the judge model sees at once. */
const maxSegments = 20;

export const documentRecheckInput = z.object({
  document_id: z.string().describe('The ID of the document job.'),
  positions: z
    .array(z.int().min(0).max(1_000_000))
    .min(1)
    .max(maxSegments)
    .describe('The positions of the segments in the document, from 0.'),
});

export const recheckedSegments = confirmedSegments.extend({
  rechecked: z
    .array(z.int())
    .describe(
      'The positions of the segments that were checked. Segments whose text was changed during the check are not included.',
    ),
});

type RecheckServices = Parameters<typeof checkSegments>[0] & Pick<Services, 'engine' | 'settings'>;

type SegmentRow = typeof documentSegments.$inferSelect & { before: string | null };

/** The findings of the judge model and of the checks of the service for the present text of a segment. */
interface Judged {
  segment: SegmentRow;
  judgement: Judgement;
  checked: Checked;
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
  const { row, segments } = await withTenant(async (tx, principal) => {
    const row = await requireDocument(tx, principal.tenant.id, documentId);
    requireTranslated(row);
    await requireJudge(services, tx, row.tenantId, principal.kind);
    return { row, segments: await selectTranslated(tx, row, positions) };
  });
  const judged = await judge(services, row, segments, signal);
  return services.database.inTenant(row.tenantId, async (tx) => {
    const { rechecked, updatedAt } = await storeJudged(tx, row, judged);
    return {
      segments: await selectSegments(tx, row.tenantId, documentId, positions),
      rechecked,
      updated_at: updatedAt,
    };
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
      const row = await requireDocument(tx, tenantId, documentId);
      requireTranslated(row);
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
  const texts = segments.map(({ source, target, before, place, context, variant }) => ({
    source: source as InlineContent,
    target: target as InlineContent,
    before,
    context: noteOf(place, context),
    variant,
    maxLength: null,
  }));
  const request = groupRequestOf(requestOf(row));
  const judgements = await judgeTexts(services, { tenantId: row.tenantId, signal }, request, texts);
  const found = await checkSegments(
    services,
    row,
    segments.map(({ sourceText, targetText, source, target }) => ({
      sourceText,
      targetText: targetText ?? '',
      tagged: { source: source as InlineContent, target: target as InlineContent },
    })),
    signal,
  );
  return segments.map((segment, index) => {
    const issues = found[index] ?? [];
    return {
      segment,
      judgement: withFindings(judgements[index] as Judgement, issues),
      checked: { issues, before: issues },
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
  const present = await selectTranslated(
    tx,
    row,
    judged.map(({ segment }) => segment.position),
  );
  const byPosition = new Map(judged.map((one) => [one.segment.position, one]));
  const changed = present.flatMap((segment) => {
    const of = byPosition.get(segment.position);
    if (!of || !isSameContent(segment.target as InlineContent, of.segment.target as InlineContent)) return [];
    const earlier = segment.issues as Finding[];
    const ofModel = of.judgement.issues.filter(({ found_by }) => found_by === undefined);
    const findings = findingsAfterJudgement(earlier, ofModel, of.checked);
    const score = Math.round(of.judgement.score);
    const needsReview =
      score < defaultThreshold ||
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
