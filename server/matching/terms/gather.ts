import type { LanguageCode } from '#server/languages.ts';
import { foldTerms, unitsToString } from './fold.ts';

export interface GlossaryEntry {
  sourceTerm: string;
  targetTerm: string;
  caseSensitive: boolean;
  /** Higher wins on overlapping spans (B 4.4). */
  priority: number;
}

/** One source term under one case rule, and its entries, best first. */
export interface Term<E extends GlossaryEntry> {
  units: Uint16Array;
  cased: boolean;
  /** Its units without case, as a string. */
  uncased: string;
  entries: Ranked<E>[];
}

/** An entry and how many stand before it in the glossary as given. */
export interface Ranked<E extends GlossaryEntry> {
  entry: E;
  order: number;
}

/** The terms of a glossary by their units as a string: those with case, and those without. */
export interface Terms<E extends GlossaryEntry> {
  cased: Map<string, Term<E>>;
  folded: Map<string, Term<E>>;
}

/** An entry with a blank term is none. */
export function gatherTerms<E extends GlossaryEntry>(
  entries: readonly E[],
  language: LanguageCode,
): Terms<E> {
  const terms: Terms<E> = { cased: new Map(), folded: new Map() };
  const foldedTerms = foldTerms(
    entries.map(({ sourceTerm }) => sourceTerm),
    language,
  );
  for (const [order, entry] of entries.entries()) {
    const { cased, folded } = foldedTerms[order]!;
    if (folded.length === 0 || entry.targetTerm.trim() === '') continue;
    const uncased = unitsToString(folded);
    const [sameRule, key] = entry.caseSensitive
      ? [terms.cased, unitsToString(cased)]
      : [terms.folded, uncased];
    const term = sameRule.get(key);
    if (term) insert(term.entries, { entry, order });
    else {
      const units = entry.caseSensitive ? cased : folded;
      sameRule.set(key, { units, cased: entry.caseSensitive, uncased, entries: [{ entry, order }] });
    }
  }
  return terms;
}

/** Entries come in order, so those of one priority stay in it. */
function insert<E extends GlossaryEntry>(entries: Ranked<E>[], added: Ranked<E>): void {
  let at = entries.length;
  while (at > 0 && better(added, entries[at - 1]!) < 0) at--;
  entries.splice(at, 0, added);
}

/** Negative where `one` goes before `other`. */
export function better(one: Ranked<GlossaryEntry>, other: Ranked<GlossaryEntry>): number {
  return other.entry.priority - one.entry.priority || one.order - other.order;
}

/**
 * The entries that a match of this term stands for: those of the highest priority, with each other target once. Where a
 * term stands with its case it stands without, too, so entries of the other case rule count.
 */
export function winnersOf<E extends GlossaryEntry>(
  term: Term<E>,
  withoutCase: Term<E> | undefined,
): readonly [E, ...E[]] {
  if (term.entries.length === 1 && withoutCase === undefined) return [term.entries[0]!.entry];
  const entries = [...term.entries, ...(withoutCase?.entries ?? [])].sort(better);
  const priority = term.entries[0]!.entry.priority;
  const byTarget = new Map<string, E>();
  for (const { entry } of entries)
    if (entry.priority === priority && !byTarget.has(entry.targetTerm)) byTarget.set(entry.targetTerm, entry);
  const [winner, ...others] = byTarget.values();
  return [winner!, ...others];
}
