import { eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { SegmentKind } from '#server/formats/document.ts';
import { hasText, searchedText } from '#server/http/text-search.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import {
  ofDocument,
  readSegmentCursor,
  segmentStatuses,
  statusOfSegment,
} from '#server/translation/documents/segments.ts';
import { ofDocumentJob, positionedSegment, selectSegments } from './segment-schema.ts';

const kinds = [
  'paragraph',
  'heading',
  'table_cell',
  'header',
  'footer',
  'cell',
  'text_block',
] as const satisfies readonly SegmentKind[];

/** The maximum of PostgreSQL's type integer. */
const maxPosition = 2_147_483_647;
const position = z.int().min(0).max(maxPosition);

/** Maximum length of a region's or cell's ID, in UTF-16 units. */
const maxIdLength = 500;

export const segmentSearch = z.object({
  ...ofDocumentJob,
  flagged: z.boolean().optional().meta({ description: 'whether it needs a review' }),
  corrected: z.boolean().optional().describe('Whether a reviewer has changed it.'),
  confirmed: z.boolean().optional().describe('Whether a reviewer has confirmed it unchanged.'),
  status: z.enum(segmentStatuses).optional().describe('Its review status.'),
  kind: z.enum(kinds).optional().describe('The kind of segment.'),
  page: z.int().min(1).max(maxPosition).optional().meta({ description: 'the page or sheet, from 1' }),
  unit_id: z.string().min(1).max(maxIdLength).optional().meta({
    description:
      'Only segments with this region ID or cell ID, as in findings. In a workbook, several sheets may have the same cell ID.',
  }),
  text: searchedText.optional(),
  text_in: z
    .enum(['source', 'target', 'either'])
    .default('either')
    .describe('Which side of the segments is searched for `text`.'),
  limit: z.int().min(1).max(500).default(100).describe('The maximum number of segments on a page.'),
  cursor: z.string().max(50).optional().describe('The value of `next_cursor` on the previous page.'),
  position: position
    .optional()
    .meta({ description: 'The page begins with the first match at or after this position in the document.' }),
  offset: position.optional().meta({ description: 'The number of matches to skip.' }),
});

type SegmentSearch = z.infer<typeof segmentSearch>;

export const segmentSearchPage = z.object({
  segments: z.array(positionedSegment).describe('The matching segments, in reading order.'),
  total: z.int().meta({ description: 'The number of matches on all pages.' }),
  first_index: z.int().meta({ description: 'The number of matches on previous pages.' }),
  next_cursor: z
    .string()
    .nullable()
    .describe('Send this value as `cursor` for the next page; null on the last page.'),
});

/** The place of a page among all matches. */
interface Page {
  total: number;
  firstIndex: number;
  /** Positions of the page's segments, followed by the position of the next segment if there is one. */
  positions: number[];
}

/**
 * Returns a page of the document's segments that pass all filters, in reading order, and the page's place among all
 * matches. So a virtual list can show any part of the matches without loading the parts before it. A page begins after
 * a cursor, at a position in the document, or at an index in the matches.
 * @throws AppError 404; 422 for a cursor of another listing, or if the request contains two beginnings
 */
export async function searchSegments(
  tx: Tx,
  tenantId: string,
  search: SegmentSearch,
): Promise<z.infer<typeof segmentSearchPage>> {
  const { document_id: documentId, limit } = search;
  const from = beginningOf(search);
  const { segments } = await requireDocument(tx, tenantId, documentId);
  const filters = filtersOf(search);
  const page =
    filters.length === 0
      ? pageOfAll(segments, from, limit)
      : await selectPage(
          tx,
          sql.join([ofDocument(tenantId, documentId), ...filters], sql` and `),
          from,
          limit,
        );
  const listed = page.positions.slice(0, limit);
  return {
    segments: await selectSegments(tx, tenantId, documentId, listed),
    total: page.total,
    first_index: page.firstIndex,
    next_cursor: page.positions.length > limit ? String(listed.at(-1)) : null,
  };
}

/** The beginning of a page: a position, or a number of matches to skip. */
type Beginning = { position: number } | { offset: number };

function beginningOf({ cursor, position, offset }: SegmentSearch): Beginning {
  if ([cursor, position, offset].filter((one) => one !== undefined).length > 1)
    throw new AppError('invalid_fields', [
      { loc: ['body'], msg: 'send only one of cursor, position and offset', type: 'several_beginnings' },
    ]);
  if (offset !== undefined) return { offset };
  const after = readSegmentCursor(cursor, 'body');
  return { position: after === undefined ? (position ?? 0) : after + 1 };
}

function filtersOf(search: SegmentSearch): SQL[] {
  const { flagged, corrected, confirmed, status, kind, page, unit_id, text, text_in } = search;
  const { needsReview, regionId, cellId, sourceText, targetText } = documentSegments;
  const searched = { source: [sourceText], target: [targetText], either: [sourceText, targetText] }[text_in];
  return [
    // Written exactly like the condition of the partial index, so that PostgreSQL uses it.
    ...(flagged === undefined ? [] : [flagged ? sql`${needsReview}` : sql`not ${needsReview}`]),
    ...(corrected === undefined ? [] : [eq(documentSegments.corrected, corrected)]),
    ...(confirmed === undefined
      ? []
      : [confirmed ? isNotNull(documentSegments.confirmedAt) : isNull(documentSegments.confirmedAt)]),
    ...(status === undefined ? [] : [sql`${statusOfSegment} = ${status}`]),
    ...(kind === undefined ? [] : [eq(documentSegments.kind, kind)]),
    ...(page === undefined ? [] : [eq(documentSegments.page, page)]),
    ...(unit_id === undefined ? [] : [or(eq(regionId, unit_id), eq(cellId, unit_id)) as SQL]),
    ...(text === undefined
      ? []
      : [or(...searched.map((column) => hasText(sql`${column}`, text, 'contains'))) as SQL]),
  ];
}

/** Without filters, nothing has to be counted: the positions are 0, 1, 2 and so on. */
function pageOfAll(total: number, from: Beginning, limit: number): Page {
  const firstIndex = Math.min('offset' in from ? from.offset : from.position, total);
  const length = Math.min(limit + 1, total - firstIndex);
  return { total, firstIndex, positions: Array.from({ length }, (_, index) => firstIndex + index) };
}

/** Reads the document's segments once, both for the count and for the page. */
async function selectPage(tx: Tx, condition: SQL, from: Beginning, limit: number): Promise<Page> {
  const start =
    'position' in from
      ? sql`${from.position}::int`
      : sql`coalesce((select position from matches order by position offset ${from.offset} limit 1), ${maxPosition})`;
  const [page] = await tx.execute<{ total: number; first_index: number; positions: number[] }>(sql`
    with matches as materialized (select position from document_segments where ${condition}),
    start as materialized (select ${start} as position)
    select count(*)::int as total,
      count(*) filter (where position < (select position from start))::int as first_index,
      to_json(array(select position from matches where position >= (select position from start)
        order by position limit ${limit + 1})) as positions
    from matches`);
  if (!page) throw new Error('the database returned no count');
  return { total: page.total, firstIndex: page.first_index, positions: page.positions };
}
