import { type GlossaryFile, noteCodes, type ReadingNote } from '#server/formats/glossary-file.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { isCommonWord } from './common-words.ts';
import type { Conflict } from './glossary-conflicts.ts';
import type { NewEntry } from './sets.ts';
import { isForEveryPair, sameSources } from './term-groups.ts';

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
 * - `same`: source and target are equal, and the term is neither forbidden nor marked as not translated
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
 * @yields undefined after each entry, so that a caller can let other requests run
 */
export function* lineWarnings(
  { hasHeader, notes }: Omit<GlossaryFile, 'entries'>,
  entries: readonly NewEntry[],
  conflicts: readonly Conflict[],
): Generator<undefined, { line_warnings: LineWarning[]; warning_counts: { code: Code; count: number }[] }> {
  const warnings = notes.map(aboutNote);
  if (!hasHeader && entries[0]) warnings.push(aboutEntry('no_header', entries[0]));
  for (const group of yield* sameSources(entries))
    for (const warning of repeated(group)) {
      warnings.push(warning);
      yield;
    }
  for (const { entry, target, setName } of conflicts)
    warnings.push({ ...aboutEntry('conflict', entry), other_target: target, other_set: setName });
  for (const entry of entries) {
    for (const [code, applies] of signs) if (applies(entry)) warnings.push(aboutEntry(code, entry));
    yield;
  }
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

/** Returns warnings about entries with the same source. */
function* repeated(group: readonly NewEntry[]): Generator<LineWarning> {
  const [first, ...others] = group as [NewEntry, ...NewEntry[]];
  const another = group.find(({ targetTerm }) => targetTerm !== first.targetTerm)?.targetTerm;
  if (another !== undefined) {
    for (const entry of group) {
      const other_target = entry.targetTerm === first.targetTerm ? another : first.targetTerm;
      yield { ...aboutEntry('ambiguous', entry), other_target };
    }
    return;
  }
  const normal = normalForm(first.sourceTerm);
  for (const entry of others)
    yield aboutEntry(normalForm(entry.sourceTerm) === normal ? 'duplicate' : 'case_variant', entry);
}

/** The mistakes that a single entry shows. */
const signs: [code: Code, applies: (entry: NewEntry) => boolean][] = [
  ['same', isSame],
  ['common', isCommon],
  ['short', isShort],
  ['long', isLong],
  ['every_pair', isForEveryPair],
];

function isSame({ sourceTerm, targetTerm, doNotTranslate, status }: NewEntry): boolean {
  return !doNotTranslate && status !== 'forbidden' && normalForm(sourceTerm) === normalForm(targetTerm);
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
