import { and, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { requireDocument } from '#server/documents/jobs.ts';
import { readSegmentCursor } from '#server/documents/segment-list.ts';
import {
  isAtOneOf,
  isUnresolved,
  ofDocument,
  type SegmentStatus,
  segmentStatuses,
  statusOfSegment,
} from '#server/documents/segments.ts';
import { AppError } from '#server/errors.ts';
import type { SegmentKind } from '#server/formats/document.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { hasText, searchedText } from '#server/http/text-search.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import type { SearchedTexts } from '#server/platform/patterns/pattern-thread.ts';
import { hasOpen } from '#server/translation/findings.ts';
import { findPattern, maxSearchedUnits, searchPattern, unsearchable } from './pattern.ts';
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

const categories = [
  'accuracy',
  'fluency',
  'terminology',
  'style',
  'locale',
] as const satisfies readonly QualityIssue['category'][];

/**
 * How much of a translation came from the TM or a glossary: all of it, its sentences, or nothing; in between, how similar
 * the best fuzzy match of the source was. A reviewer's text has none.
 */
const matches = ['exact', 'sentences', 'from_95', 'from_85', 'from_75', 'none'] as const;

/** SQL: the band of a segment. */
const matchOfSegment = sql<(typeof matches)[number]>`(case
  when ${documentSegments.fastPath} is not null then 'exact'
  when ${documentSegments.provenance} -> 'tm_sentences' is not null then 'sentences'
  when (${documentSegments.provenance} ->> 'match')::int >= 95 then 'from_95'
  when (${documentSegments.provenance} ->> 'match')::int >= 85 then 'from_85'
  when (${documentSegments.provenance} ->> 'match')::int >= 75 then 'from_75'
  else 'none' end)`;

/** SQL: the events by which reviewers changed or confirmed segments. */
const isDecision = sql`e.undone_at is null and e.kind in ('edited', 'confirmed', 'repeated')`;

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
  category: z.enum(categories).optional().describe('Only segments with an open finding of this category.'),
  match: z.enum(matches).optional().meta({
    description:
      'The source of the translation: `exact` from the TM or a glossary, `sentences` of the TM, or a model, by the similarity of the best fuzzy match in percent. A corrected translation is `none`.',
  }),
  author: z
    .string()
    .min(1)
    .max(320)
    .optional()
    .describe('Only segments that this reviewer has changed or confirmed.'),
  pattern: searchPattern.optional(),
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
 * @param found the positions of the segments in which the pattern matches; undefined without a pattern
 * @throws AppError 404; 422 for a cursor of another listing, or if the request contains two beginnings
 */
async function searchFound(
  tx: Tx,
  tenantId: string,
  search: SegmentSearch,
  found?: readonly number[],
): Promise<z.infer<typeof segmentSearchPage>> {
  const { document_id: documentId, limit } = search;
  const from = beginningOf(search);
  const { segments } = await requireDocument(tx, tenantId, documentId);
  const filter = and(filterOf(search), found && isAtOneOf(found));
  const page = filter
    ? await selectPage(tx, sql`${ofDocument(tenantId, documentId)} and ${filter}`, from, limit)
    : pageOfAll(segments, from, limit);
  const listed = page.positions.slice(0, limit);
  return {
    segments: await selectSegments(tx, tenantId, documentId, listed),
    total: page.total,
    first_index: page.firstIndex,
    next_cursor: page.positions.length > limit ? String(listed.at(-1)) : null,
  };
}

/** Searches as `searchFound` does, and first for the pattern, which needs the texts but no transaction. */
export async function searchSegments(
  withTenant: WithTenant,
  search: SegmentSearch,
  signal: AbortSignal,
): Promise<z.infer<typeof segmentSearchPage>> {
  const { pattern } = search;
  if (pattern === undefined) return withTenant((tx, { tenant }) => searchFound(tx, tenant.id, search));
  const { tenantId, texts } = await withTenant(async (tx, { tenant }) => ({
    tenantId: tenant.id,
    texts: await selectTexts(tx, tenant.id, search),
  }));
  const found = await findPattern(pattern, texts, { tenantId, signal });
  return withTenant((tx) => searchFound(tx, tenantId, search, found));
}

/** The texts in which a pattern is searched. @throws AppError 404; 422 if they are too long */
async function selectTexts(tx: Tx, tenantId: string, search: SegmentSearch): Promise<SearchedTexts[]> {
  const { document_id: documentId, text_in } = search;
  await requireDocument(tx, tenantId, documentId);
  const { position, sourceText, targetText } = documentSegments;
  const listed = and(ofDocument(tenantId, documentId), filterOf(search));
  const units = sql<number>`coalesce(sum(length(${sourceText}) + coalesce(length(${targetText}), 0)), 0)::int`;
  const [size] = await tx.select({ units }).from(documentSegments).where(listed);
  if ((size?.units ?? 0) > maxSearchedUnits) throw unsearchable('the document has too much text');
  const rows = await tx.select({ position, sourceText, targetText }).from(documentSegments).where(listed);
  return rows.map((row) => {
    const source = text_in === 'target' ? [] : [row.sourceText];
    const target = text_in === 'source' || row.targetText === null ? [] : [row.targetText];
    return [row.position, ...source, ...target];
  });
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

function filterOf(search: SegmentSearch): SQL | undefined {
  const { flagged, corrected, confirmed, status, kind, page, unit_id, text, text_in } = search;
  const { category, match, author } = search;
  const { needsReview, regionId, cellId, sourceText, targetText } = documentSegments;
  const searched = { source: [sourceText], target: [targetText], either: [sourceText, targetText] }[text_in];
  const isConfirmed = confirmed ? isNotNull : isNull;
  return and(
    // Written exactly like the condition of the partial index, so that PostgreSQL uses it.
    flagged === undefined ? undefined : flagged ? sql`${needsReview}` : sql`not ${needsReview}`,
    corrected === undefined ? undefined : eq(documentSegments.corrected, corrected),
    confirmed === undefined ? undefined : isConfirmed(documentSegments.confirmedAt),
    status && sql`${statusOfSegment} = ${status}`,
    kind && eq(documentSegments.kind, kind),
    category && hasOpen(documentSegments.issues, { category }),
    match && sql`${matchOfSegment} = ${match}`,
    author === undefined
      ? undefined
      : sql`${documentSegments.position} in (select e.position from segment_events e
          where e.tenant_id = ${documentSegments.tenantId} and e.document_id = ${documentSegments.documentId}
            and e.actor = ${author} and ${isDecision})`,
    page === undefined ? undefined : eq(documentSegments.page, page),
    unit_id === undefined ? undefined : or(eq(regionId, unit_id), eq(cellId, unit_id)),
    text === undefined
      ? undefined
      : or(...searched.map((column) => hasText(sql`${column}`, text, 'contains'))),
  );
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

export const outlineQuery = z.object({
  ...ofDocumentJob,
  with_options: z.boolean().default(false).describe('Whether `options` is counted, too.'),
});

const counts = {
  segments: z.int().describe('The number of segments.'),
  flagged: z.int().meta({ description: 'The number of segments that need a review and are not confirmed.' }),
  corrected: z.int().describe('The number of segments that a reviewer has changed.'),
};

export const documentOutline = z.object({
  ...counts,
  options: z
    .object({
      categories: z
        .array(
          z.object({
            category: z.enum(categories).describe('The category.'),
            segments: z.int().describe('Segments with an open finding of it.'),
          }),
        )
        .describe('The number of segments with open findings of each category.'),
      matches: z
        .array(
          z.object({
            match: z.enum(matches).describe('The TM match.'),
            segments: z.int().describe('Segments with such a match.'),
          }),
        )
        .describe('The number of segments of each source of translations.'),
      authors: z
        .array(
          z.object({
            author: z.string().describe('The reviewer.'),
            segments: z.int().describe('Segments that they changed or confirmed.'),
          }),
        )
        .describe('The reviewers who changed or confirmed segments, at most 100, and the number of these.'),
    })
    .nullable()
    .meta({ description: 'The further options of the filters; null unless the request asks for them.' }),
  untranslated: z.int().describe('Segments without a translation.'),
  statuses: z
    .object({
      todo: z.int().describe('Segments that no reviewer has changed or confirmed, without issues.'),
      draft: z.int().describe('Segments that a reviewer has changed but not confirmed.'),
      warning: z
        .int()
        .describe('Unconfirmed segments with issues that are not critical, or that need a review.'),
      critical: z.int().describe('Unconfirmed segments with critical issues.'),
      confirmed: z.int().describe('Segments that a reviewer has confirmed.'),
    })
    .meta({ description: 'the number of segments with each review status' }),
  kinds: z
    .array(
      z.object({
        kind: z.string().describe('The kind of segment, such as `paragraph`, `heading` or `cell`.'),
        ...counts,
      }),
    )
    .meta({ description: 'The kinds of segments, in the order in which they first appear in the document.' }),
  pages: z
    .array(
      z.object({
        page: z.int().nullable().meta({
          description:
            'The number of the page or sheet, from 1; null for segments without a page, such as headers.',
        }),
        sheet: z
          .string()
          .nullable()
          .meta({ description: 'The name of the sheet; null if the file is not a workbook.' }),
        first_position: z.int().describe('The position of the first segment on the page, from 0.'),
        ...counts,
      }),
    )
    .meta({
      description: 'The pages or sheets that have segments, in the order in which they first appear.',
    }),
});

type Counts = { [name in keyof typeof counts]: number };

/**
 * Counts a document's segments by kind, page and review status. These are the options of the filters of `searchSegments`.
 * @throws AppError 404
 */
export async function readOutline(
  tx: Tx,
  tenantId: string,
  { document_id: documentId, with_options: withOptions }: z.infer<typeof outlineQuery>,
): Promise<z.infer<typeof documentOutline>> {
  const { sourceFormat } = await requireDocument(tx, tenantId, documentId);
  const { page, kind, place, position, corrected, target } = documentSegments;
  const groups = await tx
    .select({
      page,
      kind,
      status: statusOfSegment,
      // The place of any segment in the group: all are on one sheet.
      place: sql<string>`min(${place})`,
      first: sql<number>`min(${position})`,
      segments: sql<number>`count(*)::int`,
      flagged: sql<number>`(count(*) filter (where ${isUnresolved}))::int`,
      corrected: sql<number>`(count(*) filter (where ${corrected}))::int`,
      untranslated: sql<number>`(count(*) filter (where ${target} is null))::int`,
    })
    .from(documentSegments)
    .where(ofDocument(tenantId, documentId))
    .groupBy(page, kind, statusOfSegment)
    .orderBy(sql`min(${position})`);
  return {
    ...sumOf(groups),
    options: withOptions ? await readOptions(tx, tenantId, documentId) : null,
    untranslated: groups.reduce((sum, { untranslated }) => sum + untranslated, 0),
    statuses: statusesOf(groups),
    kinds: [...Map.groupBy(groups, (group) => group.kind)].map(([kind, own]) => ({ kind, ...sumOf(own) })),
    pages: [...Map.groupBy(groups, (group) => group.page)].map(([page, own]) => ({
      page,
      sheet: layoutKinds[sourceFormat].places === 'sheet' ? sheetOf(own) : null,
      first_position: own[0]?.first ?? 0,
      ...sumOf(own),
    })),
  };
}

/** Maximum number of reviewers among the options. */
const maxAuthors = 100;

async function readOptions(tx: Tx, tenantId: string, documentId: string) {
  const count = sql<number>`count(*)::int`;
  const listed = ofDocument(tenantId, documentId);
  const [[open], bands, authors] = await Promise.all([
    tx
      .select(
        Object.fromEntries(
          categories.map((category) => [
            category,
            sql<number>`(count(*) filter (where ${hasOpen(documentSegments.issues, { category })}))::int`,
          ]),
        ) as Record<(typeof categories)[number], SQL<number>>,
      )
      .from(documentSegments)
      .where(listed),
    tx
      .select({ match: matchOfSegment, segments: count })
      .from(documentSegments)
      .where(listed)
      .groupBy(matchOfSegment),
    tx.execute<{ author: string; segments: number }>(sql`
      select e.actor as author, count(distinct e.position)::int as segments from segment_events e
      where e.tenant_id = ${tenantId} and e.document_id = ${documentId} and e.actor is not null and ${isDecision}
      group by e.actor order by segments desc, author limit ${maxAuthors}`),
  ]);
  return {
    categories: categories.flatMap((category) => {
      const segments = open?.[category] ?? 0;
      return segments > 0 ? [{ category, segments }] : [];
    }),
    matches: matches.flatMap((match) => bands.filter((band) => band.match === match)),
    authors: [...authors],
  };
}

/** Returns the name of the sheet of some segments. The place of a cell is `Sheet1!B7`, that of others `Sheet1, chart 2`. */
function sheetOf(groups: readonly { kind: string; place: string }[]): string | null {
  const cells = groups.find(({ kind }) => kind === 'cell');
  // The reference of a cell has no exclamation mark, and the name of an object has no comma. The sheet may have both.
  if (cells) return cells.place.replace(/![^!]*$/, '');
  return groups[0]?.place.replace(/, [^,]*$/, '') ?? null;
}

function statusesOf(groups: readonly { status: SegmentStatus; segments: number }[]) {
  const counts = { todo: 0, draft: 0, confirmed: 0, warning: 0, critical: 0 };
  for (const { status, segments } of groups) counts[status] += segments;
  return counts;
}

function sumOf(groups: readonly Counts[]): Counts {
  const sum = { segments: 0, flagged: 0, corrected: 0 };
  for (const group of groups)
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += group[name];
  return sum;
}
