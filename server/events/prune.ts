import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { numberEvents } from './feed.ts';

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
