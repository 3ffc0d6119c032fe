import type { LanguageCode } from '#server/languages.ts';
import { foldTerms, stringToUnits, unitsToString } from './fold.ts';

export interface GlossaryEntry {
  sourceTerm: string;
  targetTerm: string;
  caseSensitive: boolean;
  /** The priority of the entry. If the matches of two terms overlap, the match with the higher priority is used. */
  priority: number;
  /**
   * An `allowed` target is accepted like a `preferred` one (default), but is used only without one. A `forbidden` target
   * must not be in a translation.
   */
  status?: 'preferred' | 'allowed' | 'forbidden';
}

/** A source term with one case rule (case-sensitive or not), and its entries, best first. */
export interface Term<E extends GlossaryEntry> {
  units: Uint16Array;
  cased: boolean;
  entries: Ranked<E>[];
}

/** An entry with its position in the glossary. */
interface Ranked<E extends GlossaryEntry> {
  entry: E;
  order: number;
}

/**
 * The terms of a glossary: case-sensitive terms in `cased`, and all others in `folded`. The keys are the units of the
 * terms as strings.
 */
interface Terms<E extends GlossaryEntry> {
  cased: Map<string, Term<E>>;
  folded: Map<string, Term<E>>;
}

/**
 * Groups the entries of a glossary by case rule and source term. Ignores entries with a blank source or target term.
 */
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

/**
 * Inserts an entry into a list that is sorted by priority. Entries of equal priority keep the order of the glossary.
 */
function insert<E extends GlossaryEntry>(entries: Ranked<E>[], added: Ranked<E>): void {
  let at = entries.length;
  while (at > 0 && better(added, entries[at - 1]!) < 0) at--;
  entries.splice(at, 0, added);
}

/** Compares two entries; the result is negative if `one` comes before `other`. */
function better(one: Ranked<GlossaryEntry>, other: Ranked<GlossaryEntry>): number {
  return other.entry.priority - one.entry.priority || one.order - other.order;
}

/**
 * Returns the entries that a match of a term yields, as positions in the glossary: the preferred entries of the highest
 * priority, then the allowed and the forbidden ones of any priority, each target term once. If one entry accepts a target
 * and another one forbids it, the better one counts. A case-sensitive *May* and a case-insensitive *may* are two terms,
 * not two translations of one term.
 */
export function winnersOf({ entries }: Term<GlossaryEntry>): number[] {
  const byTarget = new Map<string, Ranked<GlossaryEntry>>();
  for (const ranked of entries)
    if (!byTarget.has(ranked.entry.targetTerm)) byTarget.set(ranked.entry.targetTerm, ranked);
  const targets = [...byTarget.values()];
  const ofStatus = (wanted: GlossaryEntry['status']) =>
    targets.filter(({ entry: { status = 'preferred' } }) => status === wanted);
  const preferred = ofStatus('preferred');
  const best = preferred.filter(({ entry }) => entry.priority === preferred[0]!.entry.priority);
  return [...best, ...ofStatus('allowed'), ...ofStatus('forbidden')].map(({ order }) => order);
}

/**
 * How the spelling of words in capitals differs, apart from letter case. Greek omits the accents, and German writes ß
 * as SS. (The capital ẞ is only the other case of ß.)
 */
const inCapitals: Partial<Record<LanguageCode, (word: string) => string>> = {
  el: withoutAccents,
  de: (word) => word.replaceAll('ß', 'ss'),
};

/** Removes the accents of a word. The dots of iota and ypsilon stay. */
function withoutAccents(word: string): string {
  return word.normalize('NFD').replaceAll('\u0301', '').normalize('NFC');
}

/**
 * Returns terms in the spelling that they have in capitals. A term is left out if another term already has this
 * spelling: νόμος and νομός are both ΝΟΜΟΣ.
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
