import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { readPlace, writePlace } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { newId } from '#server/platform/ids.ts';
import type { EventPage, EventRecord } from './schema.ts';

/** Maximum milliseconds until older transactions have ended when a feed starts. */
const startDeadline = 5000;

/** Maximum events that one reading numbers, so that it holds the lock of the feed briefly. */
const numberedAtOnce = 5000;

/** A place in a tenant's feed: after the event with this position. */
export interface FeedPlace {
  feedId: string;
  position: number;
}

interface FeedPage extends Omit<EventPage, 'next_cursor'> {
  next: FeedPlace;
}

export function writeFeedPlace({ feedId, position }: FeedPlace): string {
  return writePlace({ versionId: feedId, after: position });
}

/** @throws AppError 422 for an invalid cursor */
export function readFeedPlace(cursor: string): FeedPlace {
  const { versionId, after } = readPlace(cursor);
  return { feedId: versionId, position: after };
}

/**
 * Switches the feed on, unless it is on. A transaction that began before does not record its events, so a new feed is
 * complete only after all older transactions have ended: otherwise a reader that gets its first cursor and then lists
 * the jobs could miss a change.
 * Its positions follow those of an earlier feed, whose events may not be deleted yet.
 * @returns the end of the feed
 * @throws AppError 503 if older transactions do not end in time
 */
export async function startFeed(withTenant: WithTenant): Promise<FeedPlace> {
  const feed = await withTenant(async (tx, { tenant }) => {
    await tx.execute(sql`
      insert into event_feeds (tenant_id, feed_id, last_position, pruned_position)
      select ${tenant.id}, ${newId()}, last, last
      from (select coalesce(max(position), 0) as last from events where tenant_id = ${tenant.id}) earlier
      on conflict do nothing`);
    const [row] = await tx.execute<{ feedId: string; complete: boolean }>(sql`
      select feed_id as "feedId", complete from event_feeds where tenant_id = ${tenant.id}`);
    return row;
  });
  if (!feed) throw expired();
  if (!feed.complete) await awaitOlderTransactions(withTenant);
  return withTenant(async (tx, { tenant }) => {
    if (!feed.complete)
      await tx.execute(sql`
        update event_feeds set complete = true where tenant_id = ${tenant.id} and feed_id = ${feed.feedId}`);
    await numberEvents(tx, tenant.id);
    const [row] = await tx.execute<{ position: number }>(sql`
      select last_position::float8 as position from event_feeds
      where tenant_id = ${tenant.id} and feed_id = ${feed.feedId}`);
    if (!row) throw expired();
    return { feedId: feed.feedId, position: row.position };
  });
}

async function awaitOlderTransactions(withTenant: WithTenant): Promise<void> {
  const [now] = await withTenant((tx) =>
    tx.execute<{ xmax: string }>(sql`select pg_snapshot_xmax(pg_current_snapshot())::text as xmax`),
  );
  const deadline = Date.now() + startDeadline;
  for (;;) {
    const [row] = await withTenant((tx) =>
      tx.execute<{ ended: boolean }>(sql`
        select pg_snapshot_xmin(pg_current_snapshot()) >= ${now?.xmax}::text::xid8 as ended`),
    );
    if (row?.ended) return;
    if (Date.now() > deadline)
      throw new AppError('transient_error', 'the event feed is starting; try again in a few seconds', {
        retryAfter: 5,
      });
    await delay(50);
  }
}

/**
 * Reads the events after a place, in one statement. If fewer than `limit` have a position, numbers those that were
 * committed since, and reads again.
 * @param types only events of these types are returned, but others count for `limit`
 * @throws AppError 409 if events after the place have been deleted
 */
export async function readFeed(
  tx: Tx,
  tenantId: string,
  { place, limit, types }: { place: FeedPlace; limit: number; types: readonly string[] | undefined },
): Promise<FeedPage> {
  let found = await selectEvents(tx, tenantId, place, limit);
  if (found.hasNew && found.rows.length < limit) {
    await numberEvents(tx, tenantId);
    found = await selectEvents(tx, tenantId, place, limit);
  } else if (found.isReadSeldom)
    await tx.execute(sql`update event_feeds set read_at = now() where tenant_id = ${tenantId}`);
  const position = found.rows.at(-1)?.position ?? place.position;
  return {
    events: found.rows
      .filter(({ type }) => !types || types.includes(type))
      .map((row) => eventOf(place.feedId, row)),
    next: { feedId: place.feedId, position },
    has_more: found.rows.length === limit || found.hasNew,
  };
}

interface EventRow extends Omit<EventRecord, 'cursor'> {
  position: number;
}

function eventOf(feedId: string, { position, ...event }: EventRow): EventRecord {
  return { ...event, cursor: writeFeedPlace({ feedId, position }) };
}

async function selectEvents(tx: Tx, tenantId: string, { feedId, position }: FeedPlace, limit: number) {
  const [row] = await tx.execute<{
    isGone: boolean;
    isReadSeldom: boolean;
    hasNew: boolean;
    rows: EventRow[];
  }>(sql`
    select ${position}::bigint not between pruned_position and last_position as "isGone",
      read_at < now() - interval '1 hour' as "isReadSeldom",
      exists (select from events where tenant_id = ${tenantId} and position is null) as "hasNew",
      coalesce((select jsonb_agg(page order by page.position) from (
        select event_id as id, position, type, resource, resource_id, status,
          to_char(occurred_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as occurred_at
        from events where tenant_id = ${tenantId} and position > ${position}::bigint
        order by position limit ${limit}::int) page), '[]') as rows
    from event_feeds where tenant_id = ${tenantId} and feed_id = ${feedId} and complete`);
  if (!row || row.isGone) throw expired();
  return row;
}

/**
 * Gives a position to events that have none yet, after all that have one. Two readings do so one after the other. The
 * events of one resource have the order of their sequence: the transaction of a later one began to change the resource
 * after the earlier one was committed, so no snapshot contains only the later one.
 */
export async function numberEvents(tx: Tx, tenantId: string): Promise<number> {
  await tx.execute(sql`select from event_feeds where tenant_id = ${tenantId} for no key update`);
  const [row] = await tx.execute<{ count: number }>(sql`
    with unnumbered as (
      select sequence, row_number() over (order by sequence) as place from events
      where tenant_id = ${tenantId} and position is null order by sequence limit ${numberedAtOnce}::int
    ), numbered as (
      update events set position = last_position + place
      from unnumbered, event_feeds
      where events.tenant_id = ${tenantId} and events.sequence = unnumbered.sequence and event_feeds.tenant_id = ${tenantId}
      returning 1
    ), moved as (
      update event_feeds set last_position = last_position + (select count(*) from numbered), read_at = now()
      where tenant_id = ${tenantId} and exists (select from numbered)
    )
    select count(*)::int as count from numbered`);
  return row?.count ?? 0;
}

function expired(): AppError {
  return new AppError(
    'conflict',
    'the cursor is too old: events after it have been deleted, or the database was restored; read the state of your jobs, and start again without a cursor',
  );
}
