import type { LanguageCode } from '#server/languages.ts';
import { foldTerms, stringToUnits, unitsToString } from './fold.ts';

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
interface Ranked<E extends GlossaryEntry> {
  entry: E;
  order: number;
}

/** The terms of a glossary by their units as a string: those with case, and those without. */
interface Terms<E extends GlossaryEntry> {
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

/**
 * How a language's words change where they are written in capitals, beyond the case of their letters: Greek drops its
 * accents, German writes ß as SS. (A capital ẞ is the ß's other case.)
 */
const inCapitals: Partial<Record<LanguageCode, (word: string) => string>> = {
  el: withoutAccents,
  de: (word) => word.replaceAll('ß', 'ss'),
};

/** Ypsilon and iota keep their dots. */
function withoutAccents(word: string): string {
  return word.normalize('NFD').replaceAll('\u0301', '').normalize('NFC');
}

/** Terms once more, as they stand in capitals, where that is no other term: νόμος and νομός are ΝΟΜΟΣ. */
export function spellInCapitals<E extends GlossaryEntry>(
  folded: ReadonlyMap<string, Term<E>>,
  language: LanguageCode,
): Term<E>[] {
  const spell = inCapitals[language];
  if (spell === undefined) return [];
  const spelled = new Map<string, Term<E>>();
  for (const [word, term] of folded) {
    const capitals = spell(word);
    if (folded.has(capitals) || spelled.has(capitals)) continue;
    const units = stringToUnits(capitals);
    spelled.set(capitals, { ...term, units });
  }
  return [...spelled.values()];
}
