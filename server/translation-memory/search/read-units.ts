import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { NumberedPlace } from '#server/paging.ts';
import type { SetRow } from '../sets.ts';
import { storedTuid } from '../tuid.ts';
import type { RemainingSets } from './searched-sets.ts';

/** A stored unit, with its set. */
export interface FoundUnit {
  set: SetRow;
  segmentNo: number;
  sourceText: string;
  targetText: string;
  tuid: string | null;
  /** ISO 8601 in UTC, to the second; null if the unit has none of its own. */
  changedAt: string | null;
}

/** What to look for in the units. */
export interface UnitQuery {
  /** The most units of the page. */
  limit: number;
  /** On the columns `source_text` and `target_text`; undefined if every unit fits. */
  condition: SQL | undefined;
  /** Whether a unit that fits the condition belongs into the page. By default, all do. */
  keep?: ((unit: FoundUnit) => boolean) | undefined;
}

export interface UnitPage {
  units: FoundUnit[];
  /** Where the next page begins; null at the end. A page with a next one may have fewer units than its limit, even none. */
  next: NumberedPlace | null;
}

/** The most bytes of text of a page, unless its only unit is longer. */
const bytesOfPage = 262_144;

/**
 * The most that one page looks through. No index serves a search for a part of a text, so it reads the units in their stored order:
 * 50,000 of 160 bytes take 0.1 s, and a memory of a million takes twenty pages. Each statement reads a slice, so that a frequent word
 * is found at once.
 */
const most = { units: 50_000, bytes: 16_000_000, slices: 50 };
const slice = { units: 5000, bytes: 4_000_000 };
/** The most units of a slice that are read to find out which belong into the page. */
const mostToKeep = 1000;

/** Returns the next units that fit, in the order of the sets and in their stored order: that of the file, or of approval. */
export async function readUnits(
  tx: Tx,
  tenantId: string,
  { sets, after }: RemainingSets,
  { limit, condition, keep }: UnitQuery,
): Promise<UnitPage> {
  const units: FoundUnit[] = [];
  const work = { units: 0, bytes: 0, slices: 0 };
  let pageBytes = 0;
  // One more unit than asked for shows whether there is a next page.
  const wanted = keep ? mostToKeep : limit + 1;
  for (const [index, set] of sets.entries()) {
    const place = { versionId: set.versionId, after: index === 0 ? after : 0 };
    for (;;) {
      if (work.units >= most.units || work.bytes >= most.bytes || work.slices >= most.slices)
        return { units, next: place };
      const read = await readSlice(tx, tenantId, { set, after: place.after, most: wanted, condition });
      for (const unit of read.units) {
        if (!keep || keep(unit)) {
          const bytes = Buffer.byteLength(unit.sourceText) + Buffer.byteLength(unit.targetText);
          if (units.length === limit || (units.length > 0 && pageBytes + bytes > bytesOfPage))
            return { units, next: place };
          units.push(unit);
          pageBytes += bytes;
        }
        place.after = unit.segmentNo;
      }
      work.units += read.looked;
      work.bytes += read.bytes;
      work.slices += 1;
      if (read.looked === 0) break;
      if (read.units.length < wanted) place.after = read.last;
    }
  }
  return { units, next: null };
}

interface SliceQuery {
  set: SetRow;
  after: number;
  /** The most units to return. */
  most: number;
  condition: SQL | undefined;
}

interface Slice {
  units: FoundUnit[];
  /** How many units were looked at, the bytes of their texts, and the number of the last one. */
  looked: number;
  bytes: number;
  last: number;
}

/** Looks through the units of a set that follow segment `after`. */
async function readSlice(
  tx: Tx,
  tenantId: string,
  { set, after, most, condition }: SliceQuery,
): Promise<Slice> {
  const longest = condition ? slice.units : most;
  // octet_length does not read out-of-line text, so units beyond the slice cost nothing.
  const rows = await tx.execute<SliceRow>(sql`
    with slice as materialized (
      select * from (
        select *, row_number() over stored as place,
          sum(octet_length(source_text) + octet_length(target_text)) over stored as bytes
        from (
          select segment_no, source_text, target_text, tuid, changed_at, job_id from memory_segments
          where tenant_id = ${tenantId} and content_id = ${set.versionId} and segment_no > ${after}
          order by segment_no limit ${longest}
        ) following
        window stored as (order by segment_no rows unbounded preceding)
      ) measured
      where place = 1 or bytes <= ${slice.bytes})
    select whole.*, segment_no as no, source_text as source, target_text as target, ${storedTuid('')} as tuid,
      to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed
    from (select count(*)::int as looked, coalesce(max(bytes), 0)::float8 as looked_bytes, max(segment_no) as last from slice) whole
    left join slice on ${condition ?? sql`true`}
    order by segment_no limit ${most}`);
  const [{ looked, looked_bytes, last }] = rows as unknown as [SliceRow];
  const units = rows.flatMap(({ no, source, target, tuid, changed }): FoundUnit[] =>
    no === null || source === null || target === null
      ? []
      : [{ set, segmentNo: Number(no), sourceText: source, targetText: target, tuid, changedAt: changed }],
  );
  return { units, looked, bytes: looked_bytes, last: Number(last ?? after) };
}

/** `no`, `source` and `target` are null in the only row of a slice in which nothing fits. */
type SliceRow = {
  looked: number;
  looked_bytes: number;
  last: string | null;
  no: string | null;
  source: string | null;
  target: string | null;
  tuid: string | null;
  changed: string | null;
};
