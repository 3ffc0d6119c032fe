import { and, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { whiteSpace } from '#server/formats/text-tally.ts';
import { type Finding, hasOpen, isOpen } from '#server/translation/findings.ts';
import { noFigures, type ReportFigures } from './quality-report.ts';
import type { DocumentQualityFinding } from './schema.ts';
import { isAtOneOf, isUnresolved, ofDocument, statusOfSegment } from './segments.ts';

/* What the report of a document has about its segments: findings, counts and sums. */

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
