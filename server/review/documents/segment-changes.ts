import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentSegments } from '#db/schema/documents.ts';
import { type DocumentRow, isDocument } from '#server/documents/jobs.ts';
import { movedFigures, readFigures } from '#server/documents/quality-report.ts';
import { queueRendering } from '#server/documents/rendering.ts';
import { figuresOf } from '#server/documents/segment-figures.ts';
import { isAtOneOf, ofDocument } from '#server/documents/segments.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { hasUnseen } from '#server/translation/findings.ts';
import type { Author } from '../author.ts';
import type { ReviewedFindings } from './reviewed-findings.ts';

/*
 * Changes of segments by reviewers. Each changed segment gets a row in `segment_events` with the columns that the change
 * replaces. The caller holds the lock of `lockTranslated`, so the events of a segment have the order of its states.
 */

/** The columns of a segment that a change replaces, and that an undo restores. */
const columns = [
  'target',
  'target_text',
  'score',
  'needs_review',
  'issues',
  'fast_path',
  'provenance',
  'corrected',
  'pipeline_text',
  'feed_pending',
  'confirmed_at',
  'confirmed_by',
] as const;

/** SQL: the replaced columns of the segment `s` as a JSON object. */
export const replacedColumns = sql.raw(
  `jsonb_build_object(${columns.map((name) => `'${name}', s.${name}`).join(', ')})`,
);

/** SQL: assigns the columns of the row `r` to a segment. */
export const restoredColumns = sql.raw(columns.map((name) => `${name} = r.${name}`).join(', '));

/** A new state of a segment. */
export interface SegmentChange {
  position: number;
  kind: 'edited' | 'confirmed' | 'unconfirmed' | 'repeated' | 'resolved';
  /** Whether a reviewer has confirmed the segment after the change. */
  isConfirmed: boolean;
  /** Set if the segment has critical findings, or if a finding is resolved. */
  reason?: { code: string; note: string } | undefined;
  /** The new findings; undefined if they stay. A new translation has them always. */
  findings?: ReviewedFindings | undefined;
  /** The new translation; undefined if the translation stays. */
  translation?: ReviewedTranslation | undefined;
}

interface ReviewedTranslation {
  target: InlineContent;
  targetText: string;
  /** The position of the segment whose translation it repeats. */
  repetitionOf?: number | undefined;
}

/**
 * Number of segments that one statement changes. Its index condition holds an array of all their positions for each of
 * them, so that the time of one statement for all segments would grow with the square of their number.
 */
export const chunk = 500;

interface Document {
  tenantId: string;
  documentId: string;
}

/**
 * Makes changes of different segments of a document that the caller has locked, and counts them.
 * @param positions the segments whose figures and findings are looked at; default: those that change
 * @returns the document's updated_at
 */
export function applyChanges(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  changeId: string,
  changes: readonly SegmentChange[],
  positions = changes.map(({ position }) => position),
): Promise<string> {
  const edits = changes.filter(({ translation }) => translation).length;
  return changeSegments(tx, row, { positions, edits }, () =>
    storeChanges(tx, row, author, changeId, changes),
  );
}

/**
 * Stores changes of different segments, and their events. The engine's score belonged to the previous text, so a segment
 * with a new text has no score, like a segment from the TM. Its findings are those of `reviewedFindings`. A confirmation
 * belongs to one text: a new text ends it, unless the change confirms the new text. If a segment is already confirmed, its
 * first confirmation stays.
 */
export async function storeChanges(
  tx: Tx,
  document: Document,
  author: Author,
  changeId: string,
  changes: readonly SegmentChange[],
): Promise<void> {
  for (let from = 0; from < changes.length; from += chunk)
    await storeChunk(tx, document, author, changeId, changes.slice(from, from + chunk));
}

async function storeChunk(
  tx: Tx,
  { tenantId, documentId }: Document,
  { userId, name }: Author,
  changeId: string,
  changes: readonly SegmentChange[],
): Promise<void> {
  const rows = changes.map(({ position, kind, isConfirmed, reason, findings, translation }) => ({
    event_id: newId(),
    position,
    kind,
    is_confirmed: isConfirmed,
    reason,
    ...(findings && { issues: findings.findings, needs_review: findings.needsReview }),
    ...(translation && {
      target: translation.target,
      target_text: translation.targetText,
      provenance: {
        engine: 'reviewer',
        ...(translation.repetitionOf !== undefined && { repetition_of: translation.repetitionOf }),
      },
    }),
  }));
  const isGiven = sql`s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = r.position
    -- Without statistics the planner would read the whole document; an array becomes a condition of the index.
    and s.position = any(array(select position from given))`;
  // All parts of the statement see the segments as they were before it.
  await tx.execute(sql`
    with given as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as r(event_id text, position int, kind text,
        is_confirmed boolean, reason jsonb, target jsonb, target_text text, issues jsonb, needs_review boolean,
        provenance jsonb)),
    events as (
      insert into segment_events (tenant_id, event_id, document_id, position, change_id, kind, user_id, actor,
        target_text, before, reason, created_at)
      select s.tenant_id, r.event_id, s.document_id, s.position, ${changeId}::text, r.kind, ${userId}::text, ${name}::text,
        coalesce(r.target_text, s.target_text), ${replacedColumns}, r.reason, clock_timestamp()
      from given r join document_segments s on ${isGiven}),
    translated as (
      update document_segments s set target = r.target, target_text = r.target_text, corrected = true,
        pipeline_text = case when s.corrected then s.pipeline_text else s.target_text end,
        feed_pending = true, score = null, needs_review = coalesce(r.needs_review, s.needs_review),
        issues = coalesce(r.issues, s.issues), fast_path = null,
        provenance = r.provenance, confirmed_at = case when r.is_confirmed then now() end,
        confirmed_by = case when r.is_confirmed then ${name}::text end
      from given r where r.target is not null and ${isGiven})
    update document_segments s set issues = coalesce(r.issues, s.issues),
      needs_review = coalesce(r.needs_review, s.needs_review),
      confirmed_at = case when r.is_confirmed then coalesce(s.confirmed_at, now()) end,
      confirmed_by = case when r.is_confirmed then coalesce(s.confirmed_by, ${name}::text) end
    from given r where r.target is null and ${isGiven}`);
}

/** Stores the findings of texts that stay, and their new scores if there are any. */
export async function storeFindings(
  tx: Tx,
  { tenantId, documentId }: Document,
  changed: readonly { position: number; findings: ReviewedFindings; score?: number }[],
): Promise<void> {
  const rows = changed.map(({ position, findings: { findings, needsReview }, score }) => ({
    position,
    score,
    issues: findings,
    needs_review: needsReview,
  }));
  await tx.execute(sql`
    update document_segments s set issues = r.issues, score = coalesce(r.score, s.score), needs_review = r.needs_review
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(position int, score int, issues jsonb, needs_review boolean)
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = r.position`);
}

/**
 * Changes segments of a document that the caller has locked with `lockTranslated`: updates the document's figures by
 * those of the changed segments, so that a large document is not read as a whole, counts the segments with another
 * translation, and queues the rendering and the check of confirmed segments.
 * @param row the document as it is after the lock
 * @returns the document's updated_at
 */
export async function changeSegments(
  tx: Tx,
  { tenantId, documentId, sourceFormat, reportFigures: stored }: DocumentRow,
  { positions, edits }: { positions: readonly number[]; edits: number },
  change: () => Promise<void>,
): Promise<string> {
  const count = () => figuresOf(tx, tenantId, documentId, positions);
  const before = await count();
  await change();
  const figures = movedFigures(readFigures(stored), { before, after: await count() });
  const [changed] = await tx
    .update(documentJobs)
    .set({
      reportFigures: figures,
      edits: sql`${documentJobs.edits} + ${edits}::int`,
      ...(layoutKinds[sourceFormat].marksReview && { decisions: sql`${documentJobs.decisions} + 1` }),
      // Not earlier than its events, so that an approval can name the version that it has seen.
      updatedAt: sql`clock_timestamp()`,
    })
    .where(isDocument(tenantId, documentId))
    .returning({ updatedAt: documentJobs.updatedAt });
  if (!changed) throw new Error('a locked document is gone');
  await queueRendering(tx, tenantId, documentId);
  await queueRecheck(tx, { tenantId, documentId }, positions);
  return changed.updatedAt.toISOString();
}

/**
 * Records that an author has changed translations of an approved document, in the transaction of the change. Otherwise
 * does nothing.
 * @param row the document as it was before the change
 * @param edits the number of segments with another translation
 */
export async function recordChange(
  tx: Tx,
  origin: Origin,
  { tenantId, documentId, approvedAt, approvedBy }: DocumentRow,
  { userId, name, claimedVia }: Author,
  edits: number,
): Promise<void> {
  if (approvedAt === null || edits === 0) return;
  await tx
    .update(documentJobs)
    .set({ changedSinceApproval: sql`clock_timestamp()` })
    .where(isDocument(tenantId, documentId));
  await recordEvent(tx, origin, {
    action: 'review_changed',
    tenantId,
    actor: userId === null ? { kind: 'api_key' } : { kind: 'member', userId },
    target: documentId,
    details: {
      ...{ kind: 'document', segments: edits, approved_by: approvedBy },
      ...(claimedVia && { key_id: claimedVia.id, key_name: claimedVia.name, claimed_reviewer: name }),
    },
  });
}

/** SQL: whether a segment is confirmed and has findings about an earlier text that the judge model is to see. */
export const isPending = sql`(${documentSegments.confirmedAt} is not null and ${hasUnseen(documentSegments.issues)})`;

/** Queues the check of those of these segments that need it, after they were changed. */
async function queueRecheck(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  positions: readonly number[],
): Promise<void> {
  const [pending] = await tx
    .select({ position: documentSegments.position })
    .from(documentSegments)
    .where(sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)} and ${isPending}`)
    .limit(1);
  if (!pending) return;
  const key = `recheck_findings:${documentId}`;
  await addJob(tx, 'recheck_findings', { tenantId, documentId, after: -1 }, { key, afterSeconds: 5 });
}
