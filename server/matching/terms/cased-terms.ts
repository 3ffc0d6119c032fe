import type { LanguageCode } from '#server/languages.ts';
import { foldTerms, stringToUnits, unitsToString } from './fold.ts';

export interface GlossaryEntry {
  sourceTerm: string;
  targetTerm: string;
  caseSensitive: boolean;
  /** The higher priority wins on overlapping spans. */
  priority: number;
}

/** One source term with one case rule (cased or case-insensitive) and its entries, best first. */
export interface Term<E extends GlossaryEntry> {
  units: Uint16Array;
  cased: boolean;
  entries: Ranked<E>[];
}

/** An entry and its position in the glossary. */
interface Ranked<E extends GlossaryEntry> {
  entry: E;
  order: number;
}

/** The terms of a glossary, with cased and case-insensitive terms in separate maps. The keys are their units as a string. */
interface Terms<E extends GlossaryEntry> {
  cased: Map<string, Term<E>>;
  folded: Map<string, Term<E>>;
}

/** Groups entries by case rule and source term. Ignores entries with a blank term. */
export function groupByCaseRule<E extends GlossaryEntry>(
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

/** Inserts by priority. Entries of equal priority keep the order of the glossary. */
function insert<E extends GlossaryEntry>(entries: Ranked<E>[], added: Ranked<E>): void {
  let at = entries.length;
  while (at > 0 && better(added, entries[at - 1]!) < 0) at--;
  entries.splice(at, 0, added);
}

/** Negative if `one` comes before `other`. */
function better(one: Ranked<GlossaryEntry>, other: Ranked<GlossaryEntry>): number {
  return other.entry.priority - one.entry.priority || one.order - other.order;
}

/**
 * Returns the positions of the entries that a match of this term yields: the entries of the highest priority, each target once.
 * The cased *May* and the case-insensitive *may* are two terms, not two translations of one.
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
 * Spelling changes of words in capitals, apart from letter case: Greek drops its accents, German writes ß as SS. (The capital ẞ
 * is only another case of ß.)
 */
const inCapitals: Partial<Record<LanguageCode, (word: string) => string>> = {
  el: withoutAccents,
  de: (word) => word.replaceAll('ß', 'ss'),
};

/** Ypsilon and iota keep their dots. */
function withoutAccents(word: string): string {
  return word.normalize('NFD').replaceAll('\u0301', '').normalize('NFC');
}

/**
 * Returns terms as they are spelled in capitals, unless another term already has that spelling: νόμος and νομός are both ΝΟΜΟΣ.
 */
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
