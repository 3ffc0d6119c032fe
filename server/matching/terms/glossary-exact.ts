import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '../normal-form.ts';
import type { GlossaryEntry } from './cased-terms.ts';
import { stringToUnits, unitsToString } from './fold.ts';
import { lettersOf } from './letters.ts';

/**
 * The normal forms of a glossary's source terms, each with the positions of its entries in the glossary. The tables are
 * plain data that can be passed between threads.
 */
export interface GlossaryExactTables {
  cased: [normal: string, places: number[]][];
  /** The normal forms of terms that are not case-sensitive, without letter case. */
  uncased: [normal: string, places: number[]][];
}

/** @param language the language of the source terms */
export function tabulateGlossaryExact(
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
export function openGlossaryExact<E extends GlossaryEntry>(
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
