import type { documentJobs } from '#db/schema/documents.ts';
import type { DocumentQualityFinding, DocumentQualityReport, DocumentTranslationRequest } from './schema.ts';

/** Figures of a document's segments. */
export interface SegmentTotals {
  total: number;
  translated: number;
  needsReview: number;
  /** How many have a score, and the sum of those scores (0 to 100 each). */
  scored: number;
  scoreSum: number;
}

const schemaVersion = '1.0';

/** The quality report of a translated document (B 2.7). It is computed from the segments, so a review refreshes it. */
export function reportOf(
  row: Pick<
    typeof documentJobs.$inferSelect,
    'documentId' | 'request' | 'pageCount' | 'extractFindings' | 'rebuildFindings'
  >,
  totals: SegmentTotals,
): DocumentQualityReport {
  const { source_lang, target_lang } = row.request as DocumentTranslationRequest;
  const findings = [...row.extractFindings, ...row.rebuildFindings] as DocumentQualityFinding[];
  const noncompliant = findings.filter(({ code }) => code === 'terminology_noncompliant').length;
  return {
    schema_version: schemaVersion,
    document_id: layoutId(row.documentId),
    source_lang,
    target_lang,
    overall_score: totals.scored === 0 ? 1 : Math.round(totals.scoreSum / totals.scored) / 100,
    translated_units: totals.translated,
    total_units: totals.total,
    findings,
    metadata: {
      page_count: row.pageCount,
      schema_version: schemaVersion,
      ...(totals.scored > 0 && {
        llm_quality: { needs_review_units: totals.needsReview, noncompliant_units: noncompliant },
      }),
    },
  };
}

/** The layout is not stored on its own; its id is derived from the job's (B 2.7: the layout's id, not the job's). */
function layoutId(documentId: string): string {
  return documentId.slice(16) + documentId.slice(0, 16);
}
