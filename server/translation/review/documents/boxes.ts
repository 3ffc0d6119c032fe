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
    .meta({ description: 'or the sheet; all if it is omitted' }),
  limit: z.int().min(1).max(2000).default(1000).describe('Segments of a response.'),
  cursor: z.string().max(50).optional().describe('The next_cursor of the response before.'),
});

const anchor = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('page').describe('A page of a PDF.'), page: z.int().describe('From 1.') })
    .meta({ description: 'PDF: see the rectangles' }),
  z
    .object({
      type: z.literal('paragraph').describe('A paragraph of a DOCX.'),
      part: z.string().describe('The part of the file: the body, a header, a footer.'),
      paragraph: z.int().describe('From 1, in its part.'),
    })
    .meta({ description: 'DOCX: counts from 1 in its part, empty ones too, those in tables not' }),
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
        'DOCX: each counts from 1; tables in the part, nested ones too, in the order of their beginnings',
    }),
  z
    .object({
      type: z.literal('sheet_cell').describe('A cell of an XLSX.'),
      sheet: z.string().describe('The name of the sheet.'),
      cell: z.string().describe('A reference: B7.'),
    })
    .meta({ description: 'XLSX: the name of the sheet, and a reference like B7' }),
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
    position: z.int().describe('In the document, from 0.'),
    needs_review: z.boolean().describe('Whether a person must look at it.'),
    anchor: anchor.describe('Where it stands in a file of its format.'),
  });

export const segmentBoxPage = z.object({
  boxes: z.array(segmentBox).meta({ description: 'in reading order' }),
  translated_artifact_id: z.string().nullable().meta({
    description: 'the file that target_rectangles are of; null if there is none, or no box',
  }),
  next_cursor: z.string().nullable().describe('Continues the list; null at its end.'),
});

/**
 * Where a document's file shows its segments, without their texts. A file that is rendered again has other rectangles, so the response names
 * the file that they belong to.
 * @throws AppError 404; 422 for a cursor of another listing
 */
export async function listBoxes(
  tx: Tx,
  tenantId: string,
  { document_id: documentId, page, limit, cursor }: z.infer<typeof boxQuery>,
): Promise<z.infer<typeof segmentBoxPage>> {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor))
    throw new AppError('invalid_fields', [
      { loc: ['body', 'cursor'], msg: 'not a cursor of this listing', type: 'invalid_cursor' },
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
      // In the same statement: a review between two would give one file's rectangles with the id of another.
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

/** A place of a Word file as its format writes it: `word/header1.xml, table 2, row 1, cell 3, paragraph 4`. */
const wordPlace = /^(.*?), (?:paragraph (\d+)|table (\d+), row (\d+), cell (\d+)(?:, paragraph (\d+))?)$/s;

/** Where the file has a segment, from the key and the place that its format gave it. */
function anchorOf(format: LayoutKind, { place, region_id, cell_id, page }: Place): Anchor {
  if (format === 'xlsx' && cell_id !== null)
    return { type: 'sheet_cell', sheet: place.slice(0, -cell_id.length - 1), cell: cell_id };
  if (format === 'pdf' && page !== null) return { type: 'page', page };
  const [, part, paragraph, table, row, column, inCell = '1'] = wordPlace.exec(place) ?? [];
  if (part === undefined) throw new Error(`the segment ${region_id} has no place of its format`);
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
