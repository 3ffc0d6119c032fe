import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
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
async function numberEvents(tx: Tx, tenantId: string): Promise<number> {
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

/** Rows that one statement deletes, so that it holds its locks briefly. */
const batch = 5000;

/** A feed, as the task finds it. */
interface Feed extends Record<string, unknown> {
  tenantId: string;
  isUnread: boolean;
}

/**
 * Deletes old events, switches unread feeds off, and deletes the events of feeds that are off.
 * @param days the age of events, and the time without a reading
 * @returns the number of deleted events
 */
export async function pruneEvents(database: Database, days: number): Promise<number> {
  const feeds = await database.inPlatform((tx) =>
    tx.execute<Feed>(sql`
      select tenant_id as "tenantId", read_at < now() - make_interval(days => ${days}::int) as "isUnread"
      from event_feeds`),
  );
  let pruned = 0;
  for (const { tenantId, isUnread } of feeds) {
    if (isUnread) await database.inTenant(tenantId, (tx) => switchOff(tx, tenantId, days));
    else
      pruned += await untilNone(async () =>
        database.inTenant(tenantId, (tx) => deleteOld(tx, tenantId, days)),
      );
  }
  // A transaction that recorded an event may have ended after the feed was switched off.
  for (const tenantId of await database.inPlatform(selectFeedless))
    pruned += await untilNone(() => database.inTenant(tenantId, (tx) => deleteUnused(tx, tenantId)));
  return pruned;
}

async function untilNone(prune: () => Promise<number>): Promise<number> {
  let pruned = 0;
  for (;;) {
    const count = await prune();
    if (count === 0) return pruned;
    pruned += count;
  }
}

/** The condition on the time is repeated, because the feed may have been read in the meantime. */
async function switchOff(tx: Tx, tenantId: string, days: number): Promise<void> {
  await tx.execute(sql`
    delete from event_feeds
    where tenant_id = ${tenantId} and read_at < now() - make_interval(days => ${days}::int)`);
}

/**
 * Deletes the oldest events of a feed, up to the first one that is not old. The feed stores the last deleted position,
 * so that a reader that has not read it gets an error.
 */
async function deleteOld(tx: Tx, tenantId: string, days: number): Promise<number> {
  // Events without a position may be old, too. This also locks the feed.
  await numberEvents(tx, tenantId);
  const [row] = await tx.execute<{ count: number }>(sql`
    with oldest as (
      select position, bool_and(occurred_at < now() - make_interval(days => ${days}::int)) over (order by position) as old
      from (select position, occurred_at from events where tenant_id = ${tenantId} and position is not null
        order by position limit ${batch}::int) first
    ), deleted as (
      delete from events where tenant_id = ${tenantId} and position <= (select max(position) from oldest where old)
      returning position
    ), moved as (
      update event_feeds set pruned_position = (select max(position) from deleted)
      where tenant_id = ${tenantId} and exists (select from deleted)
    )
    select count(*)::int as count from deleted`);
  return row?.count ?? 0;
}

/** Finds the tenants with events but without a feed. Reads one entry of the index for each tenant. */
async function selectFeedless(tx: Tx): Promise<string[]> {
  const rows = await tx.execute<{ tenantId: string }>(sql`
    with recursive recorded as (
      (select tenant_id from events order by tenant_id limit 1)
      union all
      select (select e.tenant_id from events e where e.tenant_id > r.tenant_id order by e.tenant_id limit 1)
      from recorded r where r.tenant_id is not null
    )
    select tenant_id as "tenantId" from recorded r
    where tenant_id is not null and not exists (select from event_feeds f where f.tenant_id = r.tenant_id)`);
  return rows.map(({ tenantId }) => tenantId);
}

/** A feed that has been switched on in the meantime keeps its events. */
async function deleteUnused(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    with deleted as (
      delete from events where tenant_id = ${tenantId} and sequence = any(array(
        select sequence from events where tenant_id = ${tenantId} limit ${batch}::int))
        and not exists (select from event_feeds where tenant_id = ${tenantId})
      returning 1
    )
    select count(*)::int as count from deleted`);
  return row?.count ?? 0;
}
