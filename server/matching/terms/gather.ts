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
    const [sameRule, units] = entry.caseSensitive ? [terms.cased, cased] : [terms.folded, folded];
    const key = unitsToString(units);
    const term = sameRule.get(key);
    if (term) insert(term.entries, { entry, order });
    else sameRule.set(key, { units, cased: entry.caseSensitive, entries: [{ entry, order }] });
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
function better(one: Ranked<GlossaryEntry>, other: Ranked<GlossaryEntry>): number {
  return other.entry.priority - one.entry.priority || one.order - other.order;
}

/**
 * The entries that a match of this term stands for, by their places: those of the highest priority, each target once. Entries of
 * the other case rule are none of them: whoever writes *May* beside *may* means two words, not two translations of one.
 */
export function winnersOf({ entries }: Term<GlossaryEntry>): number[] {
  const [{ entry: best }] = entries as [Ranked<GlossaryEntry>];
  const byTarget = new Map<string, number>();
  for (const { entry, order } of entries) {
    if (entry.priority !== best.priority) break;
    if (!byTarget.has(entry.targetTerm)) byTarget.set(entry.targetTerm, order);
  }
  return [...byTarget.values()];
}
