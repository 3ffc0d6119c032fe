import { and, eq, gt, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { requireDocument } from '#server/documents/jobs.ts';
import { documentSegment, readSegmentCursor } from '#server/documents/segment-list.ts';
import { ofDocument } from '#server/documents/segments.ts';
import { type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { ofDocumentJob } from './segment-schema.ts';

export const boxQuery = z.object({
  ...ofDocumentJob,
  page: z.int().min(1).max(2_147_483_647).optional().meta({
    description: 'Only segments on this page, slide or sheet, counted from 1. If omitted, all pages.',
  }),
  limit: z.int().min(1).max(2000).default(1000).describe('The maximum number of segments in the response.'),
  cursor: z.string().max(50).optional().describe('The value of `next_cursor` in the previous response.'),
});

const part = z
  .string()
  .describe(
    'The part of the file that contains the segment: the main text, a header, a footer, the notes or comments, or a chart.',
  );

const object = z
  .string()
  .optional()
  .describe(
    'The object in this part that contains the segment, such as `footnote 3` or `text box 2`. Its paragraphs and tables have their own numbers. Absent outside of such objects.',
  );

const anchor = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('page').describe('The segment is on a page of a PDF.'),
      page: z.int().describe('The number of the page, from 1.'),
    })
    .meta({ description: 'A place in a PDF. The rectangles of the segment have its place on the page.' }),
  z
    .object({
      type: z.literal('paragraph').describe('The segment is a paragraph of a DOCX or ODT file.'),
      part,
      object,
      paragraph: z.int().describe('The number of the paragraph in this part, from 1.'),
    })
    .meta({
      description:
        'A paragraph in a DOCX file. Empty paragraphs are counted too, but not paragraphs in tables.',
    }),
  z
    .object({
      type: z.literal('table_cell').describe('The segment is a paragraph in a table of a DOCX or ODT file.'),
      part,
      object,
      table: z.int().describe('The number of the table in this part, from 1.'),
      row: z.int().describe('The number of the row, from 1.'),
      column: z.int().describe('The number of the column, from 1.'),
      paragraph: z.int().describe('The number of the paragraph in the cell, from 1.'),
    })
    .meta({
      description:
        'A paragraph in a table of a DOCX file. Tables are counted in the order in which they begin, including tables inside other tables.',
    }),
  z
    .object({
      type: z.literal('sheet_cell').describe('The segment is a cell of an XLSX or ODS file.'),
      sheet: z.string().describe('The name of the sheet.'),
      cell: z.string().describe('The reference of the cell, such as B7.'),
    })
    .meta({ description: 'A cell in an XLSX or ODS file.' }),
  z
    .object({
      type: z.literal('slide').describe('The segment is in a PPTX or ODP file.'),
      place: z
        .string()
        .describe(
          'The slide, layout or master and the place in it, such as `slide 3, table 1, row 2, cell 1`.',
        ),
    })
    .meta({
      description: 'A place in a PPTX file. The rectangle of the segment is that of its shape on the slide.',
    }),
  z
    .object({
      type: z.literal('line').describe('The segment is in a file that consists of text, such as JSON.'),
      place: z.string().describe('The line and the key of the segment, such as `line 4, menu.open`.'),
    })
    .meta({ description: 'A place in a text file.' }),
  z
    .object({
      type: z
        .literal('sheet_object')
        .describe('The segment is in a comment, a shape or a chart of an XLSX file.'),
      object: z.string().describe('The sheet and the object, such as `Sheet1, chart 2`.'),
    })
    .meta({ description: 'An object in an XLSX file.' }),
  z
    .object({
      type: z.literal('object').describe('The segment is outside the paragraphs of a DOCX or ODT file.'),
      part,
      object: z.string().describe('The object in this part, such as `tip of a link 1`.'),
    })
    .meta({ description: 'Words in a field, a form control or a link of a DOCX or ODT file.' }),
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
    position: z.int().describe('The position of the segment in the document, from 0.'),
    needs_review: z.boolean().describe('Whether the segment needs a review.'),
    anchor: anchor.describe('The place of the segment in the file.'),
  });

export const segmentBoxPage = z.object({
  boxes: z.array(segmentBox).meta({ description: 'The segments, in reading order.' }),
  translated_artifact_id: z.string().nullable().meta({
    description:
      'The ID of the translated file to which `target_rectangles` refer; null if there is no such file or no rectangle.',
  }),
  next_cursor: z
    .string()
    .nullable()
    .describe('Send this value as `cursor` for the next page; null on the last page.'),
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
  const after = readSegmentCursor(cursor, 'body');
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
        after === undefined ? undefined : gt(documentSegments.position, after),
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
  kind: string;
  place: string;
  cell_id: string | null;
  page: number | null;
}

/**
 * A place in a Word file: `word/header1.xml, table 2, row 1, cell 3, paragraph 4, text 2`, or
 * `word/footnotes.xml, footnote 3, paragraph 1`.
 */
const wordPlace =
  /^(.*?)((?:, (?:text box|content control|footnote|endnote|comment|chart|copy) \d+)*), (?:paragraph (\d+)|table (\d+), row (\d+), cell (\d+)(?:, paragraph (\d+))?)(?:, text \d+)?$/s;

/** Returns the place of a segment in the file, from the segment's key and the place that the file format reports. */
function anchorOf(format: LayoutKind, { kind, place, cell_id, page }: Place): Anchor {
  const { places } = layoutKinds[format];
  if (places === 'line' || places === 'slide') return { type: places, place };
  if (places === 'sheet')
    return kind === 'cell' && cell_id !== null
      ? { type: 'sheet_cell', sheet: place.slice(0, -cell_id.length - 1), cell: cell_id }
      : { type: 'sheet_object', object: place };
  if (places === 'page' && page !== null) return { type: 'page', page };
  const [, part, objects, paragraph, table, row, column, inCell = '1'] = wordPlace.exec(place) ?? [];
  if (part === undefined) {
    const [named = '', ...object] = place.split(', ');
    return { type: 'object', part: named, object: object.join(', ') };
  }
  const at = { part, ...(objects && { object: objects.slice(2) }) };
  if (table === undefined) return { type: 'paragraph', ...at, paragraph: Number(paragraph) };
  return {
    type: 'table_cell',
    ...at,
    table: Number(table),
    row: Number(row),
    column: Number(column),
    paragraph: Number(inCell),
  };
}
