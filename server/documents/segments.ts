import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import type { RebuiltDocument, SegmentTranslation } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { type Finding, findingView, hasOpen, isOpenCritical } from '#server/translation/findings.ts';

/* The segments of a document in the database: which ones a statement is about, and their status. */

/** Matches the segments at these positions. They are passed as one parameter, whatever their number. */
export function isAtOneOf(positions: readonly number[]): SQL {
  return sql`${documentSegments.position} = any(array(
    select json_array_elements_text(${JSON.stringify(positions)}::json)::int))`;
}

/** Matches the segments of one document by tenant and ID. The row-level policy is only the second line of defense. */
export function ofDocument(tenantId: string, documentId: string) {
  return and(eq(documentSegments.tenantId, tenantId), eq(documentSegments.documentId, documentId));
}

/** Returns what the model gets to know about a segment: its key in a text file, and its context. */
export function noteOf(place: string, context: string | null): string | null {
  const [, key] = /^line \d+, (.+)$/s.exec(place) ?? [];
  return [key && `key ${key}`, context].filter(Boolean).join('; ') || null;
}

/** SQL: whether a segment is flagged and no reviewer has confirmed its translation. */
export const isUnresolved = sql`(${documentSegments.needsReview} and ${documentSegments.confirmedAt} is null)`;

/** The review status of a segment, as reviewers see it. */
export const segmentStatuses = ['todo', 'draft', 'confirmed', 'warning', 'critical'] as const;
export type SegmentStatus = (typeof segmentStatuses)[number];

/**
 * SQL: the review status of a segment. A confirmed segment is `confirmed`, whatever its findings are. Otherwise its worst
 * open finding counts, and then whether a reviewer has changed it.
 */
export const statusOfSegment = sql<SegmentStatus>`(case
  when ${documentSegments.confirmedAt} is not null then 'confirmed'
  when ${hasOpen(documentSegments.issues, { severity: 'critical' })} then 'critical'
  when ${documentSegments.needsReview} or ${hasOpen(documentSegments.issues)} then 'warning'
  when ${documentSegments.corrected} then 'draft'
  else 'todo' end)`;

/** SQL: whether a segment has open critical findings that no reviewer has confirmed. */
const isCritical = sql`${statusOfSegment} = 'critical'`;

/** Maximum number of segments that an error lists. */
const maxNamed = 100;

/**
 * Returns the segments of a document with open critical findings that no reviewer has confirmed, in reading order; only the
 * first ones if there are many.
 */
export async function selectCritical(tx: Tx, tenantId: string, documentId: string) {
  const rows = await tx
    .select({
      position: documentSegments.position,
      region_id: documentSegments.regionId,
      cell_id: documentSegments.cellId,
      place: documentSegments.place,
      issues: documentSegments.issues,
    })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), isCritical))
    .orderBy(documentSegments.position)
    .limit(maxNamed);
  return rows.map(({ issues, ...segment }) => ({
    ...segment,
    issues: (issues as Finding[]).filter(isOpenCritical).map(findingView),
  }));
}

/** Returns the translations of a document in reading order, as a file is rendered with them. */
export async function selectTranslations(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<SegmentTranslation[]> {
  const { regionId, cellId, target, position } = documentSegments;
  const rows = await tx
    .select({ regionId, cellId, target, needsReview: isUnresolved.mapWith(Boolean) })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), isNotNull(target)))
    .orderBy(position);
  return rows.map((row) => ({ ...row, target: row.target as InlineContent }));
}

/** Number of rows in one UPDATE. */
const rowsOfStatement = 5000;

/** Stores where each translation is placed in a new translated file. */
export async function storeTargetRectangles(
  tx: Tx,
  tenantId: string,
  documentId: string,
  rectangles: RebuiltDocument['rectangles'] = [],
): Promise<void> {
  for (let start = 0; start < rectangles.length; start += rowsOfStatement) {
    const rows = rectangles
      .slice(start, start + rowsOfStatement)
      .map(({ regionId, rectangles: places }) => ({ region_id: regionId, places }));
    await tx.execute(sql`
      update document_segments s set target_rectangles = r.places
      from json_to_recordset(${JSON.stringify(rows)}::json) as r(region_id text, places jsonb)
      where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.region_id = r.region_id
        and s.cell_id is null and s.target_rectangles is distinct from r.places`);
  }
}
