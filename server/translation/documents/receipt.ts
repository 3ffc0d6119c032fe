import type { documentJobs } from '#db/schema/documents.ts';
import type { KeptClass, TextOutcome } from '#server/formats/text-tally.ts';
import type { DocumentQualityFinding } from './schema.ts';

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
export interface Receipt {
  texts: number;
  characters: number;
  rows: ReceiptRow[];
  /** The number of translated texts that did not fit and were truncated. */
  truncated_texts: number;
}

/** Figures about the outcome of segments. */
export interface OutcomeFigures {
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
export function receiptOf(row: Row, figures: OutcomeFigures): { receipt?: Receipt } {
  const outcome = row.textOutcome as TextOutcome | null;
  if (!outcome) return {};
  const rows: ReceiptRow[] = [
    {
      outcome: 'translated',
      reason: null,
      texts: row.segments - figures.unchanged - figures.untranslated,
      characters: figures.characters - figures.unchangedCharacters - figures.untranslatedCharacters,
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
  const findings = [...row.extractFindings, ...row.rebuildFindings] as DocumentQualityFinding[];
  return {
    receipt: {
      texts: sum('texts'),
      characters: sum('characters'),
      rows: shown,
      truncated_texts: findings.filter(({ code }) => code === 'text_truncated').length,
    },
  };
}
