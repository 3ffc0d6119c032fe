import { and, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import type { RebuiltDocument, SegmentTranslation } from '#server/formats/document.ts';
import type { InlineContent } from '#server/formats/inline-content.ts';
import { whiteSpace } from '#server/formats/text-tally.ts';
import {
  type Finding,
  findingView,
  hasOpen,
  isOpen,
  isOpenCritical,
  shownFindings,
} from '#server/translation/core/findings.ts';
import { requireDocument } from './jobs.ts';
import { noFigures, type ReportFigures } from './quality-report.ts';
import type { DocumentQualityFinding } from './schema.ts';

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

/** Maximum number of findings about segments in a report. */
const maxFindings = 500;

/**
 * A translation is reported if it is more than `times` times as long as its source and has at least `leastUnits`
 * characters. A shorter one cannot break a layout.
 */
const expansion = { times: 2, leastUnits: 40 };

/**
 * Returns the findings about a document's segments: translations that are missing, doubtful, or much longer than the
 * source.
 */
export async function findingsOfSegments(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<DocumentQualityFinding[]> {
  const { target, needsReview, targetText, sourceText } = documentSegments;
  const isExpanded = sql`(length(${targetText}) >= ${expansion.leastUnits}
    and length(${targetText}) > ${expansion.times} * length(${sourceText}))`;
  const rows = await tx
    .select({
      regionId: documentSegments.regionId,
      cellId: documentSegments.cellId,
      place: documentSegments.place,
      missing: sql<boolean>`${target} is null`,
      needsReview,
      expanded: isExpanded.mapWith(Boolean),
      issues: documentSegments.issues,
    })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), sql`(${target} is null or ${needsReview} or ${isExpanded})`))
    .orderBy(documentSegments.position)
    .limit(maxFindings);
  return rows.flatMap(({ regionId, cellId, place, missing, needsReview: doubtful, expanded, issues }) => {
    const finding = (
      severity: DocumentQualityFinding['severity'],
      code: string,
      message: string,
    ): DocumentQualityFinding => ({
      severity,
      code,
      message: `${place}: ${message}`,
      unit_id: cellId ?? regionId,
    });
    if (missing) return [finding('error', 'missing_translation', 'the text is not translated')];
    const isNoncompliant = (issues as Finding[]).some(
      (finding) => finding.category === 'terminology' && isOpen(finding),
    );
    return [
      ...(isNoncompliant
        ? [finding('warning', 'terminology_noncompliant', 'a glossary term is missing')]
        : []),
      ...(doubtful && !isNoncompliant
        ? [finding('warning', 'low_segment_quality', 'the translation needs a review')]
        : []),
      ...(expanded
        ? [finding('info', 'translation_expansion', 'the translation is much longer than its source')]
        : []),
    ];
  });
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

/** SQL: whether the translation of a segment equals its source. */
const isUnchanged = sql`coalesce(${documentSegments.targetText} = ${documentSegments.sourceText}, false)`;

/** SQL: the number of characters, without white space, of the source texts to which a condition applies. */
function sumOf(condition: SQL): SQL<number> {
  // The white space of `countCharacters`. That of PostgreSQL depends on the locale, and lacks no-break spaces.
  const visible = sql`translate(${documentSegments.sourceText}, ${whiteSpace}, '')`;
  return sql<number>`coalesce(sum(length(${visible})) filter (where ${condition}), 0)::float8`;
}

/**
 * Computes the figures of a document's segments. They are stored with the job, so that a list of jobs need not read all
 * segments.
 * @param positions the segments; default: all
 */
export async function figuresOf(
  tx: Tx,
  tenantId: string,
  documentId: string,
  positions?: readonly number[],
): Promise<ReportFigures> {
  const [figures] = await tx
    .select({
      needsReview: sql<number>`count(*) filter (where ${documentSegments.needsReview})::int`,
      corrected: sql<number>`count(*) filter (where ${documentSegments.corrected})::int`,
      confirmed: sql<number>`count(${documentSegments.confirmedAt})::int`,
      unresolved: sql<number>`count(*) filter (where ${isUnresolved})::int`,
      noncompliant: sql<number>`count(*) filter (where ${documentSegments.needsReview}
        and ${hasOpen(documentSegments.issues, { category: 'terminology' })})::int`,
      critical: sql<number>`count(*) filter (where ${isUnresolved}
        and ${hasOpen(documentSegments.issues, { severity: 'critical' })})::int`,
      drafts: sql<number>`count(*) filter (where ${statusOfSegment} = 'draft')::int`,
      scored: sql<number>`count(${documentSegments.score})::int`,
      scoreSum: sql<number>`coalesce(sum(${documentSegments.score}), 0)::float8`,
      characters: sumOf(sql`true`),
      unchanged: sql<number>`count(*) filter (where ${isUnchanged})::int`,
      unchangedCharacters: sumOf(isUnchanged),
      untranslated: sql<number>`count(*) filter (where ${documentSegments.target} is null)::int`,
      untranslatedCharacters: sumOf(sql`${documentSegments.target} is null`),
    })
    .from(documentSegments)
    .where(and(ofDocument(tenantId, documentId), positions && isAtOneOf(positions)));
  return figures ?? noFigures;
}

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
