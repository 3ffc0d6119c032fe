import { type GlossaryFile, noteCodes, type ReadingNote } from '#server/formats/glossary-file.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { isCommonWord } from './common-words.ts';
import type { Conflict } from './glossary-conflicts.ts';
import type { NewEntry } from './sets.ts';
import { isAmbiguous, isForEveryPair, sameSources } from './term-groups.ts';

/** Maximum number of warnings of a kind that are listed. */
const maxListed = 20;

/** A longer term is probably a sentence, which is rarely repeated in this form. In code points. */
const maxUsualLength = 100;

/**
 * The kinds of warnings of a preview: what the reader left out or changed, and
 * - `no_header`: the first row of the table was read as a term
 * - `ambiguous`: the file has another target for the same source
 * - `duplicate`: the file has the same term before
 * - `case_variant`: the file has the term before in another letter case, although letter case does not matter
 * - `same`: source and target are equal
 * - `long`: a term of more than 100 characters
 * - `short`: a source of one letter or digit
 * - `common`: a source that is a common word, such as an article
 * - `every_pair`: a term without languages
 * - `conflict`: another glossary has another target for the same source
 */
export const lineWarningCodes = [
  'no_header',
  ...noteCodes,
  'ambiguous',
  'duplicate',
  'case_variant',
  'conflict',
  'same',
  'common',
  'short',
  'long',
  'every_pair',
] as const;

type Code = (typeof lineWarningCodes)[number];

/** A warning of a preview. */
export interface LineWarning {
  code: Code;
  /** Null for a column, sheet or key. */
  line: number | null;
  place: string | null;
  source_term: string | null;
  target_term: string | null;
  other_target: string | null;
  other_set: string | null;
  name: string | null;
}

/**
 * Returns the first warnings of each kind, in the order of `lineWarningCodes` and of the file, and the number of all
 * warnings of each kind.
 */
export function lineWarnings(
  { hasHeader, notes }: Omit<GlossaryFile, 'entries'>,
  entries: readonly NewEntry[],
  conflicts: readonly Conflict[],
): { line_warnings: LineWarning[]; warning_counts: { code: Code; count: number }[] } {
  const about = (code: Code, found: readonly NewEntry[]) => found.map((entry) => aboutEntry(code, entry));
  const warnings = [
    ...about('no_header', hasHeader ? [] : entries.slice(0, 1)),
    ...notes.map(aboutNote),
    ...repeated(entries),
    ...conflicts.map(({ entry, target, setName }) => ({
      ...aboutEntry('conflict', entry),
      other_target: target,
      other_set: setName,
    })),
    ...about('same', entries.filter(isSame)),
    ...about('common', entries.filter(isCommon)),
    ...about('short', entries.filter(isShort)),
    ...about('long', entries.filter(isLong)),
    ...about('every_pair', entries.filter(isForEveryPair)),
  ];
  const byCode = Map.groupBy(warnings, ({ code }) => code);
  const codes = lineWarningCodes.filter((code) => byCode.has(code));
  return {
    line_warnings: codes.flatMap((code) =>
      byCode
        .get(code)!
        .sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
        .slice(0, maxListed),
    ),
    warning_counts: codes.map((code) => ({ code, count: byCode.get(code)!.length })),
  };
}

const empty = {
  place: null,
  source_term: null,
  target_term: null,
  other_target: null,
  other_set: null,
  name: null,
};

function aboutEntry(code: Code, { line, place, sourceTerm, targetTerm }: NewEntry): LineWarning {
  return { ...empty, code, line, place: place ?? null, source_term: sourceTerm, target_term: targetTerm };
}

function aboutNote({ code, line, place, name }: ReadingNote): LineWarning {
  return { ...empty, code, line, place: place ?? null, name: name ?? null };
}

/** Returns warnings about entries whose source occurs several times in the file. */
function repeated(entries: readonly NewEntry[]): LineWarning[] {
  return sameSources(entries).flatMap((group) => {
    const [first, ...others] = group as [NewEntry, ...NewEntry[]];
    if (isAmbiguous(group)) {
      const another = group.find(({ targetTerm }) => targetTerm !== first.targetTerm)!.targetTerm;
      return group.map((entry) => ({
        ...aboutEntry('ambiguous', entry),
        other_target: entry.targetTerm === first.targetTerm ? another : first.targetTerm,
      }));
    }
    const isVariant = ({ sourceTerm }: NewEntry) => normalForm(sourceTerm) !== normalForm(first.sourceTerm);
    return others.map((entry) => aboutEntry(isVariant(entry) ? 'case_variant' : 'duplicate', entry));
  });
}

function isSame({ sourceTerm, targetTerm }: NewEntry): boolean {
  return normalForm(sourceTerm) === normalForm(targetTerm);
}

function isCommon({ sourceTerm, sourceLang, caseSensitive }: NewEntry): boolean {
  const term = normalForm(sourceTerm);
  const lower = term.toLowerCase();
  return (!caseSensitive || term === lower) && isCommonWord(lower, sourceLang);
}

/** Whether the source is a single letter or digit. A Chinese character can be a whole word. */
function isShort({ sourceTerm }: NewEntry): boolean {
  return /^[\p{L}\p{N}]$/u.test(sourceTerm) && !/\p{Script=Han}/u.test(sourceTerm);
}

function isLong({ sourceTerm, targetTerm }: NewEntry): boolean {
  return [sourceTerm, targetTerm].some(
    (term) => term.length > maxUsualLength && countCodePoints(term) > maxUsualLength,
  );
}
