import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import type { DocumentRow } from '#server/documents/jobs.ts';
import { maxTargetLength } from '#server/documents/schema.ts';
import { isAtOneOf, ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { hasChips } from '#server/formats/chips.ts';
import { type InlineContent, isSameContent, plainText, retag } from '#server/formats/inline-content.ts';
import { nestPairs, reviewedContent } from '#server/formats/reviewed-content.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import { destinationIn, type LocatingServices } from '#server/storage/destination.ts';
import { type Finding, idOf, isOpenCritical } from '#server/translation/findings.ts';
import { findingsAt, limitOf } from '#server/translation/request.ts';
import { type Author, requireName } from '../author.ts';
import { unknownSegment } from '../item.ts';
import { checkSegments } from './check.ts';
import { type CorrectionConflict, conflictAt, documentAuthor, requireNoConflict } from './document.ts';
import { lockWritable } from './lock-writable.ts';
import { requireReason, reviewedFindings, type StoredQuality } from './reviewed-findings.ts';
import { applyChanges, recordChange, type SegmentChange } from './segment-changes.ts';
import {
  confirmFields,
  currentSegments,
  inlineContent,
  maxReturned,
  maxSeenLength,
  ofDocumentJob,
  position,
  segmentList,
  viewSegments,
} from './segment-schema.ts';

const savedSegment = z.object({
  position,
  target_text: z.string().max(maxTargetLength).describe('The translation to store.'),
  target_content: inlineContent
    .optional()
    .describe(
      'The translation with its tags. Its text is stored instead of `target_text`. If omitted, the tags of the present translation are placed in `target_text`.',
    ),
  replaces: z
    .string()
    .max(maxSeenLength)
    .nullable()
    .meta({ description: 'the target_text that the reviewer saw; null without one' }),
  confirmed: z
    .boolean()
    .optional()
    .describe(
      '`true` confirms the segment, `false` withdraws its confirmation. If omitted, an unchanged text stays as it is; a new text is a draft.',
    ),
});

export const documentSaveInput = z.object({
  ...ofDocumentJob,
  segments: segmentList(savedSegment).describe('Either all are stored or none.'),
  repeat: z
    .boolean()
    .default(true)
    .describe('Whether other segments with the same source get the same translation.'),
  ...confirmFields,
});

export const savedSegments = currentSegments.extend({
  change_id: z.string().nullable().meta({
    description:
      'undoes what was stored. If nothing changed, as in a resend, the change that stored it; null without a single one',
  }),
  repeated: z
    .array(z.int())
    .describe('The positions of the segments that got the same translation or confirmation.'),
});

type SaveInput = z.infer<typeof documentSaveInput>;
type SavedSegments = z.infer<typeof savedSegments>;

type SaveServices = LocatingServices & Parameters<typeof checkSegments>[0] & Pick<Services, 'log'>;

type SegmentRow = typeof documentSegments.$inferSelect;

/** A segment of the request with its stored state. */
interface NamedSegment {
  given: SaveInput['segments'][number];
  row: SegmentRow;
  /** The text of the request with its tags; undefined if it has no tags. */
  content: InlineContent | undefined;
  /** Whether the request gives the segment another text, or other tags. */
  isEdited: boolean;
}

/**
 * Stores translations and confirmations of segments in one transaction, without the engine, and queues the rendering of
 * the file. A text that a reviewer has already stored counts as unchanged, so a request that is sent again changes
 * nothing.
 * @throws AppError 404; 400 if the document is not translated, or the reviewer of a confirmation cannot be determined; 409
 *   storage_binding_not_verified; 422 for an unknown position; 409 conflict, with all `CorrectionConflict`s, if a
 *   translation differs from the one that it replaces; UnconfirmedFindings
 */
export async function saveSegments(
  services: SaveServices,
  withTenant: WithTenant,
  origin: Origin,
  input: SaveInput,
): Promise<SavedSegments> {
  const { document_id: documentId } = input;
  const { row, author, edited } = await withTenant(async (tx, principal) => {
    const author = await documentAuthor(tx, principal, input.reviewer);
    const row = await lockWritable(tx, principal.tenant.id, documentId, author);
    if (input.segments.some(({ confirmed }) => confirmed)) requireName(author);
    const edited = (await selectNamed(tx, row, input)).filter(({ isEdited }) => isEdited);
    // A text cannot be stored if the file could not be rendered with it.
    if (edited.length > 0) await destinationIn(tx, services, row.tenantId);
    return { row, author, edited };
  });
  const found = await checkSegments(
    services,
    row,
    edited.map(({ row, given, content }) => ({
      sourceText: row.sourceText,
      targetText: given.target_text,
      limit: limitOf(row.maxLength, row.lengthUnit),
      ...(content && { tagged: { source: row.source as InlineContent, target: content } }),
    })),
  );
  const checked = new Map(edited.map(({ given }, index) => [given.position, found[index] ?? []]));
  return services.database.inTenant(row.tenantId, (tx) => store(tx, origin, row, author, input, checked));
}

async function store(
  tx: Tx,
  origin: Origin,
  { tenantId, documentId }: DocumentRow,
  author: Author,
  input: SaveInput,
  checked: ReadonlyMap<number, readonly QualityIssue[]>,
): Promise<SavedSegments> {
  const row = await lockWritable(tx, tenantId, documentId, author);
  const named = await selectNamed(tx, row, input);
  const originals = named.flatMap((segment) => newStateOf(segment, checked, input) ?? []);
  requireReason(
    row,
    originals.filter(({ isConfirmed }) => isConfirmed),
    input,
  );
  const positions = named.map(({ given }) => given.position);
  const repetitions = input.repeat ? await changesOfRepetitions(tx, row, originals, positions) : [];
  const repeated = repetitions.map(({ position }) => position);
  const view = async (changeId: string | null, updatedAt: string): Promise<SavedSegments> => {
    const returned = [...positions, ...repeated.slice(0, maxReturned)];
    return { change_id: changeId, repeated, ...(await viewSegments(tx, row, returned, updatedAt)) };
  };
  if (originals.length === 0)
    return view(await selectLastChange(tx, row, author, positions), row.updatedAt.toISOString());
  const changes = [...originals.map(({ change }) => change), ...repetitions];
  const changeId = newId();
  const updatedAt = await applyChanges(tx, row, author, changeId, changes);
  await recordChange(tx, origin, row, author, changes.filter(({ translation }) => translation).length);
  return view(changeId, updatedAt);
}

/**
 * Returns the named segments with their stored state, in the order of the request.
 * @throws AppError 422 for an unknown position; 409 conflict
 */
async function selectNamed(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  { segments }: SaveInput,
): Promise<NamedSegment[]> {
  const positions = segments.map(({ position }) => position);
  const rows = await tx
    .select()
    .from(documentSegments)
    .where(sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)}`);
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  const conflicts: CorrectionConflict[] = [];
  const named = segments.map((sent, index) => {
    const row = byPosition.get(sent.position);
    if (!row) throw unknownSegment('segments', index, 'position');
    const { targetText: target_text, corrected } = row;
    const content = contentOf(sent, row);
    const given = content ? { ...sent, target_text: plainText(content) } : sent;
    const isEdited = content ? !isSameContent(content, row.target) : target_text !== given.target_text;
    // If another reviewer has stored the same text, nothing is lost.
    const isThere = !isEdited && corrected;
    if (!isThere && given.replaces !== target_text) conflicts.push(conflictAt(index, row));
    return { given, row, content, isEdited };
  });
  requireNoConflict(conflicts, 'saved');
  return named;
}

function contentOf(
  { target_content: given }: SaveInput['segments'][number],
  { source }: SegmentRow,
): InlineContent | undefined {
  return given && hasChips(source as InlineContent)
    ? nestPairs(reviewedContent(given, source as InlineContent))
    : undefined;
}

/** The new state of a named segment: its change, and what its repetitions get. */
interface ChangedSegment {
  row: SegmentRow;
  position: number;
  target: InlineContent;
  targetText: string;
  /** The result of the checks of the new text; undefined if the text stays. */
  checked: readonly QualityIssue[] | undefined;
  findings: readonly Finding[];
  isConfirmed: boolean;
  reason: SegmentChange['reason'];
  change: SegmentChange;
}

/** @returns undefined if the request does not change the segment */
function newStateOf(
  { given, row, content, isEdited }: NamedSegment,
  checkedTexts: ReadonlyMap<number, readonly QualityIssue[]>,
  { reason: givenReason }: SaveInput,
): ChangedSegment | undefined {
  const { position, target_text: targetText } = given;
  const wasConfirmed = row.confirmedAt !== null;
  const isConfirmed = given.confirmed ?? (wasConfirmed && !isEdited);
  if (!isEdited && isConfirmed === wasConfirmed) return undefined;
  const checked = isEdited ? checkedTexts.get(position) : undefined;
  if (isEdited && !checked)
    throw new AppError('transient_error', 'the segment has changed in between; send it again');
  const reviewed = checked && reviewedFindings(row, checked, true);
  const findings = reviewed?.findings ?? (row.issues as Finding[]);
  const previous = (row.target ?? row.source) as InlineContent;
  const target = isEdited ? (content ?? retag(targetText, previous)) : previous;
  const reason = isConfirmed && findings.some(isOpenCritical) ? givenReason : undefined;
  const translation = isEdited ? { target, targetText } : undefined;
  const kind = isConfirmed ? 'confirmed' : isEdited ? 'edited' : 'unconfirmed';
  const state = { position, isConfirmed, reason };
  const change = { ...state, kind, findings: reviewed, translation } as const;
  return { ...state, row, target, targetText, checked, findings, change };
}

/** Returns the change by the same author that made these segments as they are now; null if it is not a single one. */
async function selectLastChange(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  { userId }: Author,
  positions: readonly number[],
): Promise<string | null> {
  const rows = await tx.execute<{ change_id: string | null }>(sql`
    select distinct e.change_id
    from (select json_array_elements_text(${JSON.stringify(positions)}::json)::int as position) p
    left join lateral (
      select e.change_id, e.user_id from segment_events e
      where e.tenant_id = ${tenantId} and e.document_id = ${documentId} and e.position = p.position
        and e.undone_at is null and e.kind not in ('undone', 'redone')
      order by e.created_at desc, e.event_id desc limit 1) e on e.user_id is not distinct from ${userId}::text`);
  return rows.length === 1 ? (rows[0]?.change_id ?? null) : null;
}

interface Repetition extends StoredQuality {
  position: number;
  /** The position of the changed segment. */
  original: number;
  target: InlineContent | null;
  isConfirmed: boolean;
  maxLength: number | null;
  lengthUnit: string | null;
}

/**
 * Returns the changes of the segments that repeat the source of changed segments: they get the same translation with the
 * same tags, and are confirmed if the original is, unless the text exceeds a limit that the original does not have. A
 * segment that a reviewer has corrected or confirmed on its own stays as it is. A segment that already repeats the
 * translation of an original follows it, until a reviewer changes it.
 * @param named positions that the request names; none of them is a repetition
 */
async function changesOfRepetitions(
  tx: Tx,
  document: { tenantId: string; documentId: string },
  originals: readonly ChangedSegment[],
  named: readonly number[],
): Promise<SegmentChange[]> {
  if (originals.length === 0) return [];
  const byPosition = new Map(originals.map((original) => [original.position, original]));
  const repetitions = await selectRepetitions(tx, document, [...byPosition.keys()], named);
  const changes: SegmentChange[] = [];
  for (const repetition of repetitions) {
    const original = byPosition.get(repetition.original);
    const change = original && (await changeOf(repetition, original));
    if (change) changes.push(change);
  }
  return changes;
}

async function changeOf(
  repetition: Repetition,
  original: ChangedSegment,
): Promise<SegmentChange | undefined> {
  const { position, maxLength, lengthUnit } = repetition;
  const { target, targetText, checked, reason } = original;
  const isSameText = isSameContent(repetition.target, target);
  const decided = new Map(original.findings.map((finding) => [idOf(finding), finding]));
  const issues = checked ?? original.findings.filter(({ found_by }) => found_by === 'check');
  const here = await findingsAt(limitOf(maxLength, lengthUnit), targetText, issues);
  const reviewed = isSameText ? undefined : reviewedFindings(repetition, here.findings, true);
  // A decision, or a reason, counts only for findings that the reviewer has seen with the original.
  const isUnseen =
    here.isUnseen ||
    (reviewed?.findings ?? (repetition.issues as Finding[])).some(
      (finding) => isOpenCritical(finding) && !decided.has(idOf(finding)),
    );
  const isConfirmed = original.isConfirmed && !isUnseen;
  const change = { position, kind: 'repeated', isConfirmed, reason } as const;
  if (reviewed) {
    const findings = reviewed.findings.map((finding) => decided.get(idOf(finding)) ?? finding);
    return {
      ...change,
      findings: { ...reviewed, findings },
      translation: { target, targetText, repetitionOf: original.position },
    };
  }
  return isConfirmed === repetition.isConfirmed || isUnseen ? undefined : change;
}

/** If several originals have the same source, their repetitions belong to the first one. */
async function selectRepetitions(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  originals: readonly number[],
  named: readonly number[],
): Promise<Repetition[]> {
  const positionsIn = (positions: readonly number[]) =>
    sql`array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int)`;
  const rows = await tx.execute<Repetition & Record<string, unknown>>(sql`
    with originals as materialized (
      select source_key, min(position) as position from document_segments
      where tenant_id = ${tenantId} and document_id = ${documentId} and position = any(${positionsIn(originals)})
      group by source_key)
    select s.position, o.position as original, s.target, s.issues, s.score, s.needs_review as "needsReview",
      s.confirmed_at is not null as "isConfirmed", s.max_length as "maxLength", s.length_unit as "lengthUnit"
    from document_segments s join originals o on o.source_key = s.source_key
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position <> all(${positionsIn(named)})
      -- Without statistics the planner would read the whole document; an array becomes a condition of the index.
      and s.source_key = any(array(select source_key from originals))
      and case when not s.corrected and s.confirmed_at is null then true
        else s.provenance -> 'repetition_of' = to_jsonb(o.position) and 'repeated' = (
          select e.kind from segment_events e
          where e.tenant_id = s.tenant_id and e.document_id = s.document_id and e.position = s.position
            and e.undone_at is null and e.kind not in ('undone', 'redone')
          order by e.created_at desc, e.event_id desc limit 1) end
    order by s.position`);
  return [...rows];
}
