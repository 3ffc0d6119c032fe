import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '../normal-form.ts';
import { boundariesOf } from './boundaries.ts';
import { type GlossaryEntry, groupByCaseRule, spellInCapitals, type Term, winnersOf } from './cased-terms.ts';
import { foldText, stringToUnits, unitsToString } from './fold.ts';
import { lettersOf } from './letters.ts';
import { openPatterns, type PatternTables, selectNonOverlapping, tabulatePatterns } from './patterns.ts';

export interface TermMatch<E extends GlossaryEntry> {
  /** The start and end of the match, as UTF-16 offsets in the given text. */
  start: number;
  end: number;
  /**
   * The entries of the match: the best one, and then equally good ones with the same term, priority and case rule but
   * other target terms; last, those with forbidden target terms. If a term has only forbidden targets, the first entry is
   * one of them. All matches of a term share one array.
   */
  entries: readonly [E, ...E[]];
}

export interface TermMatcher<E extends GlossaryEntry> {
  /** Finds the terms in a text, as `findInText` does, and returns them with their entries. */
  find(text: string): TermMatch<E>[];
  /** Returns a result of `findInText` with the entries of each match. */
  matchesOf(found: FoundTerms): TermMatch<E>[];
  /**
   * Returns the entries whose source term equals the whole text. Entries with a higher priority come first. Of equal
   * priority, case-sensitive entries come first, and then entries in the order of the glossary.
   */
  whole(text: string): E[];
}

/** A compiled glossary as plain data, which can be passed between threads. */
export interface TermTables {
  patterns: PatternTables;
  /** The rank of each term. If matches overlap, the one with the lowest rank is used. */
  ranks: Int32Array;
  /** The positions in the glossary of the entries that a match of each term yields, term after term. */
  winners: Int32Array;
  /** For each term, the end of its positions in `winners`. */
  winnerEnds: Int32Array;
  whole: GlossaryExactTables;
}

/** The matches in a text in reading order, as parallel arrays. */
export interface FoundTerms {
  /** The starts and (`ends`) ends of the matches, as UTF-16 offsets in the given text. */
  starts: Int32Array;
  ends: Int32Array;
  /** The numbers of the matched terms in `TermTables`. */
  terms: Int32Array;
}

/**
 * Compiles a glossary. docs/terminology.md defines the matches of a term.
 *
 * @param entries the entries of one language pair. Blank terms are ignored. The order of the entries decides between
 *   entries that have equal priority and terms of equal length
 * @param language the language of the texts
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
 * Finds the terms in a text. Matches do not overlap. Of overlapping matches, the one with the higher priority is used;
 * of equal priority, the longer one, then the earlier one, and then the case-sensitive one. Takes time linear in the
 * length of the text.
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

/** @param tables the result of `tabulateTerms` for the same entries and language */
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

/** Calls `tabulateTerms` and then `openTerms`. */
export function compileTerms<E extends GlossaryEntry>(
  entries: readonly E[],
  language: LanguageCode,
): TermMatcher<E> {
  return openTerms(entries, tabulateTerms(entries, language), language);
}

/** Returns the rank of each term, by priority and then by length. The lowest rank is the best. */
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

/**
 * The normal forms of a glossary's source terms, each with the positions of its entries in the glossary. The tables are
 * plain data that can be passed between threads.
 */
interface GlossaryExactTables {
  cased: [normal: string, places: number[]][];
  /** The normal forms of terms that are not case-sensitive, without letter case. */
  uncased: [normal: string, places: number[]][];
}

/** @param language the language of the source terms */
function tabulateGlossaryExact(
  entries: readonly GlossaryEntry[],
  language: LanguageCode,
): GlossaryExactTables {
  const cased = new Map<string, number[]>();
  const uncased = new Map<string, number[]>();
  for (const [place, entry] of entries.entries()) {
    const normal = normalForm(entry.sourceTerm);
    if (normal === '' || entry.targetTerm.trim() === '' || entry.status === 'forbidden') continue;
    const [sameRule, key] = entry.caseSensitive ? [cased, normal] : [uncased, withoutCase(normal, language)];
    const known = sameRule.get(key);
    if (known) known.push(place);
    else sameRule.set(key, [place]);
  }
  return { cased: [...cased], uncased: [...uncased] };
}

/**
 * Returns a function that returns the entries whose source term equals a whole text. Normal forms are compared; letter
 * case is ignored if the entry is not case-sensitive. Preferred entries come before allowed ones,
 * then those with a higher priority. Of equal priority, case-sensitive entries come first, and then entries in the order
 * of the glossary. Forbidden entries are left out. Unlike in running text, differences
 * in apostrophes, hyphens, width and vowel signs matter, because the targets of such entries are published unchanged.
 *
 * @param language the language of the source terms and of the texts
 */
function openGlossaryExact<E extends GlossaryEntry>(
  entries: readonly E[],
  tables: GlossaryExactTables,
  language: LanguageCode,
): (text: string) => E[] {
  const cased = new Map(tables.cased);
  const uncased = new Map(tables.uncased);
  return (text) => {
    const normal = normalForm(text);
    const places = [...(cased.get(normal) ?? []), ...(uncased.get(withoutCase(normal, language)) ?? [])];
    // The sort is stable, so case-sensitive entries stay before others of equal priority.
    const isAllowed = ({ status }: E) => Number(status === 'allowed');
    return places
      .map((place) => entries[place]!)
      .sort((one, other) => isAllowed(one) - isAllowed(other) || other.priority - one.priority);
  };
}

/** Removes letter case by simple case folding (one letter becomes one letter), as for terms in running text. */
function withoutCase(text: string, language: LanguageCode): string {
  const letters = lettersOf(language);
  return unitsToString(stringToUnits(text).map((unit) => letters.uncased(unit)));
}
