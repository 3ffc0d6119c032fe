import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { UnitPlace } from './lookup/exact-match.ts';

/*
 * Counts how often segments are served. A request only adds to a map of its process, so that it neither takes another
 * round trip nor waits for the row of a segment that many requests get. One statement stores the counts of some seconds.
 * Those that are not stored yet are lost if the process is killed or the database cannot be reached.
 */

type CountingServices = Pick<Services, 'backgroundWork' | 'database' | 'log'>;

/** Milliseconds for which counts are collected. */
const collectMs = 3000;

/** Maximum number of segments whose counts are collected; further ones are not counted until these are stored. */
const maxUnits = 20_000;

type Counted = UnitPlace & { tenantId: string; count: number };

/** The counts that are not stored yet, by tenant and segment. Per database, for tests. */
const collected = new WeakMap<
  Services['database'],
  { counts: Map<string, Counted>; enough: AbortController }
>();

/** Stores the counts of a database without delay. */
export const storeUses = (database: Services['database']) => collected.get(database)?.enough.abort();

/** Counts that segments were served. A stopping process stores the counts immediately. */
export function countUses(
  services: CountingServices,
  tenantId: string,
  units: readonly { unit: UnitPlace }[],
): void {
  if (units.length === 0) return;
  const { backgroundWork, database, log } = services;
  const waiting = collected.get(database);
  const { counts, enough } = waiting ?? { counts: new Map<string, Counted>(), enough: new AbortController() };
  for (const { unit } of units) {
    const key = `${tenantId} ${unit.versionId} ${unit.segmentNo}`;
    const known = counts.get(key);
    if (known) known.count += 1;
    else if (counts.size < maxUnits) counts.set(key, { ...unit, tenantId, count: 1 });
  }
  if (waiting) return;
  collected.set(database, { counts, enough });
  const signal = AbortSignal.any([backgroundWork.stopping, enough.signal]);
  const stored = delay(collectMs, undefined, { signal })
    .catch(() => {})
    .then(() => {
      collected.delete(database);
      return database.inPlatform((tx) => tx.last(tx.execute(addCounts([...counts.values()]))));
    });
  backgroundWork.track(stored).catch((error: unknown) => {
    log.warn({ error: describeForLog(error) }, 'could not store how often segments were served');
  });
}

/**
 * Adds counts in a fixed order, which prevents deadlocks between processes. Segments and versions that were deleted
 * since are skipped. `lateral` and `offset 0` make PostgreSQL look up each segment by its key.
 */
function addCounts(counts: readonly Counted[]) {
  const rows = counts.map(({ tenantId: t, versionId: c, segmentNo: n, count: k }) => ({ t, c, n, k }));
  return sql`
    insert into memory_use (tenant_id, content_id, segment_no, served, served_at)
    select v.tenant_id, v.content_id, r.n, r.k, now()
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(t text, c text, n bigint, k bigint)
    join memory_contents v on v.tenant_id = r.t and v.content_id = r.c
    cross join lateral (select from memory_segments m
      where m.tenant_id = r.t and m.content_id = r.c and m.segment_no = r.n offset 0) m
    order by v.tenant_id, v.content_id, r.n
    for key share of v
    on conflict (tenant_id, content_id, segment_no) do update set
      served = memory_use.served + excluded.served, served_at = greatest(memory_use.served_at, excluded.served_at)`;
}

/** Deletes the counts of segments that cannot be restored: their version `c` and number `n`. */
export async function forgetUses(
  tx: Tx,
  tenantId: string,
  units: readonly { c: string; n: string }[],
): Promise<void> {
  await tx.execute(sql`
    delete from memory_use u using json_to_recordset(${JSON.stringify(units)}::json) as r(c text, n bigint)
    where u.tenant_id = ${tenantId} and u.content_id = r.c and u.segment_no = r.n`);
}

/** A segment whose uses count for another segment of its set. */
interface MergedUnit extends UnitPlace {
  into: number;
}

/**
 * Adds the uses of merged segments to the segments that stay, or takes them away again. The rows of merged segments keep
 * their counts.
 */
export async function moveUses(
  tx: Tx,
  tenantId: string,
  merged: readonly MergedUnit[],
  direction: 'merge' | 'undo',
): Promise<void> {
  if (merged.length === 0) return;
  const rows = merged.map(({ versionId: c, segmentNo: n, into: k }) => ({ c, n, k }));
  const uses = sql`
    select u.content_id, r.k, sum(u.served)::bigint as served, max(u.served_at) as served_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(c text, n bigint, k bigint)
    join memory_use u on u.tenant_id = ${tenantId} and u.content_id = r.c and u.segment_no = r.n
    group by u.content_id, r.k`;
  await tx.execute(
    direction === 'merge'
      ? sql`insert into memory_use (tenant_id, content_id, segment_no, served, served_at)
          select ${tenantId}, m.content_id, m.k, m.served, m.served_at from (${uses}) m order by m.content_id, m.k
          on conflict (tenant_id, content_id, segment_no) do update set
            served = memory_use.served + excluded.served, served_at = greatest(memory_use.served_at, excluded.served_at)`
      : sql`update memory_use u set served = greatest(0, u.served - m.served) from (${uses}) m
          where u.tenant_id = ${tenantId} and u.content_id = m.content_id and u.segment_no = m.k`,
  );
}
