import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { segmentsOf } from './capacity.ts';
import type { Content } from './rows.ts';

/** A segment as an export writes it. */
export interface ExportedSegment {
  segmentNo: number;
  sourceText: string;
  targetText: string;
  tuid: string | null;
  /** ISO 8601 in UTC. */
  changedAt: string | null;
}

/** Segments of one page at most: of the first one, which the reader waits for, and of the others. */
const segmentsOfPage = { first: 100, next: 1000 };

/** Bytes of the texts of one page, unless its only segment has more. */
export const bytesOfPage = 262_144;

/**
 * The segments of a content behind one, in the store's order, a page of them: what is held of an export that nobody reads is
 * bounded by bytes, since a segment may be long. A pair that was learned is known by its job (B 4.5 tuid).
 */
export async function selectSegments(
  tx: Tx,
  { tenantId, contentId }: Content,
  after: number,
  place: keyof typeof segmentsOfPage,
): Promise<ExportedSegment[]> {
  // octet_length asks no text that is stored out of line: what is cut off is not read.
  const rows = await tx.execute<{
    no: string;
    source: string;
    target: string;
    tuid: string | null;
    changed: string | null;
  }>(sql`
      select segment_no as no, source_text as source, target_text as target, coalesce(tuid, job_id) as tuid,
        to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed
      from (
        select *, row_number() over stored as place,
          sum(octet_length(source_text) + octet_length(target_text) + coalesce(octet_length(tuid), 0))
            over stored as bytes
        from (
          select segment_no, source_text, target_text, tuid, changed_at, job_id from memory_segments
          where tenant_id = ${tenantId} and content_id = ${contentId} and segment_no > ${after}
          order by segment_no limit ${sql.raw(String(segmentsOfPage[place]))}
        ) following
        window stored as (order by segment_no rows unbounded preceding)
      ) measured
      where place = 1 or bytes <= ${sql.raw(String(bytesOfPage))}
      order by segment_no`);
  return rows.map(({ no, source, target, tuid, changed }) => ({
    segmentNo: Number(no),
    sourceText: source,
    targetText: target,
    tuid,
    changedAt: changed,
  }));
}

/**
 * Behind which segment an export begins that writes the newest `most`; undefined where there are none.
 * The last of an export is told beforehand: what comes while it is sent stays out.
 */
export async function selectExportRange(
  tx: Tx,
  { tenantId, contentId }: Content,
  most: number,
): Promise<{ after: number; last: number } | undefined> {
  // The oldest are skipped, which are few if any: from the newest on, as many as are exported would be gone through first.
  const ofContent = sql`tenant_id = ${tenantId} and content_id = ${contentId}`;
  const count = segmentsOf(sql`${tenantId}`, sql`${contentId}`);
  const [row] = await tx.execute<{ after: string | null; last: string | null }>(sql`
    select (select segment_no from memory_segments where ${ofContent} order by segment_no desc limit 1) as last,
      case when skipped > 0 then (select segment_no from memory_segments
        where ${ofContent} order by segment_no offset skipped - 1 limit 1) end as after
    from (select ${count} - ${most}::bigint as skipped) counted`);
  if (!row || row.last === null) return undefined;
  return { after: Number(row.after ?? 0), last: Number(row.last) };
}
