import { and, eq, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { reviewOpenings } from '#db/schema/reviews.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import type { Claimant } from './claims.ts';
import type { ReviewItem } from './schema.ts';

/** Days after which the record that an item was opened is deleted. */
const keptDays = 90;

/** Records that a member has opened an item. */
export async function recordOpening(
  tx: Tx,
  { tenantId, userId }: Pick<Claimant, 'tenantId' | 'userId'>,
  item: ReviewItem,
): Promise<void> {
  await tx
    .insert(reviewOpenings)
    .values({ tenantId, userId, itemKind: item.kind, itemId: item.id, openedAt: sql`now()` })
    .onConflictDoNothing();
}

/**
 * Returns those of these items that the caller has opened. Returns none for an API key, because a request with a key
 * does not show that a person read the item.
 */
export async function openedBy(
  tx: Tx,
  principal: Principal,
  kind: ReviewItem['kind'],
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (principal.kind !== 'session') return new Set();
  const rows = await tx
    .select({ itemId: reviewOpenings.itemId })
    .from(reviewOpenings)
    .where(
      and(
        eq(reviewOpenings.tenantId, principal.tenant.id),
        eq(reviewOpenings.userId, principal.user.id),
        eq(reviewOpenings.itemKind, kind),
        sql`${reviewOpenings.itemId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
      ),
    );
  return new Set(rows.map(({ itemId }) => itemId));
}

/**
 * Deletes old records of openings. Platform scope.
 * @returns the number of deleted records
 */
export async function pruneOpenings(tx: Tx): Promise<number> {
  const { count } = await tx
    .delete(reviewOpenings)
    .where(lt(reviewOpenings.openedAt, sql`now() - make_interval(days => ${keptDays})`));
  return count;
}
