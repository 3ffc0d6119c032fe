import { and, eq, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { LayoutKind } from '#server/formats/document-kind.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import { documentSegment, ofDocument } from '#server/translation/documents/segments.ts';

export const boxQuery = z.object({
  document_id: z.string().describe('The document.'),
  page: z
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .meta({ description: 'the page or sheet; all if omitted' }),
  limit: z.int().min(1).max(2000).default(1000).describe('Maximum number of segments.'),
  cursor: z.string().max(50).optional().describe('The next_cursor of the previous response.'),
});

const anchor = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('page').describe('A page of a PDF.'), page: z.int().describe('From 1.') })
    .meta({ description: 'PDF: the place is in the rectangles' }),
  z
    .object({
      type: z.literal('paragraph').describe('A paragraph of a DOCX.'),
      part: z.string().describe('The part of the file: the body, a header, a footer.'),
      paragraph: z.int().describe('From 1, in its part.'),
    })
    .meta({
      description: 'DOCX: paragraphs count from 1 in the part, including empty ones, except those in tables',
    }),
  z
    .object({
      type: z.literal('table_cell').describe('A paragraph in a table of a DOCX.'),
      part: z.string().describe('The part of the file: the body, a header, a footer.'),
      table: z.int().describe('From 1, in the part.'),
      row: z.int().describe('From 1.'),
      column: z.int().describe('From 1.'),
      paragraph: z.int().describe('From 1, in the cell.'),
    })
    .meta({
      description:
        'DOCX: each counts from 1; tables, including nested ones, count in the order of their starts in the part',
    }),
  z
    .object({
      type: z.literal('sheet_cell').describe('A cell of an XLSX.'),
      sheet: z.string().describe('The name of the sheet.'),
      cell: z.string().describe('A reference: B7.'),
    })
    .meta({ description: 'XLSX: the name of the sheet, and a reference such as B7' }),
]);

type Anchor = z.infer<typeof anchor>;

const segmentBox = documentSegment
  .pick({
    region_id: true,
    cell_id: true,
    kind: true,
    page: true,
    source_rectangles: true,
    target_rectangles: true,
    corrected: true,
  })
  .extend({
    position: z.int().describe('The position in the document, from 0.'),
    needs_review: z.boolean().describe('Whether it needs a review.'),
    anchor: anchor.describe('The place in the file.'),
  });

export const segmentBoxPage = z.object({
  boxes: z.array(segmentBox).meta({ description: 'in reading order' }),
  translated_artifact_id: z.string().nullable().meta({
    description: 'the file to which target_rectangles belong; null without a file or boxes',
  }),
  next_cursor: z.string().nullable().describe('Continues the list; null at its end.'),
});

/**
 * Returns the places of segments in a document's file, without their texts. When a file is rendered again, its
 * rectangles change, so the response contains the ID of the file.
 * @throws AppError 404; 422 for a cursor of another listing
 */
export async function listBoxes(
  tx: Tx,
  tenantId: string,
  { document_id: documentId, page, limit, cursor }: z.infer<typeof boxQuery>,
): Promise<z.infer<typeof segmentBoxPage>> {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor))
    throw new AppError('invalid_fields', [
      {
        loc: ['body', 'cursor'],
        msg: 'invalid cursor; send next_cursor from the previous page, or none',
        type: 'invalid_cursor',
      },
    ]);
  const { sourceFormat } = await requireDocument(tx, tenantId, documentId);
  const rows = await tx
    .select({
      position: documentSegments.position,
      region_id: documentSegments.regionId,
      cell_id: documentSegments.cellId,
      kind: documentSegments.kind,
      page: documentSegments.page,
      place: documentSegments.place,
      source_rectangles: documentSegments.sourceRectangles,
      target_rectangles: documentSegments.targetRectangles,
      needs_review: documentSegments.needsReview,
      corrected: documentSegments.corrected,
      // The rectangles and the file's ID are read by the same statement: if a review happened between two statements,
      // the rectangles of one file would be combined with the ID of another.
      translated: sql<string | null>`(select artifact_id from document_artifacts
        where tenant_id = ${tenantId} and document_id = ${documentId} and kind = 'translated'
        order by revision desc limit 1)`,
    })
    .from(documentSegments)
    .where(
      and(
        ofDocument(tenantId, documentId),
        page === undefined ? undefined : eq(documentSegments.page, page),
        cursor === undefined ? undefined : gt(documentSegments.position, Number(cursor)),
      ),
    )
    .orderBy(documentSegments.position)
    .limit(limit + 1);
  const listed = rows.slice(0, limit);
  return {
    boxes: listed.map(({ place, translated: _, ...box }) => ({
      ...box,
      anchor: anchorOf(sourceFormat, { ...box, place }),
    })),
    translated_artifact_id: rows[0]?.translated ?? null,
    next_cursor: rows.length > limit ? String(listed.at(-1)?.position) : null,
  };
}

interface Place {
  place: string;
  region_id: string;
  cell_id: string | null;
  page: number | null;
}

/** A place in a Word file: `word/header1.xml, table 2, row 1, cell 3, paragraph 4`. */
const wordPlace = /^(.*?), (?:paragraph (\d+)|table (\d+), row (\d+), cell (\d+)(?:, paragraph (\d+))?)$/s;

/** Returns the place of a segment in the file, from the segment's key and the place that the file format reports. */
function anchorOf(format: LayoutKind, { place, region_id, cell_id, page }: Place): Anchor {
  if (format === 'xlsx' && cell_id !== null)
    return { type: 'sheet_cell', sheet: place.slice(0, -cell_id.length - 1), cell: cell_id };
  if (format === 'pdf' && page !== null) return { type: 'page', page };
  const [, part, paragraph, table, row, column, inCell = '1'] = wordPlace.exec(place) ?? [];
  if (part === undefined) throw new Error(`the segment ${region_id} has no place in its format`);
  if (table === undefined) return { type: 'paragraph', part, paragraph: Number(paragraph) };
  return {
    type: 'table_cell',
    part,
    table: Number(table),
    row: Number(row),
    column: Number(column),
    paragraph: Number(inCell),
  };
}
