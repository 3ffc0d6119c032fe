import type { FilePosition, GlossaryFile, NoteCode } from '#server/formats/glossary-file.ts';
import { isAmbiguous, isForEveryPair, sameSources } from './line-warnings.ts';
import type { NewEntry } from './sets.ts';

/** Maximum number of lines, names or terms in a warning, and of code points of each of them. */
const limits = { named: 20, characters: 60 };

type ReadFile = Omit<GlossaryFile, 'entries'>;

/** The warnings about what a reader left out or changed. Other notes are only part of a preview. */
const sentences: Partial<Record<NoteCode, string>> = {
  skipped: 'entries without a source or target term were skipped',
  cell_error: 'rows in which a term is a formula without a result were skipped',
  date: 'rows in which a term is a date were skipped; format these cells as text and enter the terms again',
  hidden_row: 'hidden rows were skipped',
  hidden_column: 'hidden columns were not read',
  hidden_sheet: 'hidden sheets were not read',
  other_sheet: 'only one sheet is read; these were not',
  reduced: 'concepts have more than one target term; the preferred or else the first one was used',
  merged: 'rows have the value of a merged cell',
  number: 'numbers were read as terms',
  line_break: 'line breaks in terms were replaced by spaces',
  alternatives: 'cells with several terms were read as one term each; further translations are allowed ones',
  extra_cells: 'cells after the last column of the header were not read',
  field: 'fields of terms were ignored or shortened, because their value is unknown or too long',
};

/**
 * Returns warnings about likely mistakes in the file: one sentence for each kind of mistake, with the physical line
 * numbers, or the rows of a sheet. The length of the warnings is limited, however large the file is.
 *
 * @yields undefined after each entry, so that a caller can let other requests run
 */
export function* glossaryWarnings(
  read: ReadFile,
  entries: readonly NewEntry[],
): Generator<undefined, string[]> {
  const ambiguous = (yield* sameSources(entries))
    .filter(isAmbiguous)
    .map((group) => `${quoted(group[0]!.sourceTerm)} (${positionsOf(group, read, 5)})`);
  const everywhere = entries.filter(isForEveryPair);
  return [
    ...(read.hasHeader ? [] : [withoutHeader(read, entries)]),
    ...Object.entries(sentences).flatMap(([code, sentence]) => {
      const notes = read.notes.filter((note) => note.code === code);
      const names = notes.flatMap(({ name }) => name ?? []);
      if (notes.length === 0) return [];
      return [`${sentence}: ${names.length > 0 ? listed(names.map(quoted)) : positionsOf(notes, read)}`];
    }),
    ...(ambiguous.length > 0 ? [`source terms have more than one target term: ${listed(ambiguous)}`] : []),
    ...(everywhere.length > 0
      ? [
          `${everywhere.length} of ${entries.length} entries apply to every language pair, because neither the entries nor the upload name languages: ${positionsOf(everywhere, read)}`,
        ]
      : []),
  ];
}

function withoutHeader(read: ReadFile, [first]: readonly NewEntry[]): string {
  const taken = first
    ? `; the first row was read as a term: ${positionsOf([first], read)}, ${quoted(first.sourceTerm)} → ${quoted(first.targetTerm)}`
    : '';
  return `no header row was recognized${taken}`;
}

function positionsOf(
  items: readonly (Pick<FilePosition, 'place'> & { line: number | null })[],
  { unit }: ReadFile,
  named = limits.named,
): string {
  const noun = items.length === 1 ? unit : `${unit}s`;
  return `${noun} ${listed(
    items.map(({ line }) => `${line}`),
    named,
  )}`;
}

function listed(items: readonly string[], named = limits.named): string {
  const shown = items.slice(0, named).join(', ');
  return items.length > named ? `${shown} and ${items.length - named} more` : shown;
}

function quoted(term: string): string {
  const characters = [...term];
  const shown =
    characters.length > limits.characters ? `${characters.slice(0, limits.characters).join('')}…` : term;
  return `“${shown}”`;
}
