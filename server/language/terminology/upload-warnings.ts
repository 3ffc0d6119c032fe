import type { GlossaryFile } from '#server/formats/glossary-file.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { NewEntry } from './sets.ts';

/** Maximum number of lines or terms in a warning, of code points of each term, and of warnings about single lines. */
const limits = { named: 20, characters: 60, lines: 200 };

/** The kinds of warnings about a line. */
export const lineWarningCodes = ['no_header', 'skipped', 'reduced', 'ambiguous', 'every_pair'] as const;

/** A likely mistake in a line of the file. */
export interface LineWarning {
  line: number;
  code: (typeof lineWarningCodes)[number];
}

/** Returns the warnings of `glossaryWarnings` as one for each line, in the order of the file; at most `limits.lines`. */
export function lineWarnings(
  { hasHeader, skippedLines, reducedLines }: Omit<GlossaryFile, 'entries'>,
  entries: readonly NewEntry[],
): LineWarning[] {
  const linesOfCode: Record<LineWarning['code'], readonly number[]> = {
    no_header: hasHeader ? [] : entries.slice(0, 1).map(({ line }) => line),
    skipped: skippedLines,
    reduced: reducedLines,
    ambiguous: ambiguousGroups(entries).flatMap((group) => group.map(({ line }) => line)),
    every_pair: entries.filter(isForEveryPair).map(({ line }) => line),
  };
  return lineWarningCodes
    .flatMap((code) => linesOfCode[code].map((line) => ({ line, code })))
    .toSorted((a, b) => a.line - b.line)
    .slice(0, limits.lines);
}

/**
 * Returns warnings about likely mistakes in the file: one sentence for each kind of mistake, with the physical line
 * numbers. The length of the warnings is limited, however large the file is.
 */
export function glossaryWarnings(
  { hasHeader, skippedLines, reducedLines }: Omit<GlossaryFile, 'entries'>,
  entries: readonly NewEntry[],
): string[] {
  const ambiguous = ambiguousSources(entries);
  const everywhere = entries.filter(isForEveryPair);
  return [
    ...(hasHeader ? [] : [withoutHeader(entries)]),
    ...(skippedLines.length > 0
      ? [`entries without a source or target term were skipped: ${linesOf(skippedLines)}`]
      : []),
    ...(reducedLines.length > 0
      ? [
          `concepts have more than one target term; the preferred or else the first one was used: ${linesOf(reducedLines)}`,
        ]
      : []),
    ...(ambiguous.length > 0 ? [`source terms have more than one target term: ${listed(ambiguous)}`] : []),
    ...(everywhere.length > 0
      ? [
          `${everywhere.length} of ${entries.length} entries apply to every language pair, because neither the entries nor the upload name languages: ${linesOf(everywhere.map(({ line }) => line))}`,
        ]
      : []),
  ];
}

function withoutHeader([first]: readonly NewEntry[]): string {
  const taken = first
    ? `; the first row was read as a term: line ${first.line}, ${quoted(first.sourceTerm)} → ${quoted(first.targetTerm)}`
    : '';
  return `no header row was recognized${taken}`;
}

function isForEveryPair({ sourceLang, targetLang }: NewEntry): boolean {
  return sourceLang === '' && targetLang === '';
}

/** Returns the entries of each source term that has different targets with the same language pair and case rule. */
function ambiguousGroups(entries: readonly NewEntry[]): NewEntry[][] {
  const bySource = Map.groupBy(entries, ({ sourceLang, targetLang, caseSensitive, sourceTerm }) => {
    const normal = normalForm(sourceTerm);
    return `${sourceLang} ${targetLang} ${caseSensitive} ${caseSensitive ? normal : normal.toLowerCase()}`;
  });
  return [...bySource.values()].filter(
    (group) => new Set(group.map(({ targetTerm }) => targetTerm)).size > 1,
  );
}

/** Returns the ambiguous source terms, each with its lines. */
function ambiguousSources(entries: readonly NewEntry[]): string[] {
  return ambiguousGroups(entries).map(
    (group) =>
      `${quoted(group[0]!.sourceTerm)} (${linesOf(
        group.map(({ line }) => line),
        5,
      )})`,
  );
}

function linesOf(lines: readonly number[], named = limits.named): string {
  return `${lines.length === 1 ? 'line' : 'lines'} ${listed(lines, named)}`;
}

function listed(items: readonly (string | number)[], named = limits.named): string {
  const shown = items.slice(0, named).join(', ');
  return items.length > named ? `${shown} and ${items.length - named} more` : shown;
}

function quoted(term: string): string {
  const characters = [...term];
  const shown =
    characters.length > limits.characters ? `${characters.slice(0, limits.characters).join('')}…` : term;
  return `“${shown}”`;
}
