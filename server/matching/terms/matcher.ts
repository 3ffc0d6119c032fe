import type { LanguageCode } from '#server/languages.ts';
import { boundariesOf } from './boundaries.ts';
import { compilePatterns } from './candidates.ts';
import { spellInCapitals } from './capitals.ts';
import { foldText } from './fold.ts';
import { type GlossaryEntry, gatherTerms, type Term, winnersOf } from './gather.ts';
import { selectCandidates } from './select.ts';
import { compileWhole } from './whole.ts';

export interface TermMatch<E extends GlossaryEntry> {
  /** UTF-16 offsets in the text as given. */
  start: number;
  end: number;
  /**
   * The winner first; then entries of the same span, priority and case rule with other targets, which are as good. Matches
   * of one term share one array.
   */
  entries: readonly [E, ...E[]];
}

export interface TermMatcher<E extends GlossaryEntry> {
  /**
   * The terms in a text, none over another, in reading order: the higher priority wins, then the longer term, then the
   * earlier, then one with case. Time is linear in the text.
   */
  find(text: string): TermMatch<E>[];
  /**
   * Entries whose whole source term is the text (C 7 "Glossary exact"): the higher priority first, then those with case, then
   * the earlier in the glossary.
   */
  whole(text: string): E[];
}

/**
 * A matcher of a glossary's terms; what stands for a term in a text is in docs/terminology.md.
 *
 * @param entries of one language pair, those first that win a tie of priority and length; a blank term is none
 * @param language of the texts
 */
export function compileTerms<E extends GlossaryEntry>(
  entries: readonly E[],
  language: LanguageCode,
): TermMatcher<E> {
  const { cased, folded } = gatherTerms(entries, language);
  const plain = [...cased.values(), ...folded.values()];
  const capitals = spellInCapitals(folded, language);
  const terms = [...plain, ...capitals];
  const findCandidates = compilePatterns(
    terms.map(({ units, cased }, number) => ({ units, cased, capitalsOnly: number >= plain.length })),
  );
  const ranks = rankTerms(terms);
  const winners = terms.map(winnersOf);

  return {
    find: (given) => {
      const text = foldText(given, language);
      const candidates = findCandidates(text, boundariesOf(text, given, language, 'source'));
      return selectCandidates(candidates, ranks, text.length).map((candidate) => ({
        start: text.starts[candidates.starts[candidate]!]!,
        end: text.ends[candidates.ends[candidate]! - 1]!,
        entries: winners[candidates.patterns[candidate]!]!,
      }));
    },
    whole: compileWhole(entries, language),
  };
}

/** By term, 0 first: the higher priority, then the longer. */
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
