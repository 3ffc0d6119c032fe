import type { Analysis, AnalysisCell, AnalysisFile } from '#sdk/types.ts';
import type { MessageId, Translate } from '../../i18n.tsx';

/** The units of the columns. */
export const units = ['words', 'characters', 'segments'] as const;
export type Unit = (typeof units)[number];

/** The counts of a file in a language, or of several. */
type Counts = Omit<Analysis['totals'], 'by_language' | 'seconds'>;

/** A part of the texts: a column of the table, and a part of the bar. */
export interface Part {
  id: string;
  /** The heading: a message, or the lowest and highest similarity in percent. */
  name: MessageId | { from: number; to: number };
  why?: MessageId;
  of(counts: Counts, unit: Unit): number;
}

/** The parts of the texts, from those with the least work to those with the most. All texts are in one part. */
export function partsOf({ context_matches, fuzzy_matches, typography_matches, unchanged }: Counts): Part[] {
  const bands = fuzzy_matches.by_similarity.map(({ from }) => from);
  const kept: Part = {
    id: 'unchanged',
    name: 'estimates.unchanged',
    why: 'estimates.unchanged_why',
    of: (counts, unit) => counts.unchanged[unit],
  };
  const inContext: Part = {
    id: 'context',
    name: 'estimates.in_context',
    why: 'estimates.in_context_why',
    of: (counts, unit) => counts.context_matches[unit],
  };
  const respelled: Part = {
    id: 'typography',
    name: 'estimates.typography',
    why: 'estimates.typography_why',
    of: (counts, unit) => counts.typography_matches[unit],
  };
  return [
    ...(unchanged.segments > 0 ? [kept] : []),
    { id: 'repetitions', name: 'estimates.repetitions', of: (counts, unit) => counts.repetitions[unit] },
    {
      id: 'across',
      name: 'estimates.across',
      why: 'estimates.across_why',
      of: (counts, unit) => counts.repetitions_across[unit],
    },
    ...(context_matches.segments > 0 ? [inContext] : []),
    {
      id: 'exact',
      name: 'estimates.exact',
      why: 'estimates.exact_why',
      of: (counts, unit) =>
        counts.exact_matches[unit] -
        counts.context_matches[unit] +
        counts.sentence_matches[unit] -
        counts.typography_matches[unit],
    },
    ...(typography_matches.segments > 0 ? [respelled] : []),
    ...bands.map((from, index) => ({
      id: `band${index}`,
      name: { from, to: index === 0 ? 100 : bands[index - 1]! - 1 },
      of: (counts: Counts, unit: Unit) => counts.fuzzy_matches.by_similarity[index]?.[unit] ?? 0,
    })),
    { id: 'new', name: 'estimates.new_texts', of: (counts, unit) => counts.no_match[unit] },
  ];
}

export const partName = ({ name }: Part, t: Translate) =>
  typeof name === 'string' ? t(name) : `${name.from}–${name.to}%`;

/** The key of a file in a language. */
export const keyOf = ({ id }: AnalysisFile, { target_lang }: Pick<AnalysisCell, 'target_lang'>) =>
  `${id} ${target_lang}`;

/** A file in a language, with its place in the allowance. */
export interface Place {
  file: AnalysisFile;
  cell: AnalysisCell;
  covered: AnalysisCell['covered'];
}

/**
 * The files and languages that can be started, in the order in which the allowance covers them. The one that reaches the
 * limit is completed.
 * @param leftOut those that the member has deselected, which use nothing
 */
export function placesOf({ files, allowance }: Analysis, leftOut: ReadonlySet<string>): Map<string, Place> {
  const remaining = allowance.refusal ? 0 : allowance.remaining;
  const places = new Map<string, Place>();
  let used = 0;
  for (const file of files)
    for (const cell of file.languages) {
      if (cell.start) continue;
      const before = used;
      const after = before + cell.billable_characters;
      if (!leftOut.has(keyOf(file, cell))) used = after;
      const covered = after <= remaining ? 'covered' : before < remaining ? 'reaches_limit' : 'beyond';
      places.set(keyOf(file, cell), { file, cell, covered });
    }
  return places;
}

/** The service's reasons why a file is refused, in English, and the texts of the interface for them. */
const refusals: readonly (readonly [RegExp, MessageId])[] = [
  [/password/, 'problems.file_protected'],
  [/^The file has \d+ bytes|too (large|many|long)|at most \d/, 'problems.file_too_large'],
  [/^Unsupported file type/, 'estimates.refused_type'],
  [/could not be detected/, 'problems.language_unknown'],
  [/UTF-8|encoding/, 'problems.file_not_text'],
  [/process stopped|timed out|too long to read/, 'problems.file_slow'],
  [/^The file is empty|^No text was found/, 'problems.file_empty'],
  [/is not a|cannot be read|not valid|damaged|no zip|missing part/i, 'problems.file_unreadable'],
];

/** The text of the interface for a refusal; undefined for one that only the service can explain. */
export function refusalId(refusal: string): MessageId | undefined {
  return refusals.find(([pattern]) => pattern.test(refusal))?.[1];
}
