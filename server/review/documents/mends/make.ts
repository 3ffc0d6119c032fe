import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentMends, documentSegments } from '#db/schema/documents.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import type { Services } from '#server/context.ts';
import { type DocumentRow, demandsReview, isDocument } from '#server/documents/jobs.ts';
import { callTool, selectMends, takeRows, translateMended } from '#server/documents/mends.ts';
import { selectRecognition } from '#server/documents/recognition.ts';
import { insertSegments, rowOf } from '#server/documents/segment-rows.ts';
import { isAtOneOf, ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import type { MendedTexts } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import type { Finding } from '#server/translation/findings.ts';
import type { Author } from '../../author.ts';
import { documentAuthor } from '../document.ts';
import { lockWritable } from '../lock-writable.ts';
import { applyChanges, changeSegments, recordChange, type SegmentChange } from '../segment-changes.ts';
import { viewSegments } from '../segment-schema.ts';
import { countMend, freePlaces, moveComments, nextPosition, recordEvents } from './rows.ts';
import type { MendedView, MendInput, Requested } from './schema.ts';
import {
  isSame,
  type Part,
  type PlacingMend,
  placingOf,
  requireMendable,
  resolve,
  type SegmentRow,
  type StructuralMend,
  selectNamed,
} from './texts.ts';

/*
 * Mends: reviewers join, divide, keep and order the texts of the pages of a PDF. Joins and divisions replace texts by
 * others with new positions, which are translated again. A text that is kept has its source as its translation.
 */

type MendServices = LocatingServices & Parameters<typeof translateMended>[0] & Pick<Services, 'fileWork'>;

/** How often a mend is tried again after another one of the same document was stored in between. */
const maxTries = 5;

/**
 * Makes a mend, and translates the texts that it makes.
 * @throws AppError 404; 400 if the document is not translated, has no pages with texts that can be mended, or the texts
 *   are not neighbors; 409 if it is approved, or a text was mended before; 402 and 429 as for a translation
 */
export async function mendDocument(
  services: MendServices,
  withTenant: WithTenant,
  origin: Origin,
  input: MendInput,
): Promise<MendedView> {
  const { document_id: documentId, mend } = input;
  for (let tries = 0; tries < maxTries; tries++) {
    const prepared = await withTenant(async (tx, principal) => {
      const author = await documentAuthor(tx, principal, input.reviewer);
      const row = await lockWritable(tx, principal.tenant.id, documentId, author);
      requireMendable(row);
      if ('action' in mend) {
        if (mend.action === 'keep') return { done: await keep(tx, origin, row, author, mend.region_ids) };
        const kept = mend.action === 'translate' ? await selectKept(tx, row, mend.region_ids) : [];
        if (kept.length > 0) return { done: await translateKept(tx, row, author, kept) };
      }
      const earlier = await selectSame(tx, row, mend);
      if (earlier) return { done: earlier };
      if ('action' in mend && mend.action === 'order') return { done: await order(tx, row, author, mend) };
      const changes: Requested[] = [mend].flat();
      const placing = changes.filter((one) => one.action === 'space' || one.action === 'size');
      if (placing.length > 0) return { done: await place(tx, row, author, placing) };
      const parts: Part[] = [];
      for (const one of changes) parts.push(...(await resolve(tx, row, one as StructuralMend)));
      const changed = parts.flatMap(({ rows }) => rows);
      if (new Set(changed.map(({ position }) => position)).size < changed.length)
        throw new AppError('validation_error', 'mend: name each text once');
      const chars = changed.reduce((sum, { sourceText }) => sum + countCodePoints(sourceText), 0);
      const tenant = await readBilledTenant(tx, services.settings);
      const credential = principal.kind === 'session' ? 'session' : 'api_key';
      const refusal = await findRefusal(
        tx,
        services.settings,
        { tenantId: row.tenantId, tenant },
        { kind: 'document', credential, chars },
      );
      if (refusal) throw refusal;
      const mends = await selectMends(tx, row);
      return {
        row,
        author,
        mends,
        recognition: await selectRecognition(tx, row.tenantId, documentId),
        parts,
        requested: mend,
      };
    });
    if ('done' in prepared) return prepared.done;
    const { row } = prepared;
    const { mends, parts, recognition } = prepared;
    const made = parts.map(({ mend }) => mend);
    const options = { mends: [...mends, ...made], recognition };
    const found = await callTool(services, row, 'texts', options, { last: made.length });
    const stored = await services.database.inTenant(row.tenantId, (tx) => store(tx, prepared, found));
    if (!stored) continue;
    await translateMended(services, row).catch((error: unknown) => {
      // The queued rendering translates them later.
      services.log.warn({ document_id: documentId, err: error }, 'mended texts could not be translated yet');
    });
    return services.database.inTenant(row.tenantId, (tx) => view(tx, row, stored));
  }
  throw new AppError(
    'transient_error',
    'other texts of the document are being mended; send the request again',
  );
}

/** Returns the mend of this document with the same texts and offsets, if its texts are still there. */
async function selectSame(
  tx: Tx,
  row: DocumentRow,
  mend: MendInput['mend'],
): Promise<MendedView | undefined> {
  const [found] = await tx
    .select()
    .from(documentMends)
    .where(isSame(row, mend))
    .orderBy(sql`${documentMends.number} desc`)
    .limit(1);
  if (!found) return undefined;
  const { made, number } = found;
  // A mend that made no texts, such as a move, is repeated only if no other one was made since.
  if (made.length === 0)
    return number === row.mends - 1 ? viewOfChange(tx, row, found.mendId, []) : undefined;
  const present = await tx.$count(
    documentSegments,
    and(ofDocument(row.tenantId, row.documentId), isAtOneOf(made)),
  );
  return present === made.length ? view(tx, row, found) : undefined;
}

async function view(
  tx: Tx,
  row: DocumentRow,
  { mendId, made, replaced }: Pick<typeof documentMends.$inferSelect, 'made' | 'mendId' | 'replaced'>,
): Promise<MendedView> {
  const [now] = await tx
    .select({ updatedAt: documentJobs.updatedAt })
    .from(documentJobs)
    .where(isDocument(row.tenantId, row.documentId));
  const viewed = await viewSegments(tx, row, made, (now ?? row).updatedAt.toISOString());
  const characters = viewed.segments.reduce((sum, { source_text }) => sum + countCodePoints(source_text), 0);
  return {
    ...viewed,
    change_id: mendId,
    removed: replaced,
    translated_again: { segments: made.length, characters },
  };
}

interface Prepared {
  row: DocumentRow;
  author: Author;
  parts: Part[];
  requested: MendInput['mend'];
}

interface StoredMend {
  mendId: string;
  replaced: number[];
  made: number[];
}

/**
 * Replaces texts by those that a mend makes of them.
 * @returns undefined if another mend was stored since the file was read
 */
async function store(
  tx: Tx,
  { row: read, author, parts, requested }: Prepared,
  found: MendedTexts,
): Promise<StoredMend | undefined> {
  const { tenantId, documentId } = read;
  const row = await lockWritable(tx, tenantId, documentId, author);
  requireMendable(row);
  if (row.mends !== read.mends) return undefined;
  const ids = parts.flatMap(({ rows }) => rows.map(({ regionId }) => regionId));
  const present = new Map(
    (ids.length > 0 ? await selectNamed(tx, row, ids) : []).map((one) => [one.regionId, one]),
  );
  const placeNext = await freePlaces(tx, row, present, found);
  const first = await nextPosition(tx, row);
  const added: ReturnType<typeof rowOf>[] = [];
  const groups: { from: number[]; to: number }[] = [];
  for (const [index, { rows }] of parts.entries()) {
    const made = found.made.at(index - parts.length)!;
    const texts = made.flatMap((id) => found.segments.find(({ regionId }) => regionId === id) ?? []);
    if (made.length === 0 || texts.length < made.length)
      throw new AppError('validation_error', `mend: the page has no text for ${made.join(', ')}`);
    const places = placeNext(rows, made);
    groups.push({ from: rows.map(({ position }) => position), to: first + added.length });
    for (const [at, text] of texts.entries())
      added.push(rowOf(text, first + added.length, demandsReview(row), places[at]));
  }
  const mendId = newId();
  const replaced = [...present.values()].map(({ position }) => position);
  const made = added.map(({ position }) => position);
  await changeSegments(tx, row, { positions: [...replaced, ...made], edits: made.length }, async () => {
    const rows = await takeRows(tx, row, replaced);
    await insertSegments(tx, row, added);
    const comments = [];
    for (const { from, to } of groups) comments.push(...(await moveComments(tx, row, from, to)));
    await tx.insert(documentMends).values({
      ...{ tenantId, documentId, mendId, replaced, made, rows, comments, userId: author.userId },
      number: row.mends,
      mend: { mends: parts.map(({ mend }) => mend), requested, groups },
    });
    await recordEvents(tx, row, author, { mendId, kind: 'mended', positions: made });
    const translated = [...present.values()].filter(({ target }) => target !== null).length;
    await countMend(tx, row, translated, made.length - replaced.length);
  });
  return { mendId, replaced, made };
}

/** Selects texts that a reviewer keeps. */
async function selectKept(tx: Tx, row: DocumentRow, ids: readonly string[]): Promise<SegmentRow[]> {
  return tx
    .select()
    .from(documentSegments)
    .where(
      sql`${ofDocument(row.tenantId, row.documentId)} and ${inArray(documentSegments.regionId, [...ids])}
        and ${documentSegments.provenance} -> 'kept' = 'true'`,
    );
}

const isKept = (provenance: unknown): boolean => (provenance as { kept?: true } | null)?.kept === true;

async function lastChange(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  { position }: SegmentRow,
): Promise<string> {
  const [last] = await tx.execute<{ change_id: string }>(sql`
    select change_id from segment_events
    where tenant_id = ${tenantId} and document_id = ${documentId} and position = ${position} and undone_at is null
      and kind not in ('undone', 'redone')
    order by created_at desc limit 1`);
  return last?.change_id ?? '';
}

async function keep(
  tx: Tx,
  origin: Origin,
  row: DocumentRow,
  author: Author,
  ids: readonly string[],
): Promise<MendedView> {
  const rows = await selectNamed(tx, row, ids);
  if (rows.some(({ target }) => target === null))
    throw new AppError('conflict', 'a text is being translated; try again when it has a translation');
  const others = rows.filter(({ provenance }) => !isKept(provenance));
  if (others.length === 0) return viewOfChange(tx, row, await lastChange(tx, row, rows[0]!), rows);
  const changes = others.map(
    ({ position, source, sourceText }): SegmentChange => ({
      position,
      kind: 'kept',
      isConfirmed: true,
      findings: { findings: [], needsReview: false },
      translation: { target: source as InlineContent, targetText: sourceText },
    }),
  );
  const changeId = newId();
  await applyChanges(tx, row, author, changeId, changes);
  await recordChange(tx, origin, row, author, changes.length);
  return viewOfChange(tx, row, changeId, rows);
}

/** Returns texts that a reviewer keeps to their translations before. */
async function translateKept(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  rows: readonly SegmentRow[],
): Promise<MendedView> {
  const events = await tx.execute<{ position: number; before: Record<string, unknown> }>(sql`
    select distinct on (position) position, before from segment_events
    where tenant_id = ${row.tenantId} and document_id = ${row.documentId} and kind = 'kept'
      and position = any(array(select json_array_elements_text(${JSON.stringify(rows.map(({ position }) => position))}::json)::int))
    order by position, created_at desc`);
  const changes = events.map(
    ({ position, before }): SegmentChange => ({
      position,
      kind: 'edited',
      isConfirmed: false,
      findings: { findings: before['issues'] as Finding[], needsReview: before['needs_review'] === true },
      translation: { target: before['target'] as InlineContent, targetText: before['target_text'] as string },
    }),
  );
  const changeId = newId();
  await applyChanges(tx, row, author, changeId, changes);
  return viewOfChange(tx, row, changeId, rows);
}

/** Returns the response of a change that neither removes texts nor translates them again. */
async function viewOfChange(
  tx: Tx,
  row: DocumentRow,
  changeId: string,
  rows: readonly SegmentRow[],
): Promise<MendedView> {
  const shown = await view(tx, row, {
    mendId: changeId,
    replaced: [],
    made: rows.map(({ position }) => position),
  });
  return { ...shown, translated_again: { segments: 0, characters: 0 } };
}

export async function order(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  requested: Extract<Requested, { action: 'order' }>,
): Promise<MendedView> {
  const { region_id: id, after } = requested;
  const rows = await selectNamed(tx, row, after === null ? [id] : [id, after]);
  const moved = rows.find(({ regionId }) => regionId === id)!;
  const before = rows.find(({ regionId }) => regionId === after);
  const from = before ? (before.rank ?? before.position) : Number.NEGATIVE_INFINITY;
  const [next] = await tx.execute<{ place: number | null }>(sql`
    select min(coalesce(rank, position)) as place from document_segments
    where tenant_id = ${row.tenantId} and document_id = ${row.documentId} and region_id <> ${id}
      and coalesce(rank, position) > ${from}::float8`);
  const to = next?.place ?? from + 2;
  const rank = Number.isFinite(from) ? (from + to) / 2 : to - 1;
  const mendId = newId();
  await changeSegments(tx, row, { positions: [], edits: 0 }, async () => {
    await tx
      .update(documentSegments)
      .set({ rank })
      .where(and(ofDocument(row.tenantId, row.documentId), eq(documentSegments.position, moved.position)));
    const to = { position: moved.position, from: moved.rank, to: rank };
    await insertMend(tx, row, author, mendId, { mends: [], requested, moved: to });
  });
  return viewOfChange(tx, row, mendId, [moved]);
}

/** Stores a mend that replaces no texts. */
async function insertMend(
  tx: Tx,
  row: DocumentRow,
  { userId }: Author,
  mendId: string,
  mend: typeof documentMends.$inferInsert.mend,
): Promise<void> {
  const { tenantId, documentId, mends: number } = row;
  const none = { replaced: [], made: [], rows: [] };
  await tx.insert(documentMends).values({ tenantId, documentId, mendId, userId, number, mend, ...none });
  await countMend(tx, row, 0, 0);
}

async function place(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  requested: readonly PlacingMend[],
): Promise<MendedView> {
  const ids = requested.flatMap((one) =>
    one.action === 'size' ? [one.region_id, one.like] : [one.region_id],
  );
  const rows = await selectNamed(tx, row, [...new Set(ids)]);
  const divided = ids.find((id) => id.includes('_'));
  if (divided !== undefined)
    throw new AppError('validation_error', `mend: the text ${divided} continues elsewhere; split it first`);
  const mendId = newId();
  await changeSegments(tx, row, { positions: [], edits: 1 }, () =>
    insertMend(tx, row, author, mendId, {
      mends: requested.map(placingOf),
      requested: requested.length === 1 ? requested[0] : requested,
    }),
  );
  const changed = new Set(requested.map(({ region_id }) => region_id));
  return viewOfChange(
    tx,
    row,
    mendId,
    rows.filter(({ regionId }) => changed.has(regionId)),
  );
}
