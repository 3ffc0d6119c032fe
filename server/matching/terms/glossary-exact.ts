import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '../normal-form.ts';
import type { GlossaryEntry } from './cased-terms.ts';
import { stringToUnits, unitsToString } from './fold.ts';
import { lettersOf } from './letters.ts';

/** The source terms of a glossary in their normal form, and the places of their entries: plain data, which another thread can read. */
export interface WholeTables {
  cased: [normal: string, places: number[]][];
  /** Without case. */
  uncased: [normal: string, places: number[]][];
}

/** @param language of the terms */
export function tabulateWhole(entries: readonly GlossaryEntry[], language: LanguageCode): WholeTables {
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
 * Finds the entries whose whole source term is a text (C 7 "Glossary exact"): those of its normal form (B 8), without case
 * where the entry has none; the higher priority first, then those with case, then the earlier. Their targets are published
 * as they are, so what matching in running text overlooks (apostrophes, hyphens, width, vowel signs) counts here.
 *
 * @param language of the texts
 */
export function openWhole<E extends GlossaryEntry>(
  entries: readonly E[],
  tables: WholeTables,
  language: LanguageCode,
): (text: string) => E[] {
  const cased = new Map(tables.cased);
  const uncased = new Map(tables.uncased);
  return (text) => {
    const normal = normalForm(text);
    const places = [...(cased.get(normal) ?? []), ...(uncased.get(withoutCase(normal, language)) ?? [])];
    // A stable sort: those with case stay before those without.
    return places.map((place) => entries[place]!).sort((one, other) => other.priority - one.priority);
  };
}

/** Simple case folding, one letter for one, as terms in running text are folded. */
function withoutCase(text: string, language: LanguageCode): string {
  const letters = lettersOf(language);
  return unitsToString(stringToUnits(text).map((unit) => letters.uncased(unit)));
}
