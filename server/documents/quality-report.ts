import type { documentJobs } from '#db/schema/documents.ts';
import type { Finding } from '#server/formats/document.ts';
import { leftShare, warnedShare } from '#server/formats/left-share.ts';
import type { KeptClass, TextOutcome } from '#server/formats/text-tally.ts';
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

export function reportOf(row: Omit<typeof documentJobs.$inferSelect, 'feedManifest'>): DocumentQualityReport {
  const { source_lang, target_lang } = row.request as DocumentTranslationRequest;
  const figures = readFigures(row.reportFigures);
  const { needsReview, corrected, noncompliant, scored, confirmed, unresolved } = figures;
  return {
    schema_version: schemaVersion,
    document_id: layoutId(row.documentId),
    source_lang,
    target_lang,
    overall_score: overallScore(row, figures),
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

/**
 * Returns the score of a file, from 0 to 1: the mean of its segments. If more than a small share of the visible characters
 * stay although they have words, these count as 0.
 */
function overallScore({ textOutcome }: Row, { scored, scoreSum, characters }: ReportFigures): number {
  const score = scored === 0 ? 100 : scoreSum / scored;
  const outcome = textOutcome as TextOutcome | null;
  const { share } = outcome ? leftShare(outcome, characters) : { share: 0 };
  return Math.round(share > warnedShare ? score * (1 - share) : score) / 100;
}

/** Returns the ID of a document's layout. The layout is not stored separately: its ID is derived from the job's ID. */
function layoutId(documentId: string): string {
  return documentId.slice(16) + documentId.slice(0, 16);
}

/**
 * The outcome of texts of the source. `translated`: the file has a translation; `unchanged`: the translation equals the
 * source; `failed`: there is no translation; `unaccounted`: the reader of the file has lost the text, which is an error of
 * the service. For the others, see `KeptClass`.
 */
type Outcome = 'translated' | 'unchanged' | 'failed' | 'unaccounted' | KeptClass;

interface ReceiptRow {
  outcome: Outcome;
  /** The reason why the texts are not translated; null for texts of segments. */
  reason: string | null;
  texts: number;
  /** The number of characters without white space. */
  characters: number;
}

/** The outcome of every visible text of a source file. The numbers of the rows add up to the totals. */
interface Receipt {
  texts: number;
  characters: number;
  rows: ReceiptRow[];
  /** The number of translated texts that did not fit and were truncated. */
  truncated_texts: number;
}

/** Figures about the outcome of segments. */
interface OutcomeFigures {
  /** Number of visible characters of the source texts of all segments. */
  characters: number;
  /** Number of segments whose translation equals the source, and of their characters. */
  unchanged: number;
  unchangedCharacters: number;
  /** Number of segments without a translation, and of their characters. */
  untranslated: number;
  untranslatedCharacters: number;
}

type Row = Pick<
  typeof documentJobs.$inferSelect,
  'textOutcome' | 'segments' | 'extractFindings' | 'rebuildFindings'
>;

/** Returns the receipt of a translated document, as a part of its report's metadata; empty for an older job. */
function receiptOf(row: Row, figures: OutcomeFigures): { receipt?: Receipt } {
  const outcome = row.textOutcome as TextOutcome | null;
  if (!outcome) return {};
  const findings = [...row.extractFindings, ...row.rebuildFindings] as (DocumentQualityFinding &
    Pick<Finding, 'unwritten'>)[];
  const unwritten = findings.flatMap(({ unwritten: characters }) => characters ?? []);
  const unwrittenCharacters = unwritten.reduce((sum, one) => sum + one, 0);
  const rows: ReceiptRow[] = [
    {
      outcome: 'translated',
      reason: null,
      texts: row.segments - figures.unchanged - figures.untranslated - unwritten.length,
      characters:
        figures.characters -
        figures.unchangedCharacters -
        figures.untranslatedCharacters -
        unwrittenCharacters,
    },
    {
      outcome: 'failed',
      reason: 'added_code',
      texts: unwritten.length,
      characters: unwrittenCharacters,
    },
    {
      outcome: 'unchanged',
      reason: null,
      texts: figures.unchanged,
      characters: figures.unchangedCharacters,
    },
    {
      outcome: 'failed',
      reason: null,
      texts: figures.untranslated,
      characters: figures.untranslatedCharacters,
    },
    ...outcome.kept.map(({ class: kind, ...kept }) => ({ outcome: kind, ...kept })),
    { outcome: 'unaccounted', reason: null, texts: 0, characters: outcome.unaccounted },
  ];
  const shown = rows.filter(({ texts, characters }) => texts + characters > 0);
  const sum = (of: 'texts' | 'characters') => shown.reduce((total, one) => total + one[of], 0);
  return {
    receipt: {
      texts: sum('texts'),
      characters: sum('characters'),
      rows: shown,
      truncated_texts: findings.filter(({ code }) => code === 'text_truncated').length,
    },
  };
}
