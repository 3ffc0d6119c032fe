import { and, inArray } from 'drizzle-orm';
import type { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentMends, documentSegments } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import type { DocumentRow } from '#server/documents/jobs.ts';
import { callTool, selectMends } from '#server/documents/mends.ts';
import { selectRecognition } from '#server/documents/recognition.ts';
import { ofDocument } from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import { countShown, type Mend, type SimilarPlace } from '#server/formats/document.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { requireTranslated } from '../document.ts';
import type { pageOfTexts, pageQuery, Requested, similarPlaces, similarQuery } from './schema.ts';
import { isSame, placingOf, requirePages, resolve } from './texts.ts';

/* What a page has besides its segments: texts that are kept, and places like that of a mend. */

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
  const { kept, doubts } = await callTool(services, row, 'texts', { mends, recognition }, [page]);
  const ids = doubts.flatMap((doubt) => doubt.ids);
  const texts = await services.database.inTenant(row.tenantId, (tx) => selectTexts(tx, row, ids));
  return {
    kept: kept.map(({ id, text, reason, rectangle }) => ({ region_id: id, text, reason, rectangle })),
    // A text that continues elsewhere is not changed here.
    places: doubts.flatMap(({ ids: region_ids, rule, mend, after }) => {
      const [first] = region_ids.map((id) => texts.get(id));
      return first && region_ids.every((id) => texts.has(id))
        ? [{ region_ids, rule, after, mend: requestOfMend(mend, first.sourceText) }]
        : [];
    }),
  };
}

/** The maximum number of places in a response. */
const maxPlaces = 500;

/**
 * Finds the places of a document that are like that of a mend.
 * @throws AppError 404; 400 if the document is not translated or is no PDF; 422 for an unknown text
 */
export async function findSimilar(
  services: LocatingServices & Pick<Services, 'database' | 'fileWork' | 'log'>,
  withTenant: WithTenant,
  { document_id: documentId, mend: requested }: z.infer<typeof similarQuery>,
): Promise<z.infer<typeof similarPlaces>> {
  const { row, like, ...read } = await withTenant(async (tx, { tenant }) => {
    const row = await requireTranslated(tx, tenant.id, documentId);
    requirePages(row);
    const recognition = await selectRecognition(tx, tenant.id, documentId);
    const [same] = await tx.select().from(documentMends).where(isSame(row, requested)).limit(1);
    const mends = (await selectMends(tx, row)).filter(
      (one) => JSON.stringify(one) !== JSON.stringify(same?.mend.mends[0]),
    );
    return {
      row,
      recognition,
      mends,
      like: same ? (same.mend.mends[0] as Mend) : await likeOf(tx, row, requested),
    };
  });
  if (!like) return { places: [] };
  const { tenantId } = row;
  const places = await callTool(services, row, 'similar', read, like);
  const ids = places.flatMap(({ mend }) => [...idsOfMend(mend)]);
  const byId = await services.database.inTenant(tenantId, (tx) => selectTexts(tx, row, ids));
  const found = places.flatMap(({ mend, isSure, ...place }) => {
    const own = idsOfMend(mend).flatMap((id) => byId.get(id) ?? []);
    // A text that a later mend has replaced is not there any longer.
    if (mend.kind !== 'translate' && own.length < idsOfMend(mend).length) return [];
    const confirmed = own.filter(({ confirmedAt }) => confirmedAt !== null).length;
    return [{ mend: requestOfMend(mend, own[0]?.sourceText ?? ''), is_sure: isSure, confirmed, ...place }];
  });
  return {
    places: found.sort((one, other) => Number(one.is_sure) - Number(other.is_sure)).slice(0, maxPlaces),
  };
}

async function selectTexts(tx: Tx, { tenantId, documentId }: DocumentRow, ids: readonly string[]) {
  const { regionId: id, sourceText, confirmedAt } = documentSegments;
  const rows = await tx
    .select({ id, sourceText, confirmedAt })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), inArray(id, [...ids])));
  return new Map(rows.map((text) => [text.id, text]));
}

const idsOfMend = (mend: SimilarPlace['mend']): readonly string[] =>
  mend.kind === 'join' ? mend.ids : [mend.id];

function requestOfMend(mend: SimilarPlace['mend'], sourceText: string): Requested {
  if (mend.kind === 'join') return { action: 'join', region_ids: mend.ids };
  if (mend.kind === 'space') return { action: 'space', region_id: mend.id, rectangle: mend.rectangle };
  if (mend.kind === 'size') return { action: 'size', region_id: mend.id, like: mend.like };
  if (mend.kind !== 'split') return { action: mend.kind, region_ids: [mend.id] };
  const at = mend.at.map((count) => offsetOf(sourceText, count));
  return { action: 'split', region_id: mend.id, at };
}

/** Returns the offset in a text after some of its characters (`countShown`) and the spaces after them. */
function offsetOf(text: string, count: number): number {
  let offset = 0;
  while (offset < text.length && countShown(text.slice(0, offset)) < count) offset += 1;
  while (/\s/.test(text[offset] ?? '')) offset += 1;
  return offset;
}

/** Returns the mend of a request that is not made yet; undefined for one of the reading order. */
async function likeOf(
  tx: Tx,
  row: DocumentRow,
  requested: Requested,
): Promise<SimilarPlace['mend'] | undefined> {
  if (requested.action === 'order') return undefined;
  if (requested.action === 'keep') return { kind: 'keep', id: requested.region_ids[0]! };
  if (requested.action === 'space' || requested.action === 'size') return placingOf(requested);
  return (await resolve(tx, row, requested))[0]?.mend;
}
