import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Pair } from './capacity.ts';

/** A stored pair, and where it comes from. */
export interface MemoryHit {
  sourceText: string;
  targetText: string;
  setId: string;
  setName: string;
  origin: 'tmx_import' | 'golden_approved';
  tuid: string | null;
  /** ISO 8601 in UTC, to the second. */
  changedAt: string | null;
}

/** A source that is looked up: its hash in hexadecimal, and its pair. */
export interface ExactKey extends Pair {
  hash: string;
}

type HitRow = {
  source_text: string;
  target_text: string;
  set_id: string;
  name: string;
  origin: MemoryHit['origin'];
  tuid: string | null;
  changed_at: string | null;
};

/** Whose memory is looked into; null for the tenant whose credential opened the transaction: its scope says it. */
const tenantOf = (tenantId: string | null) =>
  tenantId === null ? sql`tenant_scope_from()` : sql`${tenantId}`;

/**
 * The winner of each source's stored pairs, in B 8's order: golden origin over imported, then the newest changedate, then
 * the owning set's updated_at, then the store's order. `lateral` and `offset 0`: each source goes through the index of hashes by
 * itself, whatever the planner thinks of the sets.
 */
function winnersOf(tenantId: string | null, keys: readonly ExactKey[]) {
  const asked = JSON.stringify(
    keys.map(({ hash, pairSource, pairTarget }, at) => ({ at, h: hash, s: pairSource, t: pairTarget })),
  );
  return sql`
    select k.at, w.* from json_to_recordset(${asked}::json) as k(at int, h text, s text, t text)
    cross join lateral (
      select m.source_text, m.target_text, m.set_id, g.name, g.origin, m.tuid,
        to_char(m.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed_at
      from (select * from memory_segments where tenant_id = ${tenantOf(tenantId)}
        and source_hash = decode(k.h, 'hex') offset 0) m
      join memory_sets g on g.tenant_id = m.tenant_id and g.set_id = m.set_id
      where m.pair_source = k.s and m.pair_target = k.t
      order by (g.origin = 'golden_approved') desc, m.changed_at desc nulls last, g.updated_at desc,
        m.segment_no desc
      limit 1) w`;
}

/** The winners of some sources, all in one statement; undefined where nothing is held. Its transaction's only
 * statement. */
export async function selectWinners(
  tx: Tx,
  tenantId: string,
  keys: readonly ExactKey[],
): Promise<(MemoryHit | undefined)[]> {
  return hitsOf(keys, await tx.last(tx.execute<WinnerRow>(winnersOf(tenantId, keys))));
}

/** The same, and the language pairs that there is any memory of. */
export async function selectHeld(
  tx: Tx,
  tenantId: string | null,
  keys: readonly ExactKey[],
): Promise<{ hits: (MemoryHit | undefined)[]; pairs: Pair[] }> {
  const [row] = await tx.execute<{ winners: WinnerRow[] | null; pairs: [string, string][] | null }>(sql`
    select (select json_agg(w) from (${winnersOf(tenantId, keys)}) w) as winners,
      (select json_agg(distinct jsonb_build_array(pair_source, pair_target)) from memory_sets
        where tenant_id = ${tenantOf(tenantId)}) as pairs`);
  return {
    hits: hitsOf(keys, row?.winners ?? []),
    pairs: (row?.pairs ?? []).map(([pairSource, pairTarget]) => ({ pairSource, pairTarget })),
  };
}

type WinnerRow = HitRow & { at: number };

function hitsOf(keys: readonly ExactKey[], rows: Iterable<WinnerRow>): (MemoryHit | undefined)[] {
  const hits: (MemoryHit | undefined)[] = keys.map(() => undefined);
  for (const row of rows) hits[row.at] = hitOf(row);
  return hits;
}

function hitOf(row: HitRow): MemoryHit {
  return {
    sourceText: row.source_text,
    targetText: row.target_text,
    setId: row.set_id,
    setName: row.name,
    origin: row.origin,
    tuid: row.tuid,
    changedAt: row.changed_at,
  };
}
