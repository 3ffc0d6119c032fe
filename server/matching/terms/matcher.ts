import type { LanguageCode } from '#server/languages.ts';
import { boundariesOf } from './boundaries.ts';
import { type GlossaryEntry, groupByCaseRule, spellInCapitals, type Term, winnersOf } from './cased-terms.ts';
import { foldText } from './fold.ts';
import { type GlossaryExactTables, openGlossaryExact, tabulateGlossaryExact } from './glossary-exact.ts';
import { selectNonOverlapping } from './overlaps.ts';
import { openPatterns, type PatternTables, tabulatePatterns } from './patterns.ts';

export interface TermMatch<E extends GlossaryEntry> {
  /** UTF-16 offsets in the given text. */
  start: number;
  end: number;
  /**
   * The winner first, then entries with the same span, priority and case rule but other targets; all are equally good. Matches
   * of one term share one array.
   */
  entries: readonly [E, ...E[]];
}

export interface TermMatcher<E extends GlossaryEntry> {
  /** Finds the terms in a text, as `findInText` does. */
  find(text: string): TermMatch<E>[];
  /** Adds the entries to a result of `findInText`. */
  matchesOf(found: FoundTerms): TermMatch<E>[];
  /**
   * Returns the entries whose source term is the whole text: the higher priority first, then cased entries, then the order of
   * the glossary.
   */
  whole(text: string): E[];
}

/** A compiled glossary. Plain data, to pass between threads. */
export interface TermTables {
  patterns: PatternTables;
  /** By term; rank 0 wins. */
  ranks: Int32Array;
  /** The positions of the entries that a match of each term returns, term after term. */
  winners: Int32Array;
  /** By term, the end of its positions in `winners`. */
  winnerEnds: Int32Array;
  whole: GlossaryExactTables;
}

/** Matches in a text, in reading order, as three parallel arrays. */
export interface FoundTerms {
  /** UTF-16 offsets. */
  starts: Int32Array;
  ends: Int32Array;
  /** Numbers of terms in `TermTables`. */
  terms: Int32Array;
}

/**
 * Compiles a glossary. docs/terminology.md defines the matches of a term.
 * @param entries of one language pair, in the order that decides between equal priority and length; blank terms are ignored
 * @param language of the texts
 */
export function tabulateTerms(entries: readonly GlossaryEntry[], language: LanguageCode): TermTables {
  const { cased, folded } = groupByCaseRule(entries, language);
  const plain = [...cased.values(), ...folded.values()];
  const terms = [...plain, ...spellInCapitals(folded, language)];
  const winners = terms.map(winnersOf);
  let end = 0;
  return {
    patterns: tabulatePatterns(
      terms.map(({ units, cased }, number) => ({ units, cased, capitalsOnly: number >= plain.length })),
    ),
    ranks: rankTerms(terms),
    winners: Int32Array.from(winners.flat()),
    winnerEnds: Int32Array.from(winners, ({ length }) => {
      end += length;
      return end;
    }),
    whole: tabulateGlossaryExact(entries, language),
  };
}

/**
 * Finds the terms in a text. Matches do not overlap: the higher priority wins, then the longer term, then the earlier one, then
 * a cased one. Takes time linear in the text.
 */
export function findInText(
  { patterns, ranks }: Pick<TermTables, 'patterns' | 'ranks'>,
  given: string,
  language: LanguageCode,
): FoundTerms {
  const text = foldText(given, language);
  const candidates = openPatterns(patterns)(text, boundariesOf(text, given, language, 'source'));
  const selected = selectNonOverlapping(candidates, ranks, text.length);
  return {
    starts: Int32Array.from(selected, (candidate) => text.starts[candidates.starts[candidate]!]!),
    ends: Int32Array.from(selected, (candidate) => text.ends[candidates.ends[candidate]! - 1]!),
    terms: Int32Array.from(selected, (candidate) => candidates.patterns[candidate]!),
  };
}

/** @param tables of the same entries and language */
export function openTerms<E extends GlossaryEntry>(
  entries: readonly E[],
  tables: TermTables,
  language: LanguageCode,
): TermMatcher<E> {
  const { winners, winnerEnds } = tables;
  const winnersOfTerms: (readonly [E, ...E[]])[] = [];
  const entriesOf = (term: number): readonly [E, ...E[]] => {
    const known = winnersOfTerms[term];
    if (known) return known;
    const places = winners.subarray(winnerEnds[term - 1] ?? 0, winnerEnds[term]);
    const found = Array.from(places, (place) => entries[place]!) as [E, ...E[]];
    winnersOfTerms[term] = found;
    return found;
  };
  const matchesOf = ({ starts, ends, terms }: FoundTerms): TermMatch<E>[] =>
    Array.from(terms, (term, at) => ({ start: starts[at]!, end: ends[at]!, entries: entriesOf(term) }));
  return {
    find: (text) => matchesOf(findInText(tables, text, language)),
    matchesOf,
    whole: openGlossaryExact(entries, tables.whole, language),
  };
}

/** `tabulateTerms` and `openTerms` in one. */
export function compileTerms<E extends GlossaryEntry>(
  entries: readonly E[],
  language: LanguageCode,
): TermMatcher<E> {
  return openTerms(entries, tabulateTerms(entries, language), language);
}

/** Ranks by term, 0 first: by priority, then by length. */
function rankTerms(terms: readonly Term<GlossaryEntry>[]): Int32Array {
  const keys = terms.map(({ units, entries }) => ({
    priority: entries[0]!.entry.priority,
    length: units.length,
  }));
  const order = [...keys.keys()].sort(
    (one, other) => keys[other]!.priority - keys[one]!.priority || keys[other]!.length - keys[one]!.length,
  );
  const ranks = new Int32Array(terms.length);
  let rank = 0;
  for (const [place, term] of order.entries()) {
    const [before, here] = [keys[order[place - 1] ?? term]!, keys[term]!];
    if (before.priority !== here.priority || before.length !== here.length) rank++;
    ranks[term] = rank;
  }
  return ranks;
}
