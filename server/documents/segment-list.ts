import { and, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { type Finding, findingView, shownFindings } from '#server/translation/findings.ts';
import { requireDocument } from './jobs.ts';
import { ofDocument } from './segments.ts';

/* The list of a document's segments, in reading order. */

const pageRectangles = z.array(z.array(z.number())).nullable().meta({
  description:
    'The rectangles that the text covers on `page`: each [left, bottom, right, top], in points, before the page is rotated. Those of a text that continues on the next page are left out there. Null for formats without fixed pages.',
});

export const documentSegment = z
  .object({
    region_id: z
      .string()
      .describe(
        'The ID of the part of the document that contains the segment. It stays the same each time the document is rendered.',
      ),
    cell_id: z
      .string()
      .nullable()
      .describe(
        'The ID of the cell, if the segment is in a table or sheet; otherwise null. It stays the same each time the document is rendered.',
      ),
    kind: z
      .string()
      .describe(
        'The kind of segment: `paragraph`, `heading`, `table_cell`, `header`, `footer`, `cell` or `text_block`.',
      ),
    page: z
      .int()
      .nullable()
      .describe('The number of the page, from 1; null for formats without fixed pages.'),
    place: z.string().meta({
      description:
        'The place of the segment in the file, as readable text: the sheet and cell, the part and paragraph, or the line and key.',
    }),
    context: z.string().nullable().meta({
      description:
        'What the file states about the segment, such as the comment of a developer or the plural form; otherwise null.',
    }),
    max_length: z
      .int()
      .nullable()
      .describe('The maximum length of the translation, as the file states it; null without a limit.'),
    length_unit: z
      .string()
      .nullable()
      .describe(
        'The unit of `max_length`: `characters`, `graphemes`, or a width in pixels such as `12px Arial`. Null without a limit, and for subtitles, where the limit is advice about characters.',
      ),
    source_rectangles: pageRectangles,
    target_rectangles: pageRectangles,
    source_text: z.string().describe('The source text of the segment.'),
    target_text: z
      .string()
      .nullable()
      .describe('The translation of the segment; null before it is translated.'),
    quality: z
      .object({
        score: z
          .int()
          .nullable()
          .describe('The quality score from 0 to 100; null if the segment has no score.'),
        needs_review: z.boolean().describe('Whether the segment needs a review.'),
        issues: z.array(z.unknown()).describe('The issues that were found in the translation; may be empty.'),
      })
      .describe('The quality of the translation.'),
    fast_path: z
      .string()
      .nullable()
      .describe(
        '`tm_exact` or `glossary_exact` if the translation memory or a glossary served the segment without a model; otherwise null.',
      ),
    corrected: z.boolean().describe('Whether a reviewer has changed the translation.'),
    confirmed_at: z.string().nullable().meta({
      format: 'date-time',
      description:
        'The time at which a reviewer confirmed this translation, ISO 8601 in UTC; null if it is not confirmed.',
    }),
    confirmed_by: z
      .string()
      .nullable()
      .describe('The reviewer who confirmed this translation; null if it is not confirmed.'),
    provenance: z.record(z.string(), z.unknown()).nullable().meta({
      description:
        'The glossary or translation memory that served the translation; null if a model translated it.',
    }),
  })
  .meta({
    id: 'DocumentSegment',
    description: 'A part of a document that is translated as a unit, such as a paragraph or a cell.',
  });

export const documentSegmentPage = z
  .object({
    segments: z.array(documentSegment).describe('The segments on this page.'),
    total: z.int().describe('The number of segments that match the filter, on all pages.'),
    next_cursor: z
      .string()
      .nullable()
      .describe('Send this value as `cursor` for the next page; null on the last page.'),
  })
  .meta({ id: 'DocumentSegmentPage', description: 'A page of segments, in reading order.' });

export const segmentQuery = z.object({
  document_id: z.string().describe('The ID of the document job.'),
  limit: z
    .int()
    .min(1)
    .max(500)
    .default(100)
    .describe('The maximum number of segments in the response: 1 to 500.'),
  cursor: z.string().max(50).optional().describe('The value of `next_cursor` on the previous page.'),
  flagged: z.boolean().optional().describe('Only segments that need a review.'),
});

type SegmentRow = typeof documentSegments.$inferSelect;

/** Only operators know which model has made a translation. */
function provenanceView(stored: Record<string, unknown> | null): Record<string, unknown> | null {
  if (stored === null) return null;
  const { model: _, repaired: __, ...provenance } = stored;
  return provenance;
}

export function segmentView(row: SegmentRow): z.infer<typeof documentSegment> {
  return {
    region_id: row.regionId,
    cell_id: row.cellId,
    kind: row.kind,
    page: row.page,
    place: row.place,
    context: row.context,
    max_length: row.maxLength,
    length_unit: row.lengthUnit,
    source_rectangles: row.sourceRectangles,
    target_rectangles: row.targetRectangles,
    source_text: row.sourceText,
    target_text: row.targetText,
    quality: {
      score: row.score,
      needs_review: row.needsReview,
      issues: shownFindings(row.issues as Finding[]).map(findingView),
    },
    fast_path: row.fastPath,
    corrected: row.corrected,
    confirmed_at: row.confirmedAt?.toISOString() ?? null,
    confirmed_by: row.confirmedBy,
    provenance: provenanceView(row.provenance as Record<string, unknown> | null),
  };
}

/**
 * Returns a page of a document's segments, in reading order. A cursor is the position of the last segment on the
 * previous page.
 * @throws AppError 404; 422 for a cursor of another listing
 */
export async function listSegments(
  tx: Tx,
  tenantId: string,
  { document_id: documentId, limit, cursor, flagged }: z.infer<typeof segmentQuery>,
): Promise<z.infer<typeof documentSegmentPage>> {
  const after = readSegmentCursor(cursor);
  await requireDocument(tx, tenantId, documentId);
  const listed = and(
    ofDocument(tenantId, documentId),
    flagged ? sql`${documentSegments.needsReview}` : undefined,
  );
  const [[count], rows] = await Promise.all([
    tx.select({ total: sql<number>`count(*)::int` }).from(documentSegments).where(listed),
    tx
      .select()
      .from(documentSegments)
      .where(and(listed, after === undefined ? undefined : gt(documentSegments.position, after)))
      .orderBy(documentSegments.position)
      .limit(limit + 1),
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    segments: page.map(segmentView),
    total: count?.total ?? 0,
    next_cursor: rows.length > limit && last ? String(last.position) : null,
  };
}

/**
 * Returns the position after which a page begins; undefined for the first page.
 * @param part the part of the request that has the cursor
 * @throws AppError 422 for a cursor of another listing
 */
export function readSegmentCursor(
  cursor: string | undefined,
  part: 'body' | 'query' = 'query',
): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw new AppError('invalid_fields', [
    {
      loc: [part, 'cursor'],
      msg: 'invalid cursor; send next_cursor from the previous page, or no cursor',
      type: 'invalid_cursor',
    },
  ]);
}
