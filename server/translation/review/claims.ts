import { and, asc, eq, gt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { reviewClaims } from '#db/schema/reviews.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import type { ClaimState, ItemHolder, ReviewItem } from './schema.ts';

/*
 * A claim shows who reviews an item, and stops `next` from giving the item to other members. Claims lock nothing: no
 * procedure rejects a request because of a claim (docs/decisions/0053).
 */

/** Seconds until a claim ends if it is not renewed. */
const claimSeconds = 60;

/** Maximum number of claims that one member can have, so that no member can block the queue. */
const maxOfMember = 20;

/** Maximum number of members that are listed as holders of an item. */
export const maxHolders = 20;

/**
 * Maximum number of items claimed by others that `next` skips. If there are more, two members may get the same item.
 */
const maxPassedOver = 5000;

/** The member who claims an item. */
export interface Claimant {
  tenantId: string;
  userId: string;
  /** The member's display name. */
  name: string;
}

export function claimantOf({ tenant, user }: SessionPrincipal): Claimant {
  return { tenantId: tenant.id, userId: user.id, name: user.email || user.id };
}

/**
 * Creates or renews the member's claim on an item, which must exist. If the member then has more than `maxOfMember`
 * claims, the oldest ones end.
 * @param position the segment of a document that the member has open; null if none is open
 */
export async function claimItem(
  tx: Tx,
  claimant: Claimant,
  item: ReviewItem,
  position: number | null = null,
): Promise<ClaimState> {
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
      position,
      claimedAt: sql`now()`,
      expiresAt: until,
    })
    .onConflictDoUpdate({
      target: [reviewClaims.tenantId, reviewClaims.userId, reviewClaims.itemKind, reviewClaims.itemId],
      set: {
        holder: name,
        position,
        // If a claim has expired and is not deleted yet, it starts again.
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
      order by expires_at desc, item_id offset ${maxOfMember} for update skip locked)`);
}

/**
 * Claims an item for a member, unless someone else has claimed it. If two members ask at the same time, one gets the
 * item.
 * @returns undefined if someone else has claimed the item, or is claiming it now
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
  // Use a separate statement: it sees the claim that the previous holder of the lock has stored.
  const others = await othersOn(tx, claimant, item);
  return others.length > 0 ? undefined : claimItem(tx, claimant, item);
}

/** Ends the member's claim on an item, if one exists. */
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
    .limit(maxHolders);
  return rows.map(({ holder, position, claimedAt, expiresAt }) => ({
    holder,
    position,
    claimed_at: claimedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  }));
}

/** Returns the items of one kind that other members have claimed, at most `maxPassedOver`. */
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
    .limit(maxPassedOver);
  return new Set(rows.map(({ itemId }) => itemId));
}

/**
 * Returns the holders of some items of one kind: display names by item ID, in the order of their claims.
 * @param except the calling member, who is left out; null for a caller with an API key
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
    if (known.length < maxHolders) holders.set(itemId, [...known, holder]);
  }
  return holders;
}

/** Deletes expired claims. Platform scope. @returns the number of deleted claims */
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
