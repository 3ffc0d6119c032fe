import { and, desc, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments, segmentEvents } from '#db/schema/documents.ts';
import { withdrawUndoneFeed } from '#server/documents/feed-withdrawal.ts';
import { type DocumentRow, requireDocument } from '#server/documents/jobs.ts';
import { isAtOneOf, ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { type InlineContent, isSameContent } from '#server/formats/inline-content.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { queueTermCheckOf } from '#server/language/terminology/sets.ts';
import { newId } from '#server/platform/ids.ts';
import { type Finding, idOf, isOpenCritical, resolutions } from '#server/translation/findings.ts';
import { type Author, authorOf } from '../author.ts';
import { type CorrectionConflict, requireNoConflict } from './document.ts';
import { lockWritable } from './lock-writable.ts';
import {
  changeSegments,
  chunk,
  recordChange,
  replacedColumns,
  restoredColumns,
  storeFindings,
} from './segment-changes.ts';
import {
  confirmReason,
  currentSegments,
  maxReturned,
  ofDocumentJob,
  position,
  selectSegments,
  viewSegments,
} from './segment-schema.ts';

export const changeInput = z.object({
  ...ofDocumentJob,
  change_id: z.string().max(100).describe('The change, from `save` or the history.'),
});

type ChangeInput = z.infer<typeof changeInput>;

export const restoredSegments = currentSegments.extend({
  change_id: z.string().describe('The change.'),
  positions: z.array(z.int()).describe('The positions of all segments of the change, in reading order.'),
});

type RestoredSegments = z.infer<typeof restoredSegments>;

type Direction = 'undone' | 'redone';

/** A segment of a change, before the change is undone or redone. */
interface ChangedSegment extends Omit<CorrectionConflict, 'index'> {
  source_text: string;
  /** The member who made the change; null for an API key. */
  userId: string | null;
  isUndone: boolean;
  /** Whether the segment was changed since, so that it must not be restored. */
  isMoved: boolean;
  /** The event whose stored columns are restored. */
  restoreFrom: string;
  /** Whether the translation changes, not only the confirmation. */
  isEdit: boolean;
}

/**
 * Undoes a change, or applies it again. An undo restores all segments of the change exactly, and removes their translations
 * from the TM. If the change is already undone or redone, nothing happens.
 * @throws AppError 404; 400 if the document is not translated; 403 unless the caller made the change or is an
 *   administrator; 409 conflict, with all `CorrectionConflict`s, if a segment was changed later
 */
export async function restoreChange(
  tx: Tx,
  principal: Principal,
  origin: Origin,
  { document_id: documentId, change_id: changeId }: ChangeInput,
  direction: Direction,
): Promise<RestoredSegments> {
  const { tenant } = principal;
  const author = await authorOf(tx, principal, null);
  const row = await lockWritable(tx, tenant.id, documentId, author);
  const segments = await selectChange(tx, row, changeId, direction);
  requireAuthor(principal, segments);
  const positions = segments.map(({ position }) => position);
  const view = async (updatedAt: string): Promise<RestoredSegments> => ({
    change_id: changeId,
    positions,
    ...(await viewSegments(tx, row, positions.slice(0, maxReturned), updatedAt)),
  });
  if (segments.every(({ isUndone }) => isUndone === (direction === 'undone')))
    return view(row.updatedAt.toISOString());
  const conflicts = segments.flatMap(
    ({ isMoved, position, region_id, cell_id, target_text, corrected }, index) =>
      isMoved ? [{ index, position, region_id, cell_id, target_text, corrected }] : [],
  );
  requireNoConflict(conflicts, direction);
  const edits = segments.filter(({ isEdit }) => isEdit).length;
  const updatedAt = await changeSegments(tx, row, { positions, edits }, async () => {
    const before = await selectStates(tx, row, positions);
    const events: string[] = [];
    for (let from = 0; from < segments.length; from += chunk)
      events.push(
        ...(await restoreSegments(tx, row, author, {
          changeId,
          direction,
          segments: segments.slice(from, from + chunk),
        })),
      );
    await keepLaterFindings(tx, row, before);
    // The glossary may have changed since the restored texts were checked. Several steps need one check.
    if (edits > 0) await queueTermCheckOf(tx, row.tenantId, documentId);
    if (direction === 'undone') await withdrawFromMemory(tx, row, segments, events);
    await markPending(tx, row, positions);
  });
  await recordChange(tx, origin, row, author, edits);
  return view(updatedAt);
}

/**
 * Requires that the caller made the change, or is an administrator. All API keys of a workspace are one author: a key
 * is replaced by rotation, its successor must be able to undo what it did, and the name in a request is not
 * authenticated. A member does not undo the changes of keys, and a key not those of members.
 * @throws AppError 404 for an unknown change; 403
 */
function requireAuthor(principal: Principal, [first]: readonly ChangedSegment[]): void {
  if (!first) throw new AppError('not_found', 'change not found');
  const isAdmin = principal.kind === 'session' && principal.user.role === 'global_administrator';
  const userId = principal.kind === 'session' ? principal.user.id : null;
  if (!isAdmin && first.userId !== userId)
    throw new AppError(
      'forbidden',
      'only the reviewer who made a change, and administrators, can undo or redo it',
    );
}

/** SQL: the columns that change without a reviewer: a check may store other findings for the same text. */
const notCompared = sql.raw(`'{feed_pending,issues,score,needs_review}'`);

/** Returns the segments of a change with their current state, in reading order. */
async function selectChange(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  changeId: string,
  direction: Direction,
): Promise<ChangedSegment[]> {
  const isApplied = sql`undone_at is null and kind not in ('undone', 'redone')`;
  // The segment must have the state that the change gave it, or for a redo the state to which it was applied.
  const isOtherState =
    direction === 'redone' ? sql`s.state is distinct from (e.before - ${notCompared}::text[])` : sql`false`;
  const restoreFrom =
    direction === 'redone'
      ? sql`case when first_value(kind) over undos = 'undone' then first_value(event_id) over undos else event_id end`
      : sql`event_id`;
  // One pass over the events, then lookups by primary keys: joins would be planned without statistics just after the
  // change of many segments, and compare each of them with each other.
  const rows = await tx.execute<ChangedSegment & Record<string, unknown>>(sql`
    with history as materialized (
      select event_id, position, change_id, kind, user_id, undone_at, before, ${restoreFrom} as restore_from,
        count(*) filter (where ${isApplied}) over later - case when ${isApplied} then 1 else 0 end as later_changes
      from segment_events
      where tenant_id = ${tenantId} and document_id = ${documentId}
        and position = any(array(select position from segment_events
          where tenant_id = ${tenantId} and document_id = ${documentId} and change_id = ${changeId}))
      window later as (partition by position order by created_at
          range between current row and unbounded following),
        undos as (partition by position, change_id order by kind = 'undone' desc, created_at desc))
    select e.position, s.region_id, s.cell_id, s.source_text, s.target_text, s.corrected, e.user_id as "userId",
      e.undone_at is not null as "isUndone", e.restore_from as "restoreFrom",
      s.target is distinct from nullif(f.before -> 'target', 'null') as "isEdit",
      (e.later_changes > 0 or ${isOtherState}) as "isMoved"
    from history e
    cross join lateral (
      select s.*, ${replacedColumns} - ${notCompared}::text[] as state from document_segments s
      where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = e.position offset 0) s
    cross join lateral (
      select before from segment_events where tenant_id = ${tenantId} and event_id = e.restore_from offset 0) f
    where e.change_id = ${changeId} and e.kind not in ('undone', 'redone')
    order by e.position`);
  return [...rows];
}

/**
 * Restores the stored columns of each segment, and records that the change was undone or redone.
 * @returns the IDs of the new events, in the order of the segments
 */
async function restoreSegments(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  { userId, name }: Author,
  { changeId, direction, segments }: { changeId: string; direction: Direction; segments: ChangedSegment[] },
): Promise<string[]> {
  const rows = segments.map(({ position, restoreFrom }) => ({
    id: newId(),
    position,
    restore_from: restoreFrom,
  }));
  const isGiven = sql`s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = r.at
    and s.position = any(array(select at from restored))`;
  // All parts of the statement see the segments as they were before it.
  await tx.execute(sql`
    with restored as materialized (
      select g.id as new_event, g.position as at, b.*
      from json_to_recordset(${JSON.stringify(rows)}::json) as g(id text, position int, restore_from text)
      join segment_events f on f.tenant_id = ${tenantId} and f.event_id = g.restore_from,
      jsonb_populate_record(null::document_segments, f.before) b),
    marked as (
      update segment_events set undone_at = ${direction === 'undone' ? sql`clock_timestamp()` : sql`null`}
      where tenant_id = ${tenantId} and document_id = ${documentId} and change_id = ${changeId}
        and kind not in ('undone', 'redone') and position = any(array(select at from restored))),
    events as (
      insert into segment_events (tenant_id, event_id, document_id, position, change_id, kind, user_id, actor,
        target_text, before, created_at)
      select s.tenant_id, r.new_event, s.document_id, s.position, ${changeId}::text, ${direction}::text,
        ${userId}::text, ${name}::text, r.target_text, ${replacedColumns}, clock_timestamp()
      from restored r join document_segments s on ${isGiven})
    update document_segments s set ${restoredColumns} from restored r where ${isGiven}`);
  return rows.map(({ id }) => id);
}

/** The text of a segment, and its findings. */
interface SegmentState {
  position: number;
  target: unknown;
  issues: unknown[];
  needsReview: boolean;
}

function selectStates(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  positions: readonly number[],
): Promise<SegmentState[]> {
  const { position, target, issues, needsReview } = documentSegments;
  return tx
    .select({ position, target, issues, needsReview })
    .from(documentSegments)
    .where(sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)}`);
}

/**
 * Keeps the findings that a check has stored since the change: the restored state does not have them. A segment with an
 * open critical one among them is not confirmed again, because the reviewer who confirmed it had not seen the finding.
 */
async function keepLaterFindings(tx: Tx, row: DocumentRow, before: readonly SegmentState[]): Promise<void> {
  const former = new Map(before.map((state) => [state.position, state]));
  const restored = await selectStates(tx, row, [...former.keys()]);
  const changed = restored.flatMap((state) => {
    const was = former.get(state.position) as SegmentState;
    const later = laterFindings(was, state);
    const needsReview = state.needsReview || was.needsReview || later.some(isOpenCritical);
    const findings = [...(state.issues as Finding[]), ...later];
    return later.length === 0
      ? []
      : [{ position: state.position, findings: { findings, needsReview }, later }];
  });
  if (changed.length === 0) return;
  await storeFindings(tx, row, changed);
  const critical = changed.filter(({ later }) => later.some(isOpenCritical));
  if (critical.length === 0) return;
  await tx
    .update(documentSegments)
    .set({ confirmedAt: null, confirmedBy: null })
    .where(
      sql`${ofDocument(row.tenantId, row.documentId)} and ${isAtOneOf(critical.map(({ position }) => position))}`,
    );
}

/** Of another text, only open critical findings of a model are kept: they may apply to the restored text, too. */
function laterFindings(was: SegmentState, restored: SegmentState): Finding[] {
  const known = new Set((restored.issues as Finding[]).map(idOf));
  const later = (was.issues as Finding[]).filter((finding) => !known.has(idOf(finding)));
  if (isSameContent(was.target as InlineContent, restored.target as InlineContent)) return later;
  return later
    .filter((finding) => isOpenCritical(finding) && finding.found_by !== 'check')
    .map((finding) => ({ ...finding, status: 'not_rechecked' }));
}

/**
 * Marks restored corrections as not added to the TM unless the document's manifest has them: their translation may have
 * been removed from the TM after the change was stored.
 */
async function markPending(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  positions: readonly number[],
): Promise<void> {
  await tx.execute(sql`
    with fed as materialized (
      select f ->> 'source_text' as source_text, f ->> 'target_text' as target_text
      from document_jobs d, jsonb_array_elements(d.feed_manifest -> 'fed_pairs') f
      where d.tenant_id = ${tenantId} and d.document_id = ${documentId})
    update document_segments s set feed_pending = true
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.corrected and not s.feed_pending
      and s.position = any(array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int))
      and not exists (
        select from fed where fed.source_text = s.source_text and fed.target_text = s.target_text)`);
}

/**
 * Removes the translations of an undone change from the TM. If the change is redone, they must be added again, so the
 * stored columns of these segments are marked as not added.
 */
async function withdrawFromMemory(
  tx: Tx,
  row: DocumentRow,
  segments: readonly ChangedSegment[],
  events: readonly string[],
): Promise<void> {
  const pairs = segments.map(({ source_text, target_text }) => ({ source_text, target_text }));
  const isWithdrawn = await withdrawUndoneFeed(tx, row, pairs);
  const marked = events.filter((_, index) => isWithdrawn(segments[index] as ChangedSegment));
  if (marked.length === 0) return;
  await tx.execute(sql`
    update segment_events set before = before || '{"feed_pending": true}'
    where tenant_id = ${row.tenantId} and event_id = any(array(
      select json_array_elements_text(${JSON.stringify(marked)}::json)))`);
}

export const historyQuery = z.object({ ...ofDocumentJob, position });

/** Maximum number of events in a response. */
const maxEvents = 200;

const eventReason = z.object({
  code: z.enum([...confirmReason.shape.code.options, ...resolutions]).describe('The kind of reason.'),
  note: z.string().describe('The reason in words; empty if a resolution has none.'),
});

export const segmentHistory = z.object({
  events: z
    .array(
      z.object({
        event_id: z.string().describe('The event.'),
        change_id: z.string().meta({ description: 'the change, which can be undone with this ID' }),
        kind: z
          .enum(segmentEvents.kind.enumValues)
          .describe(
            '`edited`: a new text, as a draft. `confirmed`: confirmed, with or without a new text. `unconfirmed`: no longer confirmed, same text. `resolved`: a finding was resolved. `repeated`: same source as a segment that was changed. `undone`, `redone`: the change was undone or redone.',
          ),
        by: z
          .string()
          .nullable()
          .meta({ description: 'email address or user ID; null for an API key without a name' }),
        user_id: z.string().nullable().describe('The member; null for an API key.'),
        created_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
        target_text: z.string().nullable().describe('The translation after the event.'),
        previous_text: z.string().nullable().describe('The translation before the event.'),
        reason: eventReason
          .nullable()
          .meta({ description: 'why critical findings were confirmed, or how a finding was resolved' }),
        undone_at: z
          .string()
          .nullable()
          .meta({ format: 'date-time', description: 'when the change was undone; null if it was not' }),
      }),
    )
    .meta({ description: `latest first, at most ${maxEvents}` }),
});

/**
 * Returns what reviewers did with a segment.
 * @throws AppError 404 for an unknown document or segment
 */
export async function readHistory(
  tx: Tx,
  tenantId: string,
  { document_id: documentId, position }: z.infer<typeof historyQuery>,
): Promise<z.infer<typeof segmentHistory>> {
  await requireDocument(tx, tenantId, documentId);
  const [segment] = await selectSegments(tx, tenantId, documentId, [position]);
  if (!segment) throw new AppError('not_found', 'segment not found');
  const rows = await tx
    .select({
      event_id: segmentEvents.eventId,
      change_id: segmentEvents.changeId,
      kind: segmentEvents.kind,
      by: segmentEvents.actor,
      user_id: segmentEvents.userId,
      createdAt: segmentEvents.createdAt,
      target_text: segmentEvents.targetText,
      previous_text: sql<string | null>`${segmentEvents.before} ->> 'target_text'`,
      reason: segmentEvents.reason,
      undoneAt: segmentEvents.undoneAt,
    })
    .from(segmentEvents)
    .where(
      and(
        eq(segmentEvents.tenantId, tenantId),
        eq(segmentEvents.documentId, documentId),
        eq(segmentEvents.position, position),
      ),
    )
    .orderBy(desc(segmentEvents.createdAt), desc(segmentEvents.eventId))
    .limit(maxEvents);
  return {
    events: rows.map(({ createdAt, reason, undoneAt, ...event }) => ({
      ...event,
      created_at: createdAt.toISOString(),
      reason: reason as z.infer<typeof eventReason> | null,
      undone_at: undoneAt?.toISOString() ?? null,
    })),
  };
}
