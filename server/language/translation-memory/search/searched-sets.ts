import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { memorySets } from '#db/schema/translation-memory.ts';
import { type NumberedPlace, replacedSince } from '#server/http/paging.ts';
import type { LanguageCode } from '#server/languages.ts';
import { isListed, requireSet, type SetRow } from '../sets.ts';

/** The sets to search; an undefined field matches any set. Languages are canonical codes. */
export interface SetFilter {
  setId?: string | undefined;
  pairSource: LanguageCode | undefined;
  pairTarget: LanguageCode | undefined;
}

/**
 * The sets that are still to be searched, and the number of the last segment that was searched in the first of them.
 */
export interface RemainingSets {
  sets: SetRow[];
  after: number;
}

/**
 * Returns the sets of a search in a fixed order. Golden sets come first, because their segments are served first.
 * @param place the end of an earlier page
 * @throws AppError 404 if the given set is unknown or belongs to another tenant; 409 if the set of `place` was replaced
 *   or deleted
 */
export async function selectSearchedSets(
  tx: Tx,
  tenantId: string,
  { setId, pairSource, pairTarget }: SetFilter,
  place: NumberedPlace | undefined,
): Promise<RemainingSets> {
  const rows = await tx
    .select()
    .from(memorySets)
    .where(
      and(
        eq(memorySets.tenantId, tenantId),
        isListed,
        setId === undefined ? undefined : eq(memorySets.setId, setId),
      ),
    )
    .orderBy(sql`${memorySets.origin} = 'golden_approved' desc`, memorySets.setId);
  if (setId !== undefined) requireSet(rows[0]);
  const sets = rows.filter(
    (set) =>
      (pairSource === undefined || set.pairSource === pairSource) &&
      (pairTarget === undefined || set.pairTarget === pairTarget),
  );
  if (!place) return { sets, after: 0 };
  const first = sets.findIndex(({ versionId }) => versionId === place.versionId);
  if (first < 0) throw replacedSince();
  return { sets: sets.slice(first), after: place.after };
}
