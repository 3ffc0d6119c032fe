import type { documentJobs } from '#db/schema/documents.ts';
import type { Finding } from '#server/formats/document.ts';
import type { DocumentQualityFinding, DocumentQualityReport, DocumentTranslationRequest } from './schema.ts';

/** Figures of a document's segments. */
export interface ReportFigures {
  needsReview: number;
  /** The number that a reviewer changed. They have no score. */
  corrected: number;
  /** The number of translations that a reviewer confirmed unchanged. */
  confirmed: number;
  /** The number that needs a review and is not confirmed. */
  unresolved: number;
  noncompliant: number;
  /** The number with a score, and the sum of those scores (0 to 100 each). */
  scored: number;
  scoreSum: number;
}

export const noFigures: ReportFigures = {
  needsReview: 0,
  corrected: 0,
  confirmed: 0,
  unresolved: 0,
  noncompliant: 0,
  scored: 0,
  scoreSum: 0,
};

/** Stored figures. Those of an earlier version have no confirmations: all flagged segments are unresolved. */
export function readFigures(stored: unknown): ReportFigures {
  const known = stored as Partial<ReportFigures> | null;
  return { ...noFigures, unresolved: known?.needsReview ?? 0, ...known };
}

/** A finding of a format, as stored and returned. */
export function findingView({ unitId, ...finding }: Finding): DocumentQualityFinding {
  return { ...finding, unit_id: unitId };
}

const schemaVersion = '1.0';

/** The quality report of a translated document. */
export function reportOf(row: Omit<typeof documentJobs.$inferSelect, 'feedManifest'>): DocumentQualityReport {
  const { source_lang, target_lang } = row.request as DocumentTranslationRequest;
  const { needsReview, corrected, noncompliant, scored, scoreSum, confirmed, unresolved } = readFigures(
    row.reportFigures,
  );
  return {
    schema_version: schemaVersion,
    document_id: layoutId(row.documentId),
    source_lang,
    target_lang,
    overall_score: scored === 0 ? 1 : Math.round(scoreSum / scored) / 100,
    translated_units: row.translatedSegments,
    total_units: row.segments,
    findings: [...row.extractFindings, ...row.rebuildFindings] as DocumentQualityFinding[],
    metadata: {
      page_count: row.pageCount,
      schema_version: schemaVersion,
      ...(scored + needsReview + corrected > 0 && {
        llm_quality: { needs_review_units: needsReview, noncompliant_units: noncompliant },
      }),
      ...(confirmed > 0 && { human_review: { confirmed_units: confirmed, unresolved_units: unresolved } }),
    },
  };
}

/** The layout is not stored separately; its ID is derived from the job's, but differs from it. */
function layoutId(documentId: string): string {
  return documentId.slice(16) + documentId.slice(0, 16);
}
