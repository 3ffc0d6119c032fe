import type { documentJobs } from '#db/schema/documents.ts';
import type { Finding } from '#server/formats/document.ts';
import { type OutcomeFigures, receiptOf } from './receipt.ts';
import type { DocumentQualityFinding, DocumentQualityReport, DocumentTranslationRequest } from './schema.ts';

/** Figures about the segments of a document. */
export interface ReportFigures extends OutcomeFigures {
  needsReview: number;
  /** Number of segments that a reviewer changed. They have no score. */
  corrected: number;
  /** Number of translations that a reviewer confirmed unchanged. */
  confirmed: number;
  /** Number of segments that need a review and are not confirmed. */
  unresolved: number;
  noncompliant: number;
  /** Number of unresolved segments with critical issues. */
  critical: number;
  /** Number of segments that a reviewer changed, without findings, and that no one has confirmed. */
  drafts: number;
  /** Number of segments with a score, and the sum of those scores (0 to 100 each). */
  scored: number;
  scoreSum: number;
}

export const noFigures: ReportFigures = {
  needsReview: 0,
  corrected: 0,
  confirmed: 0,
  unresolved: 0,
  noncompliant: 0,
  critical: 0,
  drafts: 0,
  scored: 0,
  scoreSum: 0,
  characters: 0,
  unchanged: 0,
  unchangedCharacters: 0,
  untranslated: 0,
  untranslatedCharacters: 0,
};

/** Returns the stored figures. A document has none before its file is translated. */
export function readFigures(stored: unknown): ReportFigures {
  return (stored as ReportFigures | null) ?? noFigures;
}

/** Returns figures after some segments have changed. `before` and `after` count only these segments. */
export function movedFigures(
  all: ReportFigures,
  { before, after }: { before: ReportFigures; after: ReportFigures },
): ReportFigures {
  const names = Object.keys(noFigures) as (keyof ReportFigures)[];
  return Object.fromEntries(
    names.map((name) => [name, all[name] + after[name] - before[name]]),
  ) as unknown as ReportFigures;
}

/** Returns a finding of a file format in the form in which it is stored and returned. */
export function findingView({ unitId, ...finding }: Finding): DocumentQualityFinding {
  return { ...finding, unit_id: unitId };
}

const schemaVersion = '1.0';

/** Returns the quality report of a translated document. */
export function reportOf(row: Omit<typeof documentJobs.$inferSelect, 'feedManifest'>): DocumentQualityReport {
  const { source_lang, target_lang } = row.request as DocumentTranslationRequest;
  const figures = readFigures(row.reportFigures);
  const { needsReview, corrected, noncompliant, scored, scoreSum, confirmed, unresolved } = figures;
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
      ...receiptOf(row, figures),
      ...(confirmed > 0 && { human_review: { confirmed_units: confirmed, unresolved_units: unresolved } }),
    },
  };
}

/** Returns the ID of a document's layout. The layout is not stored separately: its ID is derived from the job's ID. */
function layoutId(documentId: string): string {
  return documentId.slice(16) + documentId.slice(0, 16);
}
