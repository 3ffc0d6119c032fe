import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentJobs, documentMends, documentSegments } from '#db/schema/documents.ts';
import { findRefusal, readBilledTenant } from '#server/billing/metering/entitlement.ts';
import type { Services } from '#server/context.ts';
import { readSource } from '#server/documents/artifacts.ts';
import { fileRefusal, mendFile } from '#server/documents/file-work.ts';
import {
  type DocumentRow,
  demandsReview,
  isApproved,
  isDocument,
  languagesOf,
} from '#server/documents/jobs.ts';
import { selectMends, translateMended } from '#server/documents/mends.ts';
import { selectRecognition } from '#server/documents/recognition.ts';
import { insertSegments, rowOf } from '#server/documents/segment-rows.ts';
import { isAtOneOf, ofDocument, readingOrder } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { countShown, type Mend, type MendedTexts } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import type { Finding } from '#server/translation/findings.ts';
import type { Author } from '../author.ts';
import { documentAuthor, requireTranslated } from './document.ts';
import { lockWritable } from './lock-writable.ts';
import { applyChanges, changeSegments, recordChange, type SegmentChange } from './segment-changes.ts';
import { currentSegments, ofDocumentJob, reviewer, viewSegments } from './segment-schema.ts';

/*
 * Mends: reviewers join, divide, keep and order the texts of the pages of a PDF. Joins and divisions replace texts by
 * others with new positions, which are translated again. A text that is kept has its source as its translation.
 */

const regionId = z.string().min(1).max(500);
const texts = (least: number) =>
  z
    .array(regionId)
    .min(least)
    .max(50)
    .refine((ids) => new Set(ids).size === ids.length, 'name each text once')
    .describe(`The region IDs of ${least === 1 ? '1' : '2'} to 50 texts.`);

const mendOfRequest = z
  .discriminatedUnion('action', [
    z.object({ action: z.literal('join'), region_ids: texts(2) }).meta({
      description: 'Makes one text of neighbors in the reading order.',
    }),
    z
      .object({
        action: z.literal('split'),
        region_id: regionId.describe('The region ID of the text.'),
        at: z
          .array(z.int().min(1))
          .max(50)
          .default([])
          .describe(
            'The offsets in `source_text` at which it is divided, in UTF-16 units. Without offsets, a text that continues in another column or on another page is divided there.',
          ),
      })
      .meta({ description: 'Makes several texts of one.' }),
    z.object({ action: z.literal('keep'), region_ids: texts(1) }).meta({
      description: 'Leaves texts as they are in the source.',
    }),
    z.object({ action: z.literal('translate'), region_ids: texts(1) }).meta({
      description:
        'Translates texts that are kept: by a reviewer, or because of what they are, such as numbers.',
    }),
    z
      .object({
        action: z.literal('order'),
        region_id: regionId.describe('The region ID of the text.'),
        after: regionId.nullable().describe('The text after which it is read; null for the first one.'),
      })
      .meta({ description: 'Moves a text in the reading order.' }),
  ])
  .describe('The change.');

export const mendInput = z.object({ ...ofDocumentJob, mend: mendOfRequest, reviewer });

type MendInput = z.infer<typeof mendInput>;
type Requested = MendInput['mend'];

export const mendedTexts = currentSegments.extend({
  change_id: z.string().describe('The change. `documents.undo` undoes it.'),
  removed: z
    .array(z.int())
    .describe('The positions of the texts that the document does not have any longer.'),
  translated_again: z
    .object({
      segments: z.int().describe('The number of texts.'),
      characters: z.int().describe('The code points of their sources, which are billed once.'),
    })
    .describe('The texts that are translated again.'),
});

type MendedView = z.infer<typeof mendedTexts>;

export const pageQuery = z.object({
  ...ofDocumentJob,
  page: z.int().min(1).max(1_000_000).describe('The number of the page, from 1.'),
});

export const pageOfTexts = z.object({
  kept: z
    .array(
      z.object({
        region_id: z.string().describe('The ID of the text, with which it can be translated.'),
        text: z.string().describe('The text.'),
        reason: z.string().describe('Why it is not translated, such as `number`, `identifier` or `label`.'),
        rectangle: z
          .array(z.number())
          .describe(
            'Its place on the page: [left, bottom, right, top], in points, before the page is rotated.',
          ),
      }),
    )
    .describe('The texts of the page that are not translated and can be.'),
});

/**
 * Reads the texts of a page that are in no segment.
 * @throws AppError 404; 400 if the document is not translated, is no PDF, or does not have the page
 */
export async function readPageTexts(
  services: LocatingServices & Pick<Services, 'database' | 'fileWork' | 'log'>,
  withTenant: WithTenant,
  { document_id: documentId, page }: z.infer<typeof pageQuery>,
): Promise<z.infer<typeof pageOfTexts>> {
  const { row, mends, recognition } = await withTenant(async (tx, { tenant }) => {
    const row = await requireTranslated(tx, tenant.id, documentId);
    requirePages(row);
    const recognition = await selectRecognition(tx, tenant.id, documentId);
    return { row, recognition, mends: await selectMends(tx, row) };
  });
  if (page > (row.pageCount ?? 0))
    throw new AppError('validation_error', `page: the file has ${row.pageCount ?? 0} pages`);
  const { kept } = await readTexts(services, row, { mends, recognition, pages: [page] });
  return {
    kept: kept.map(({ id, text, reason, rectangle }) => ({ region_id: id, text, reason, rectangle })),
  };
}

/** Reads the texts of pages with mends. @throws AppError 400 for a damaged file */
async function readTexts(
  services: LocatingServices & Pick<Services, 'database' | 'fileWork' | 'log'>,
  row: DocumentRow,
  options: Pick<Parameters<typeof mendFile>[1], 'mends' | 'pages' | 'recognition'>,
): Promise<MendedTexts> {
  const { tenantId, documentId } = row;
  const bytes = await readSource({ services, tenantId, documentId });
  const file = { format: row.sourceFormat, bytes, languages: languagesOf(row) };
  return mendFile(services, { ...file, ...options }, { tenantId }).catch((error: unknown) => {
    throw fileRefusal(error);
  });
}

type SegmentRow = typeof documentSegments.$inferSelect;

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
  const { action } = mend;
  for (let tries = 0; tries < maxTries; tries++) {
    const prepared = await withTenant(async (tx, principal) => {
      const author = await documentAuthor(tx, principal, input.reviewer);
      const row = await lockWritable(tx, principal.tenant.id, documentId, author);
      requireMendable(row);
      if (action === 'keep') return { done: await keep(tx, origin, row, author, mend.region_ids) };
      if (action === 'order') return { done: await order(tx, row, author, mend) };
      const kept = action === 'translate' ? await selectKept(tx, row, mend.region_ids) : [];
      if (kept.length > 0) return { done: await translateKept(tx, row, author, kept) };
      const earlier = await selectSame(tx, row, mend);
      if (earlier) return { done: earlier };
      const named = await resolve(tx, row, mend);
      const chars = named.rows.reduce((sum, { sourceText }) => sum + countCodePoints(sourceText), 0);
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
        ...named,
      };
    });
    if ('done' in prepared) return prepared.done;
    const { row } = prepared;
    const { mends, made, recognition } = prepared;
    const found = await readTexts(services, row, { mends: [...mends, ...made], recognition });
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

function requirePages(row: DocumentRow): void {
  if (row.sourceFormat !== 'pdf')
    throw new AppError(
      'validation_error',
      `texts of a ${row.sourceFormat} file cannot be joined or divided; only those of a PDF can`,
    );
}

function requireMendable(row: DocumentRow): void {
  requirePages(row);
  if (isApproved(row))
    throw new AppError(
      'conflict',
      `document job ${row.documentId} is approved; reopen it before you mend its texts`,
    );
}

/** Returns the mend of this document with the same texts and offsets, if its texts are still there. */
async function selectSame(tx: Tx, row: DocumentRow, mend: Requested): Promise<MendedView | undefined> {
  const [found] = await tx
    .select()
    .from(documentMends)
    .where(
      and(
        eq(documentMends.tenantId, row.tenantId),
        eq(documentMends.documentId, row.documentId),
        isNull(documentMends.undoneAt),
        sql`${documentMends.mend} -> 'requested' = ${JSON.stringify(mend)}::jsonb`,
      ),
    )
    .orderBy(sql`${documentMends.number} desc`)
    .limit(1);
  if (!found) return undefined;
  const present = await tx.$count(
    documentSegments,
    and(ofDocument(row.tenantId, row.documentId), isAtOneOf(found.made)),
  );
  return present === found.made.length ? view(tx, row, found) : undefined;
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

const inOrder = (row: DocumentRow) => readingOrder({ mends: Math.max(1, row.mends) });

/** Returns the texts of a request in the reading order. @throws AppError 409 if one of them is not there */
async function selectNamed(tx: Tx, row: DocumentRow, ids: readonly string[]): Promise<SegmentRow[]> {
  const rows = await tx
    .select()
    .from(documentSegments)
    .where(and(ofDocument(row.tenantId, row.documentId), inArray(documentSegments.regionId, [...ids])))
    .orderBy(inOrder(row));
  const missing = ids.find((id) => !rows.some(({ regionId }) => regionId === id));
  if (missing !== undefined) throw await missingText(tx, row, missing);
  return rows;
}

/** Returns the error for a text that is not there: it was mended before, or never existed. */
async function missingText(tx: Tx, { tenantId, documentId }: DocumentRow, id: string): Promise<AppError> {
  const [mend] = await tx.execute<{ requested: Requested; actor: string | null; at: Date }>(sql`
    select m.mend -> 'requested' as requested, e.actor, m.created_at as at from document_mends m
    left join segment_events e on e.tenant_id = m.tenant_id and e.document_id = m.document_id and e.change_id = m.mend_id
    where m.tenant_id = ${tenantId} and m.document_id = ${documentId}
      and m.rows @> ${JSON.stringify([{ region_id: id }])}::jsonb
    order by m.number desc limit 1`);
  if (!mend)
    return new AppError('invalid_fields', [
      { loc: ['body', 'mend'], msg: `the document has no text ${id}`, type: 'unknown_segment' },
    ]);
  const acts = { join: 'joined', split: 'divided', keep: 'kept', translate: 'translated', order: 'moved' };
  const by = mend.actor === null ? '' : ` by ${mend.actor}`;
  return new AppError(
    'conflict',
    `the text ${id} was ${acts[mend.requested.action]}${by}; nothing was changed`,
  );
}

/** Returns the mends of a request as the format makes them, and the texts that they replace. */
async function resolve(
  tx: Tx,
  row: DocumentRow,
  requested: Exclude<Requested, { action: 'keep' | 'order' }>,
): Promise<{ made: Mend[]; rows: SegmentRow[]; requested: Requested }> {
  if (requested.action === 'translate')
    return { made: requested.region_ids.map((id) => ({ kind: 'translate', id })), rows: [], requested };
  const rows = await selectNamed(
    tx,
    row,
    requested.action === 'join' ? requested.region_ids : [requested.region_id],
  );
  if (requested.action === 'join') {
    await requireNeighbors(tx, row, rows);
    return { made: [{ kind: 'join', ids: rows.map(({ regionId }) => regionId) }], rows, requested };
  }
  const [{ sourceText, regionId }] = rows as [SegmentRow];
  const at = requested.at.map((offset) => countShown(sourceText.slice(0, offset)));
  const end = countShown(sourceText);
  const isOrdered = at.every((count, index) => count > (at[index - 1] ?? 0) && count < end);
  const isDivided = regionId.includes('_');
  if (!isOrdered || isDivided !== (at.length === 0))
    throw new AppError('invalid_fields', [
      {
        loc: ['body', 'mend', 'at'],
        msg: isDivided
          ? 'a text that continues elsewhere is divided there first: send no offsets'
          : 'send offsets within the text, in ascending order, with characters between them',
        type: 'invalid_offset',
      },
    ]);
  return { made: [{ kind: 'split', id: regionId, at }], rows, requested };
}

/** @throws AppError 400 if another text is between these texts in the reading order */
async function requireNeighbors(tx: Tx, row: DocumentRow, rows: readonly SegmentRow[]): Promise<void> {
  const places = rows.map(({ rank, position }) => rank ?? position);
  const [between] = await tx
    .select({ id: documentSegments.regionId })
    .from(documentSegments)
    .where(
      sql`${ofDocument(row.tenantId, row.documentId)} and not ${isAtOneOf(rows.map(({ position }) => position))}
        and ${inOrder(row)} > ${Math.min(...places)} and ${inOrder(row)} < ${Math.max(...places)}
        and ${documentSegments.kind} not in ('header', 'footer')`,
    )
    .limit(1);
  if (between)
    throw new AppError(
      'validation_error',
      `mend: the text ${between.id} is between these texts; name all neighbors, or change the reading order first`,
    );
}

interface Prepared {
  row: DocumentRow;
  author: Author;
  made: Mend[];
  rows: SegmentRow[];
  requested: Requested;
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
  { row: read, author, made: mends, rows: seen, requested }: Prepared,
  found: MendedTexts,
): Promise<StoredMend | undefined> {
  const { tenantId, documentId } = read;
  const row = await lockWritable(tx, tenantId, documentId, author);
  requireMendable(row);
  if (row.mends !== read.mends) return undefined;
  const replacedRows =
    seen.length > 0
      ? await selectNamed(
          tx,
          row,
          seen.map(({ regionId }) => regionId),
        )
      : [];
  const ids = found.made.slice(-mends.length).flat();
  const texts = ids.map((id) => found.segments.find(({ regionId }) => regionId === id));
  if (texts.some((text) => text === undefined))
    throw new AppError('validation_error', `mend: the page has no text for ${ids.join(', ')}`);
  const mendId = newId();
  const next = await nextPosition(tx, row);
  const places = await freePlaces(
    tx,
    row,
    replacedRows,
    found.segments.map(({ regionId }) => regionId),
    ids,
  );
  const added = texts.map((text, index) => rowOf(text!, next + index, demandsReview(row), places[index]!));
  const replaced = replacedRows.map(({ position }) => position);
  const made = added.map(({ position }) => position);
  await changeSegments(tx, row, { positions: [...replaced, ...made], edits: made.length }, async () => {
    const rows = await takeRows(tx, row, replaced);
    await insertSegments(tx, row, added);
    const comments = await moveComments(tx, row, replaced, made[0]!);
    await tx.insert(documentMends).values({
      ...{ tenantId, documentId, mendId, replaced, made, rows, comments, userId: author.userId },
      number: row.mends,
      mend: { mends, requested },
    });
    await recordEvents(tx, row, author, { mendId, kind: 'mended', positions: made });
    await countMend(
      tx,
      row,
      replacedRows.filter(({ target }) => target !== null).length,
      made.length - replaced.length,
    );
  });
  return { mendId, replaced, made };
}

/** Records in the history of texts that a mend has made them or brought them back. */
async function recordEvents(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  { userId, name }: Author,
  {
    mendId,
    kind,
    positions,
  }: { mendId: string; kind: 'mended' | 'redone' | 'undone'; positions: readonly number[] },
): Promise<void> {
  const rows = positions.map((position) => ({ position, event_id: newId() }));
  await tx.execute(sql`
    insert into segment_events (tenant_id, event_id, document_id, position, change_id, kind, user_id, actor, created_at)
    select ${tenantId}, e.event_id, ${documentId}, e.position, ${mendId}, ${kind}::text, ${userId}::text, ${name}::text,
      clock_timestamp()
    from json_to_recordset(${JSON.stringify(rows)}::json) as e(position int, event_id text)`);
}

function countMend(tx: Tx, { tenantId, documentId }: DocumentRow, translated: number, more: number) {
  return tx
    .update(documentJobs)
    .set({
      mends: sql`${documentJobs.mends} + 1`,
      segments: sql`${documentJobs.segments} + ${more}::int`,
      translatedSegments: sql`${documentJobs.translatedSegments} - ${translated}::int`,
    })
    .where(isDocument(tenantId, documentId));
}

async function nextPosition(tx: Tx, { tenantId, documentId }: DocumentRow): Promise<number> {
  const [last] = await tx.execute<{ position: number }>(sql`
    select greatest((select max(position) from document_segments where tenant_id = ${tenantId} and document_id = ${documentId}),
      (select max(p::int) from document_mends m, jsonb_array_elements_text(m.replaced || m.made) p
        where m.tenant_id = ${tenantId} and m.document_id = ${documentId}), -1) as position`);
  return last!.position + 1;
}

/** Returns places in the reading order for new texts: that of the texts that they replace, or after the text before them. */
async function freePlaces(
  tx: Tx,
  row: DocumentRow,
  replaced: readonly SegmentRow[],
  ofPage: readonly string[],
  made: readonly string[],
): Promise<number[]> {
  const rows = await tx
    .select({ id: documentSegments.regionId, place: inOrder(row) })
    .from(documentSegments)
    .where(ofDocument(row.tenantId, row.documentId))
    .orderBy(inOrder(row));
  const gone = new Set(replaced.map(({ regionId }) => regionId));
  const between = (from: number, count: number): number[] => {
    const after = rows.find(({ id, place }) => place > from && !gone.has(id))?.place ?? from + 1;
    return Array.from({ length: count }, (_, index) => from + ((after - from) * index) / count);
  };
  if (replaced.length > 0)
    return between(Math.min(...replaced.map(({ rank, position }) => rank ?? position)), made.length);
  const places = new Map(rows.map(({ id, place }) => [id, place]));
  for (const id of made) {
    const before = ofPage.slice(0, ofPage.indexOf(id)).findLast((other) => places.has(other));
    const [, place] = between(before === undefined ? -1 : places.get(before)!, 2);
    places.set(id, place!);
    rows.push({ id, place: place! });
    rows.sort((one, other) => one.place - other.place);
  }
  return made.map((id) => places.get(id)!);
}

/** Removes rows of segments, and returns them. */
async function takeRows(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  positions: readonly number[],
): Promise<unknown[]> {
  const rows = await tx.execute<{ row: unknown }>(sql`
    delete from document_segments s where s.tenant_id = ${tenantId} and s.document_id = ${documentId}
      and s.position = any(array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int))
    returning to_jsonb(s) as row`);
  return rows.map(({ row }) => row);
}

/** Moves the comments on texts that are replaced to the first of those in their place. */
async function moveComments(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  from: readonly number[],
  to: number,
) {
  const rows = await tx.execute<{ comment_id: string; position: number }>(sql`
    update review_comments c set position = ${to} from review_comments b
    where c.tenant_id = ${tenantId} and c.item_kind = 'document' and c.item_id = ${documentId}
      and c.position = any(array(select json_array_elements_text(${JSON.stringify(from)}::json)::int))
      and b.tenant_id = c.tenant_id and b.comment_id = c.comment_id
    returning c.comment_id, b.position`);
  return [...rows];
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

async function keep(
  tx: Tx,
  origin: Origin,
  row: DocumentRow,
  author: Author,
  ids: readonly string[],
): Promise<MendedView> {
  const rows = await selectNamed(tx, row, ids);
  const changes = rows.map(
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

async function order(
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
    await tx.insert(documentMends).values({
      ...{
        tenantId: row.tenantId,
        documentId: row.documentId,
        mendId,
        userId: author.userId,
        number: row.mends,
      },
      ...{ replaced: [], made: [], rows: [] },
      mend: { mends: [], requested, moved: { position: moved.position, from: moved.rank, to: rank } },
    });
    await countMend(tx, row, 0, 0);
  });
  return viewOfChange(tx, row, mendId, [moved]);
}

type MendRow = typeof documentMends.$inferSelect;

export async function selectMend(
  tx: Tx,
  { tenantId, documentId }: DocumentRow,
  mendId: string,
): Promise<MendRow | undefined> {
  const { tenantId: tenant, documentId: document, mendId: id } = documentMends;
  const [mend] = await tx
    .select()
    .from(documentMends)
    .where(and(eq(tenant, tenantId), eq(document, documentId), eq(id, mendId)));
  return mend;
}

/**
 * Undoes a mend of a document that the caller has locked, or makes it again: its texts change places with those that they
 * replaced, which have their translations and confirmations again. If it is already undone or redone, nothing happens.
 * @throws AppError 409 conflict if the document is approved, or one of the texts was changed later
 */
export async function restoreMend(
  tx: Tx,
  row: DocumentRow,
  author: Author,
  mend: MendRow,
  direction: 'undone' | 'redone',
) {
  const { tenantId, documentId } = row;
  const { mendId } = mend;
  const isUndo = direction === 'undone';
  const [removed, positions] = isUndo ? [mend.made, mend.replaced] : [mend.replaced, mend.made];
  const { moved } = mend.mend;
  const result = async (updatedAt: string) => ({
    change_id: mendId,
    positions: moved ? [moved.position] : positions,
    removed,
    ...(await viewSegments(tx, row, moved ? [moved.position] : positions, updatedAt)),
  });
  if ((mend.undoneAt !== null) === isUndo) return result(row.updatedAt.toISOString());
  requireMendable(row);
  const changed = await tx.execute(sql`
    select from json_array_elements_text(${JSON.stringify(removed)}::json) p
    left join document_segments s
      on s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = p.value::int
    where s.position is null or exists (
      select from segment_events e
      where e.tenant_id = ${tenantId} and e.document_id = ${documentId} and e.position = s.position
        and e.undone_at is null and e.kind not in ('undone', 'redone', 'mended')
        and e.created_at > ${(mend.undoneAt ?? mend.createdAt).toISOString()}::timestamptz)`);
  if (changed.length > 0)
    throw new AppError('conflict', `texts have changed since they were mended; nothing was ${direction}`);
  const updatedAt = await changeSegments(
    tx,
    row,
    { positions: [...removed, ...positions], edits: 1 },
    async () => {
      if (moved)
        await tx
          .update(documentSegments)
          .set({ rank: isUndo ? moved.from : moved.to })
          .where(and(ofDocument(tenantId, documentId), eq(documentSegments.position, moved.position)));
      const rows = await takeRows(tx, row, removed);
      await tx.execute(sql`insert into document_segments
      select * from jsonb_populate_recordset(null::document_segments, ${JSON.stringify(mend.rows)}::jsonb)`);
      const comments = isUndo ? mend.comments : await moveComments(tx, row, removed, positions[0] ?? 0);
      if (isUndo && positions.length > 0) await moveCommentsBack(tx, row, mend);
      await tx
        .update(documentMends)
        .set({ rows, comments, number: row.mends, undoneAt: isUndo ? sql`clock_timestamp()` : null })
        .where(and(eq(documentMends.tenantId, tenantId), eq(documentMends.mendId, mendId)));
      await recordEvents(tx, row, author, { mendId, kind: direction, positions });
      const translated = (some: unknown[]) =>
        some.filter((one) => (one as { target: unknown }).target !== null).length;
      await countMend(tx, row, translated(rows) - translated(mend.rows), positions.length - removed.length);
    },
  );
  return result(updatedAt);
}

/** Moves comments back to the texts that a mend had replaced, and newer ones to the first of them. */
async function moveCommentsBack(
  tx: Tx,
  row: DocumentRow,
  { comments, made, replaced }: MendRow,
): Promise<void> {
  await moveComments(tx, row, made, replaced[0]!);
  await tx.execute(sql`
    update review_comments c set position = r.position
    from json_to_recordset(${JSON.stringify(comments)}::json) as r(comment_id text, position int)
    where c.tenant_id = ${row.tenantId} and c.comment_id = r.comment_id`);
}
