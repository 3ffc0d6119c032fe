import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '../normal-form.ts';
import type { GlossaryEntry } from './cased-terms.ts';
import { stringToUnits, unitsToString } from './fold.ts';
import { lettersOf } from './letters.ts';

/** The normal forms of a glossary's source terms, with the positions of their entries. Plain data, to pass between threads. */
export interface GlossaryExactTables {
  cased: [normal: string, places: number[]][];
  /** Without case. */
  uncased: [normal: string, places: number[]][];
}

/** @param language of the terms */
export function tabulateGlossaryExact(
  entries: readonly GlossaryEntry[],
  language: LanguageCode,
): GlossaryExactTables {
  const cased = new Map<string, number[]>();
  const uncased = new Map<string, number[]>();
  for (const [place, entry] of entries.entries()) {
    const normal = normalForm(entry.sourceTerm);
    if (normal === '' || entry.targetTerm.trim() === '') continue;
    const [sameRule, key] = entry.caseSensitive ? [cased, normal] : [uncased, withoutCase(normal, language)];
    const known = sameRule.get(key);
    if (known) known.push(place);
    else sameRule.set(key, [place]);
  }
  return { cased: [...cased], uncased: [...uncased] };
}

/**
 * Finds the entries whose source term equals a whole text. It compares normal forms, ignoring case if the entry does. The
 * higher priority comes first, then cased entries, then the order of the glossary. Apostrophes, hyphens, width and vowel signs
 * count here, unlike in running text, because the targets are published unchanged.
 *
 * @param language of the texts
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
    // The sort is stable: cased entries stay before case-insensitive ones.
    return places.map((place) => entries[place]!).sort((one, other) => other.priority - one.priority);
  };
}

/** Simple case folding (one letter to one), as for terms in running text. */
function withoutCase(text: string, language: LanguageCode): string {
  const letters = lettersOf(language);
  return unitsToString(stringToUnits(text).map((unit) => letters.uncased(unit)));
}
