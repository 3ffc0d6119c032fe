import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { documentJobs, documentMends, documentSegments } from '#db/schema/documents.ts';
import { settleTopUp } from '#server/billing/metering/committed-usage.ts';
import { type JobUsage, recordUsage } from '#server/billing/metering/usage-recording.ts';
import { weighCharacters } from '#server/billing/metering/weight.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { ExtractOptions, Mend, MendTools, Segment } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { newId } from '#server/platform/ids.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { lookUpTexts, translateGroup } from '#server/translation/pipeline/group.ts';
import type { GroupText } from '#server/translation/pipeline/run.ts';
import { readSource } from './artifacts.ts';
import { fileRefusal, mendFile } from './file-work.ts';
import {
  type DocumentRow,
  demandsReview,
  groupRequestOf,
  isDocument,
  rebuildOptionsOf,
  requestOf,
  requireDocument,
} from './jobs.ts';
import { sourceTexts } from './segment-contexts.ts';
import { figuresOf } from './segment-figures.ts';
import { insertSegments, rowOf } from './segment-rows.ts';
import { noteOf, ofDocument, readingOrder } from './segments.ts';

/*
 * Mends of a document: a reviewer joins or divides texts of its pages. The texts that a mend makes get new positions, and
 * are translated and billed once. The rows of the texts that they replace are kept, so that an undo brings them back.
 */

type Document = Pick<DocumentRow, 'documentId' | 'mends' | 'tenantId'>;

/** Returns the mends of a document that are not undone, in the order in which they are made. */
export async function selectMends(tx: Tx, { tenantId, documentId, mends }: Document): Promise<Mend[]> {
  if (mends === 0) return [];
  const rows = await tx
    .select({ mend: documentMends.mend })
    .from(documentMends)
    .where(and(...isActive({ tenantId, documentId })))
    .orderBy(asc(documentMends.number));
  return rows.flatMap(({ mend }) => mend.mends as Mend[]);
}

/**
 * Stores the mends that a new document has from the start, as one change. An undo brings the texts that it would have
 * without them.
 */
export async function storeFound(
  tx: Tx,
  row: Pick<DocumentRow, 'documentId' | 'request' | 'tenantId'>,
  { mends, before, after }: { mends: Mend[]; before: readonly Segment[]; after: readonly Segment[] },
): Promise<void> {
  const { tenantId, documentId } = row;
  const idsOf = (segments: readonly Segment[]) =>
    new Map(segments.map(({ regionId }, index) => [regionId, index]));
  const [earlier, now] = [idsOf(before), idsOf(after)];
  const made = [...now].flatMap(([id, index]) => (earlier.has(id) ? [] : [index]));
  // Each text comes back after the one before it that stays.
  let place = -1;
  const added = before.flatMap((segment, index) => {
    const here = now.get(segment.regionId);
    if (here !== undefined) place = here;
    else place += 1 / (before.length + 1);
    return here === undefined ? [rowOf(segment, after.length + index, demandsReview(row), place)] : [];
  });
  await insertSegments(tx, row, added);
  const replaced = added.map(({ position }) => position);
  const rows = await takeRows(tx, row, replaced);
  await tx.insert(documentMends).values({
    ...{ tenantId, documentId, mendId: newId(), number: 0, replaced, made, rows },
    mend: { mends, requested: { action: 'found' } },
  });
  await tx.update(documentJobs).set({ mends: 1 }).where(isDocument(tenantId, documentId));
}

/** Leaves texts of a new document as they are in the source. */
export async function keepTexts(
  tx: Tx,
  { tenantId, documentId }: Pick<Document, 'documentId' | 'tenantId'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  const { source, sourceText, regionId } = documentSegments;
  await tx
    .update(documentSegments)
    .set({
      target: source,
      targetText: sourceText,
      provenance: { engine: 'reviewer', kept: true },
      corrected: true,
    })
    .where(and(ofDocument(tenantId, documentId), inArray(regionId, [...ids])));
  await tx.execute(sql`
    update document_jobs set translated_segments = translated_segments + ${ids.length}::int, source_chars = (
      select coalesce(sum(length(source_text)), 0) from document_segments
      where tenant_id = ${tenantId} and document_id = ${documentId} and target is null)
    where tenant_id = ${tenantId} and document_id = ${documentId}`);
}

/** Removes rows of segments, and returns them. */
export async function takeRows(
  tx: Tx,
  { tenantId, documentId }: Pick<DocumentRow, 'documentId' | 'tenantId'>,
  positions: readonly number[],
): Promise<unknown[]> {
  const rows = await tx.execute<{ row: unknown }>(sql`
    delete from document_segments s where s.tenant_id = ${tenantId} and s.document_id = ${documentId}
      and s.position = any(array(select json_array_elements_text(${JSON.stringify(positions)}::json)::int))
    returning to_jsonb(s) as row`);
  return rows.map(({ row }) => row);
}

type RestOf<N extends keyof MendTools> =
  Parameters<MendTools[N]> extends [Uint8Array, ExtractOptions, ...infer A] ? A : never;

/**
 * Calls a function of the format about the texts of a document's file.
 * @throws AppError 400 for a damaged file
 */
export async function callTool<N extends keyof MendTools>(
  services: LocatingServices & Pick<Services, 'database' | 'fileWork' | 'log'>,
  row: DocumentRow,
  name: N,
  options: Pick<ExtractOptions, 'mends' | 'recognition'>,
  ...rest: RestOf<N>
): Promise<Awaited<ReturnType<MendTools[N]>>> {
  const { tenantId, documentId, sourceFormat: format } = row;
  const bytes = await readSource({ services, tenantId, documentId });
  const args = [{ ...rebuildOptionsOf(row), ...options }, ...rest] as never;
  return mendFile<N>(services, { format, bytes, name, args }, { tenantId }).catch((error: unknown) => {
    throw fileRefusal(error);
  });
}

function isActive({ tenantId, documentId }: Pick<Document, 'documentId' | 'tenantId'>) {
  const { tenantId: tenant, documentId: document, undoneAt } = documentMends;
  return [eq(tenant, tenantId), eq(document, documentId), isNull(undoneAt)];
}

/** @throws AppError 409 conflict if texts that a mend has made are not translated yet */
export async function requireMendsTranslated(tx: Tx, row: DocumentRow): Promise<void> {
  if (row.mends === 0 || (await selectUntranslated(tx, row)).length === 0) return;
  throw new AppError('conflict', 'texts that were joined or divided are not translated yet; try again later');
}

type MendServices = Pick<
  Services,
  'backgroundWork' | 'database' | 'embedder' | 'engine' | 'glossaries' | 'log' | 'settings'
>;

/** A text that a mend has made, without a translation. */
type MendedText = GroupText & { position: number; sourceText: string };

/**
 * Translates the texts that mends have made, and bills them. Does nothing if they are translated. It may run twice at the
 * same time; then the first result counts.
 * @throws AppError of the engine; then the texts stay without a translation
 */
export async function translateMended(
  services: MendServices,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  signal?: AbortSignal,
): Promise<void> {
  const found = await services.database.inTenant(tenantId, async (tx) => {
    const row = await requireDocument(tx, tenantId, documentId);
    const texts = row.mends > 0 ? await selectUntranslated(tx, row) : [];
    const request = groupRequestOf(requestOf(row));
    return { row, texts, request, found: await lookUpTexts(tx, request, texts) };
  });
  const { row, texts, request } = found;
  if (texts.length === 0) return;
  const scope = { tenantId, signal, run: {} };
  await services.engine.redaction?.learn(() => sourceTexts(services, row), scope);
  const { translations, cost } = await translateGroup(
    services,
    scope,
    { request, texts, found: found.found },
    () => services.log.warn({ document_id: documentId }, 'a mended text is translated without fuzzy matches'),
  );
  const rows = translations.map(({ of, translation }) => ({
    position: of.position,
    target: translation.target,
    target_text: translation.targetText,
    score: translation.score === null ? null : Math.round(translation.score),
    needs_review: translation.needsReview,
    issues: translation.issues,
    fast_path: translation.fastPath,
    provenance: translation.provenance,
  }));
  await services.database.inTenant(tenantId, async (tx) => {
    await tx
      .select({ id: documentJobs.documentId })
      .from(documentJobs)
      .where(isDocument(tenantId, documentId))
      .for('no key update');
    const stored = await tx.execute<{ position: number; source_text: string }>(sql`
      update document_segments s set target = r.target, target_text = r.target_text, score = r.score,
        needs_review = s.needs_review or r.needs_review, issues = s.issues || r.issues, fast_path = r.fast_path,
        provenance = r.provenance
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(position int, target jsonb, target_text text, score int,
        needs_review boolean, issues jsonb, fast_path text, provenance jsonb)
      where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = r.position and s.target is null
      returning s.position, s.source_text`);
    if (stored.length === 0) return;
    // The text is newer than what a reviewer has read, so an approval of that has to name this version.
    const events = stored.map(({ position }) => ({ position, event_id: newId() }));
    await tx.execute(sql`
      insert into segment_events (tenant_id, event_id, document_id, position, change_id, kind, target_text, created_at)
      select ${tenantId}, e.event_id, ${documentId}, e.position, e.event_id, 'mended', s.target_text, clock_timestamp()
      from json_to_recordset(${JSON.stringify(events)}::json) as e(position int, event_id text)
      join document_segments s
        on s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = e.position`);
    const { source_lang: sourceLang, target_lang: targetLang } = requestOf(row);
    const sourceChars = stored.reduce((sum, { source_text }) => sum + countCodePoints(source_text), 0);
    const weight = services.settings.DENSE_SCRIPT_WEIGHT;
    await billTexts(tx, {
      ...{
        tenantId,
        documentId,
        usageId: newId(),
        texts: stored.length,
        sourceLang,
        targetLang,
        sourceChars,
      },
      figures: JSON.stringify(await figuresOf(tx, tenantId, documentId)),
      billableChars: weighCharacters(sourceChars, sourceLang, targetLang, weight),
      ...{ trialChars: 0, fastPath: null, submittedBy: row.submittedBy },
      ...{ inputTokens: cost.inputTokens, outputTokens: cost.outputTokens, models: cost.models },
    });
    if (row.drawsTopup) await settleTopUp(tx, tenantId);
  });
}

function selectUntranslated(tx: Tx, row: DocumentRow): Promise<MendedText[]> {
  const { tenantId, documentId } = row;
  const near = (sign: string, order: string) => sql<string | null>`(
    select b.source_text from document_segments b where b.tenant_id = ${tenantId} and b.document_id = ${documentId}
      and coalesce(b.rank, b.position) ${sql.raw(sign)} ${readingOrder(row)}
    order by coalesce(b.rank, b.position) ${sql.raw(order)} limit 1)`;
  const { position, source, sourceText, place, context, variant } = documentSegments;
  return tx
    .select({
      position,
      source,
      sourceText,
      place,
      context,
      variant,
      before: near('<', 'desc'),
      after: near('>', 'asc'),
    })
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.target} is null and ${position} in (
        select jsonb_array_elements_text(m.made || m.replaced)::int from document_mends m
        where m.tenant_id = ${tenantId} and m.document_id = ${documentId})`,
    )
    .orderBy(readingOrder(row))
    .then((rows) =>
      rows.map(({ place, context, source, ...text }) => ({
        ...text,
        limits: [],
        context: noteOf(place, context),
        source: source as InlineContent,
      })),
    );
}

const value = sql.placeholder;

/** Counts translated texts in the row of their document, and bills them once, in a usage record of their own. */
const billTexts = prepare<
  JobUsage & { tenantId: string; documentId: string; usageId: string; texts: number; figures: string },
  { updatedAt: Date }[]
>((db) => {
  const { edits, translatedSegments, sourceChars } = documentJobs;
  const [texts, chars] = [sql`${value('texts')}::int`, sql`${value('sourceChars')}::int`];
  const counted = db.$with('finished').as(
    db
      .update(documentJobs)
      .set({
        edits: sql`${edits} + ${texts}`,
        translatedSegments: sql`${translatedSegments} + ${texts}`,
        sourceChars: sql`${sourceChars} + ${chars}`,
        inputTokens: sql`least(${documentJobs.inputTokens}::bigint + ${value('inputTokens')}::int, 1000000000)::int`,
        outputTokens: sql`least(${documentJobs.outputTokens}::bigint + ${value('outputTokens')}::int, 1000000000)::int`,
        reportFigures: sql`${value('figures')}::jsonb`,
        updatedAt: sql`clock_timestamp()`,
      })
      .where(
        sql`${documentJobs.tenantId} = ${value('tenantId')} and ${documentJobs.documentId} = ${value('documentId')}`,
      )
      .returning({
        tenantId: documentJobs.tenantId,
        jobId: sql<string>`${value('usageId')}::text`.as('job_id'),
        status: documentJobs.status,
        updatedAt: documentJobs.updatedAt,
      }),
  );
  return recordUsage(db, 'document', counted).prepare('bill_mended_texts');
});
