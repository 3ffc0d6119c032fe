import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import { AppError } from '#server/errors.ts';
import { readPlace, replacedSince, writePlace } from '#server/http/paging.ts';
import { conditionOf, entryView, listEntries } from './entries.ts';
import type { EntryPage } from './entry-schema.ts';
import { setNotFound } from './sets.ts';
import type { TermsRequest } from './term-schema.ts';

/** Maximum number of terms of a glossary that is sorted; sorting them takes about 50 ms. */
const maxSorted = 20_000;

/**
 * Returns a page of a glossary's terms in the requested order. If a text is given, returns only terms that contain it.
 * @throws AppError 404 for an unknown glossary or one of another tenant; 409 if the glossary was changed after the
 *   cursor was created; 422, also if the glossary is too large to be sorted
 */
export async function listTerms(tx: Tx, tenantId: string, request: TermsRequest): Promise<EntryPage> {
  const { set_id: setId, sort, descending, limit, cursor } = request;
  if (sort === 'place' && !descending) return listEntries(tx, tenantId, request);
  const condition = conditionOf(request);
  const place = cursor === undefined ? undefined : readPlace(cursor);
  const [set] = await tx
    .select({ revision: terminologySets.revision, size: terminologySets.entryCount })
    .from(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.setId, setId)));
  if (!set) throw setNotFound();
  if (place && place.versionId !== set.revision) throw replacedSince();
  if (set.size > maxSorted)
    throw new AppError('unprocessable', `a glossary with more than ${maxSorted} terms cannot be sorted`);
  const { sourceTerm, targetTerm, entryNo } = terminologyEntries;
  const direction = descending ? desc : asc;
  const key = { place: [], source: [sourceTerm], target: [targetTerm] }[sort];
  const skipped = place?.after ?? 0;
  const found = await tx
    .select()
    .from(terminologyEntries)
    .where(and(eq(terminologyEntries.tenantId, tenantId), eq(terminologyEntries.setId, setId), condition))
    .orderBy(...key.map((column) => direction(sql`lower(${column})`)), direction(entryNo))
    .limit(limit + 1)
    .offset(skipped);
  return {
    entries: found.slice(0, limit).map(entryView),
    next_cursor:
      found.length > limit ? writePlace({ versionId: set.revision, after: skipped + limit }) : null,
  };
}
