import { and, asc, eq, gt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { reviewClaims } from '#db/schema/reviews.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import type { ClaimState, ItemHolder, ReviewItem } from './schema.ts';

/*
 * Soft claims: they say who is on an item, and keep others from being given it as their next one. They lock nobody out, so no procedure
 * refuses anything because of a claim (docs/decisions/0053).
 */

/** Seconds until a claim ends if it is not renewed. */
const claimSeconds = 60;

/** Claims of one member at a time: nobody can keep all work from the others. */
const mostOfMember = 20;

/** Holders of one item that are named. */
const mostHolders = 20;

/** Items of others that `next` passes over. With more, some of them are given to two. */
const mostPassedOver = 5000;

/** A member who claims. */
export interface Claimant {
  tenantId: string;
  userId: string;
  /** As others see the member. */
  name: string;
}

export function claimantOf({ tenant, user }: SessionPrincipal): Claimant {
  return { tenantId: tenant.id, userId: user.id, name: user.email || user.id };
}

/** Makes or renews the member's claim of an item, which must exist. The member's oldest claims beyond `mostOfMember` end. */
export async function claimItem(tx: Tx, claimant: Claimant, item: ReviewItem): Promise<ClaimState> {
  const { tenantId, userId, name } = claimant;
  const until = sql`now() + make_interval(secs => ${claimSeconds})`;
  const [row] = await tx
    .insert(reviewClaims)
    .values({
      tenantId,
      userId,
      itemKind: item.kind,
      itemId: item.id,
      holder: name,
      claimedAt: sql`now()`,
      expiresAt: until,
    })
    .onConflictDoUpdate({
      target: [reviewClaims.tenantId, reviewClaims.userId, reviewClaims.itemKind, reviewClaims.itemId],
      set: {
        holder: name,
        // An expired claim that was not pruned yet begins anew.
        claimedAt: sql`case when ${reviewClaims.expiresAt} > now() then ${reviewClaims.claimedAt} else now() end`,
        expiresAt: until,
      },
    })
    .returning({ expiresAt: reviewClaims.expiresAt });
  await endOldestClaims(tx, claimant);
  return {
    claimed_until: (row as { expiresAt: Date }).expiresAt.toISOString(),
    others: await othersOn(tx, claimant, item),
  };
}

async function endOldestClaims(tx: Tx, { tenantId, userId }: Claimant): Promise<void> {
  await tx.execute(sql`
    delete from review_claims where tenant_id = ${tenantId} and user_id = ${userId} and (item_kind, item_id) in (
      select item_kind, item_id from review_claims where tenant_id = ${tenantId} and user_id = ${userId}
      order by expires_at desc, item_id offset ${mostOfMember} for update skip locked)`);
}

/**
 * Claims an item for a member unless another one has claimed it. Of two who ask at once, one gets it.
 * @returns undefined if somebody else is on it, or is just getting it
 */
export async function claimIfFree(
  tx: Tx,
  claimant: Claimant,
  item: ReviewItem,
): Promise<ClaimState | undefined> {
  const lock = `review_claims:${claimant.tenantId}:${item.kind}:${item.id}`;
  const [row] = await tx.execute<{ locked: boolean }>(
    sql`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as locked`,
  );
  if (!row?.locked) return undefined;
  // A statement of its own: it sees the claim of whoever held the lock before.
  const others = await othersOn(tx, claimant, item);
  return others.length > 0 ? undefined : claimItem(tx, claimant, item);
}

/** Ends the member's claim of an item; there need not be one. */
export async function releaseItem(tx: Tx, claimant: Claimant, item: ReviewItem): Promise<ClaimState> {
  await tx
    .delete(reviewClaims)
    .where(and(isOn(claimant.tenantId, item), eq(reviewClaims.userId, claimant.userId)));
  return { claimed_until: null, others: await othersOn(tx, claimant, item) };
}

async function othersOn(tx: Tx, { tenantId, userId }: Claimant, item: ReviewItem): Promise<ItemHolder[]> {
  const rows = await tx
    .select()
    .from(reviewClaims)
    .where(and(isOn(tenantId, item), isLive(), ne(reviewClaims.userId, userId)))
    .orderBy(asc(reviewClaims.claimedAt), asc(reviewClaims.userId))
    .limit(mostHolders);
  return rows.map(({ holder, claimedAt, expiresAt }) => ({
    holder,
    claimed_at: claimedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }));
}

/** The items of one kind on which somebody else is than the member, at most `mostPassedOver`. */
export async function itemsOfOthers(
  tx: Tx,
  { tenantId, userId }: Claimant,
  kind: ReviewItem['kind'],
): Promise<Set<string>> {
  const rows = await tx
    .select({ itemId: reviewClaims.itemId })
    .from(reviewClaims)
    .where(
      and(
        eq(reviewClaims.tenantId, tenantId),
        eq(reviewClaims.itemKind, kind),
        isLive(),
        ne(reviewClaims.userId, userId),
      ),
    )
    .limit(mostPassedOver);
  return new Set(rows.map(({ itemId }) => itemId));
}

/**
 * Who is on each of some items of one kind: names by item id, who came first first.
 * @param except the member who asks; null for a caller that is nobody, by an API key
 */
export async function holdersOf(
  tx: Tx,
  tenantId: string,
  kind: ReviewItem['kind'],
  ids: readonly string[],
  except: string | null,
): Promise<Map<string, string[]>> {
  const holders = new Map<string, string[]>();
  if (ids.length === 0) return holders;
  const rows = await tx
    .select({ itemId: reviewClaims.itemId, holder: reviewClaims.holder })
    .from(reviewClaims)
    .where(
      and(
        eq(reviewClaims.tenantId, tenantId),
        eq(reviewClaims.itemKind, kind),
        sql`${reviewClaims.itemId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
        isLive(),
        except === null ? undefined : ne(reviewClaims.userId, except),
      ),
    )
    .orderBy(asc(reviewClaims.claimedAt), asc(reviewClaims.userId));
  for (const { itemId, holder } of rows) {
    const known = holders.get(itemId) ?? [];
    if (known.length < mostHolders) holders.set(itemId, [...known, holder]);
  }
  return holders;
}

/** Deletes claims that have ended. Platform scope. @returns how many */
export async function pruneClaims(tx: Tx): Promise<number> {
  const { count } = await tx.delete(reviewClaims).where(lte(reviewClaims.expiresAt, sql`now()`));
  return count;
}

function isOn(tenantId: string, { kind, id }: ReviewItem): SQL | undefined {
  return and(
    eq(reviewClaims.tenantId, tenantId),
    eq(reviewClaims.itemKind, kind),
    eq(reviewClaims.itemId, id),
  );
}

function isLive(): SQL {
  return gt(reviewClaims.expiresAt, sql`now()`);
}
