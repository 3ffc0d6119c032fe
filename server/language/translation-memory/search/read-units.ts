import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { NumberedPlace } from '#server/http/paging.ts';
import type { SetRow } from '../sets.ts';
import { storedTuid } from '../tuid.ts';
import type { RemainingSets } from './searched-sets.ts';

/** A stored segment, with its set. */
export interface FoundUnit {
  set: SetRow;
  segmentNo: number;
  sourceText: string;
  targetText: string;
  tuid: string | null;
  /** Time of the last change, ISO 8601 in UTC, to the second; null if the segment has none. */
  changedAt: string | null;
}

/** A search for segments. */
export interface UnitQuery {
  /** Maximum number of segments on the page. */
  limit: number;
  /** Condition on the columns `source_text` and `target_text`; undefined if every segment matches. */
  condition: SQL | undefined;
  /** Whether a segment that matches the condition belongs on the page. By default, all do. */
  keep?: ((unit: FoundUnit) => boolean) | undefined;
}

export interface UnitPage {
  units: FoundUnit[];
  /**
   * The start of the next page; null at the end. If there is a next page, this page may have fewer segments than the
   * limit, even none.
   */
  next: NumberedPlace | null;
}

/** Maximum number of bytes of text on a page, unless its only segment is longer. */
const bytesOfPage = 262_144;

/**
 * Maximum amount that one page reads. No index supports a search for a part of a text, so the segments are read in
 * their stored order: 50,000 of 160 bytes take 0.1 s, and a TM of a million takes twenty pages.
 */
const limits = { units: 50_000, bytes: 16_000_000, statements: 50 };

/** Maximum number of segments that a statement returns if `keep` decides which of them belong on the page. */
const maxKept = 1000;

/**
 * Returns the next matching segments, in the order of the sets and then in stored order: the order of the file, or of
 * approval.
 */
export async function readUnits(
  tx: Tx,
  tenantId: string,
  { sets, after }: RemainingSets,
  { limit, condition, keep }: UnitQuery,
): Promise<UnitPage> {
  const units: FoundUnit[] = [];
  const left = { ...limits };
  let bytesLeft = bytesOfPage;
  for (const [index, set] of sets.entries()) {
    const place = { versionId: set.versionId, after: index === 0 ? after : 0 };
    for (let isEnd = false; !isEnd; ) {
      if (left.units <= 0 || left.bytes <= 0 || left.statements <= 0) return { units, next: place };
      const looked = await lookThrough(tx, tenantId, {
        set,
        after: place.after,
        left,
        condition,
        // Read one segment more than the limit: if it exists, there is a next page.
        max: keep ? maxKept : limit + 1,
      });
      for (const { unit, fits } of looked) {
        if (fits && (!keep || keep(unit))) {
          const bytes = Buffer.byteLength(unit.sourceText) + Buffer.byteLength(unit.targetText);
          if (units.length === limit || (units.length > 0 && bytes > bytesLeft))
            return { units, next: place };
          units.push(unit);
          bytesLeft -= bytes;
        }
        place.after = unit.segmentNo;
      }
      const last = looked.at(-1);
      left.units -= last?.looked ?? 0;
      left.bytes -= last?.bytes ?? 0;
      left.statements -= 1;
      isEnd = last?.isLast ?? true;
    }
  }
  return { units, next: null };
}

/** A matching segment, or the last one that was read. */
interface ReadUnit {
  unit: FoundUnit;
  fits: boolean;
  /** Number of segments read so far, and the bytes of their texts. */
  looked: number;
  bytes: number;
  /** Whether this is the last segment of its set. */
  isLast: boolean;
}

/**
 * Reads the segments of a set after segment `after`, until `max` are found or the amount in `left` is used up.
 * PostgreSQL stops reading when it has found them, so a search for a frequent word is fast.
 */
async function lookThrough(
  tx: Tx,
  tenantId: string,
  {
    set,
    after,
    left,
    condition = sql`true`,
    max,
  }: {
    set: SetRow;
    after: number;
    left: { units: number; bytes: number };
    condition: SQL | undefined;
    max: number;
  },
): Promise<ReadUnit[]> {
  // octet_length does not read values that are stored outside of the row, so segments beyond the limits cost nothing.
  const rows = await tx.execute<UnitRow>(sql`
    select segment_no as no, source_text as source, target_text as target, ${storedTuid('')} as tuid,
      to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed,
      (${condition}) as fits, looked::int, bytes::float8, following is null and looked < ${left.units} as is_last
    from (
      select *, row_number() over stored as looked, sum(size) over stored as bytes,
        lead(segment_no) over stored as following
      from (
        select segment_no, source_text, target_text, tuid, changed_at, job_id,
          octet_length(source_text) + octet_length(target_text) as size
        from memory_segments
        where tenant_id = ${tenantId} and content_id = ${set.versionId} and segment_no > ${after}
        order by segment_no limit ${left.units}
      ) rest
      window stored as (order by segment_no rows unbounded preceding)
    ) measured
    where bytes - size < ${left.bytes} and ((${condition}) or following is null or bytes >= ${left.bytes})
    order by segment_no limit ${max}`);
  return rows.map(({ no, source, target, tuid, changed, fits, looked, bytes, is_last }) => ({
    unit: {
      set,
      segmentNo: Number(no),
      sourceText: source,
      targetText: target,
      tuid,
      changedAt: changed,
    },
    fits,
    looked,
    bytes,
    isLast: is_last,
  }));
}

type UnitRow = {
  no: string;
  source: string;
  target: string;
  tuid: string | null;
  changed: string | null;
  fits: boolean;
  looked: number;
  bytes: number;
  is_last: boolean;
};
