import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** A segment as an export writes it. */
export interface ExportedSegment {
  segmentNo: number;
  sourceText: string;
  targetText: string;
  tuid: string | null;
  /** ISO 8601 in UTC. */
  changedAt: string | null;
}

/** Segments of one page. */
const segmentsOfPage = 1000;

/** The segments of a set behind one, in the store's order, a page of them. */
export async function selectSegments(
  tx: Tx,
  tenantId: string,
  setId: string,
  after: number,
): Promise<ExportedSegment[]> {
  const rows = await tx.execute<{
    no: string;
    source: string;
    target: string;
    tuid: string | null;
    changed: string | null;
  }>(sql`
      select segment_no as no, source_text as source, target_text as target, tuid,
        to_char(changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as changed
      from memory_segments
      where tenant_id = ${tenantId} and set_id = ${setId} and segment_no > ${after}
      order by segment_no limit ${sql.raw(String(segmentsOfPage))}`);
  return rows.map(({ no, source, target, tuid, changed }) => ({
    segmentNo: Number(no),
    sourceText: source,
    targetText: target,
    tuid,
    changedAt: changed,
  }));
}

/**
 * Behind which segment an export begins that writes the newest `most`; undefined where the set has no segments.
 * The last of an export is told beforehand: what comes while it is sent stays out.
 */
export async function selectExportRange(
  tx: Tx,
  tenantId: string,
  setId: string,
  most: number,
): Promise<{ after: number; last: number } | undefined> {
  const [row] = await tx.execute<{ after: string | null; last: string | null }>(sql`
    select max(segment_no) as last, (select segment_no from memory_segments
        where tenant_id = ${tenantId} and set_id = ${setId} order by segment_no desc offset ${most} limit 1) as after
    from memory_segments where tenant_id = ${tenantId} and set_id = ${setId}`);
  if (!row || row.last === null) return undefined;
  return { after: Number(row.after ?? 0), last: Number(row.last) };
}
