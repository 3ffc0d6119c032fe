import type { GlossaryFile } from '#server/formats/glossary-file.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import type { NewEntry } from './sets.ts';

/** Maximum number of lines or terms in a warning, and of code points of each term. */
const limits = { named: 20, characters: 60 };

/**
 * Returns warnings about likely mistakes in the file: one sentence for each kind of mistake, with the physical line
 * numbers. The length of the warnings is limited, however large the file is.
 */
export function glossaryWarnings(
  { hasHeader, skippedLines, reducedLines }: Omit<GlossaryFile, 'entries'>,
  entries: readonly NewEntry[],
): string[] {
  const ambiguous = ambiguousSources(entries);
  const everywhere = entries.filter(({ sourceLang, targetLang }) => sourceLang === '' && targetLang === '');
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

/**
 * Returns the source terms that have different targets with the same language pair and case rule, each with its lines.
 */
function ambiguousSources(entries: readonly NewEntry[]): string[] {
  const bySource = Map.groupBy(entries, ({ sourceLang, targetLang, caseSensitive, sourceTerm }) => {
    const normal = normalForm(sourceTerm);
    return `${sourceLang} ${targetLang} ${caseSensitive} ${caseSensitive ? normal : normal.toLowerCase()}`;
  });
  return [...bySource.values()]
    .filter((group) => new Set(group.map(({ targetTerm }) => targetTerm)).size > 1)
    .map(
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
