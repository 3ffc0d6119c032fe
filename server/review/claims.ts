import { and, asc, eq, gt, lt, lte, ne, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { reviewClaims, reviewOpenings } from '#db/schema/reviews.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { maxHolders } from './inbox.ts';
import type { Claimant } from './item.ts';
import { requireItem, requireSegment } from './kinds.ts';
import type { ClaimInput, ClaimState, ItemHolder, ReviewItem } from './schema.ts';

/*
 * A claim shows who reviews an item, and stops `next` from giving the item to other members. Claims lock nothing: no
 * procedure rejects a request because of a claim (docs/decisions/0053).
 */

/** Seconds until a claim ends if it is not renewed. */
const claimSeconds = 60;

/** Maximum number of claims that one member can have, so that no member can block the queue. */
const maxOfMember = 20;

/**
 * Maximum number of items claimed by others that `next` skips. If there are more, two members may get the same item.
 */
const maxPassedOver = 5000;

/**
 * Creates, renews or ends the member's claim on a job or document.
 * @throws AppError 404 if the tenant does not have the item; 422 for an unknown segment
 */
export async function claim(
  tx: Tx,
  claimant: Claimant,
  { release, opened, read_ms_ago: age, position, ...item }: ClaimInput,
): Promise<ClaimState> {
  await requireItem(tx, claimant.tenantId, item);
  if (position !== undefined) await requireSegment(tx, claimant.tenantId, item, position);
  if (opened) await recordOpening(tx, claimant, item, age);
  return release ? releaseItem(tx, claimant, item) : claimItem(tx, claimant, item, position);
}

/**
 * Creates or renews the member's claim on an item, which must exist. If the member then has more than `maxOfMember`
 * claims, the oldest ones end.
 * @param position the segment of a document that the member has open; null if none is open
 */
async function claimItem(
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
async function releaseItem(tx: Tx, claimant: Claimant, item: ReviewItem): Promise<ClaimState> {
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
    .where(isLiveOf(tenantId, kind, userId))
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
        isLiveOf(tenantId, kind, except),
        sql`${reviewClaims.itemId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
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

/** Matches the live claims of other members on items of one kind. */
function isLiveOf(tenantId: string, kind: ReviewItem['kind'], userId: string | null): SQL | undefined {
  const isOther = userId === null ? undefined : ne(reviewClaims.userId, userId);
  return and(eq(reviewClaims.tenantId, tenantId), eq(reviewClaims.itemKind, kind), isLive(), isOther);
}

function isLive(): SQL {
  return gt(reviewClaims.expiresAt, sql`now()`);
}

/** Days after which the record that an item was opened is deleted. */
const keptDays = 90;

/** Records that a member has opened an item. @param age the milliseconds since then */
export async function recordOpening(
  tx: Tx,
  { tenantId, userId }: Pick<Claimant, 'tenantId' | 'userId'>,
  item: ReviewItem,
  age = 0,
): Promise<void> {
  const openedAt = sql`now() - make_interval(secs => ${Math.min(age / 1000, keptDays * 86_400)})`;
  await tx
    .insert(reviewOpenings)
    .values({ tenantId, userId, itemKind: item.kind, itemId: item.id, openedAt })
    .onConflictDoUpdate({
      target: [
        reviewOpenings.tenantId,
        reviewOpenings.userId,
        reviewOpenings.itemKind,
        reviewOpenings.itemId,
      ],
      set: { openedAt },
    });
}

/**
 * Returns when the caller has last opened these items, by ID. Returns none for an API key, because a request with a key
 * does not show that a person read the item.
 */
export async function openedBy(
  tx: Tx,
  principal: Principal,
  kind: ReviewItem['kind'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (principal.kind !== 'session') return new Map();
  const rows = await tx
    .select({ itemId: reviewOpenings.itemId, openedAt: reviewOpenings.openedAt })
    .from(reviewOpenings)
    .where(
      and(
        eq(reviewOpenings.tenantId, principal.tenant.id),
        eq(reviewOpenings.userId, principal.user.id),
        eq(reviewOpenings.itemKind, kind),
        sql`${reviewOpenings.itemId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
      ),
    );
  return new Map(rows.map(({ itemId, openedAt }) => [itemId, openedAt]));
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
