import type { LanguageCode } from '#server/languages.ts';
import { normalForm } from '../normal-form.ts';
import { stringToUnits, unitsToString } from './fold.ts';
import type { GlossaryEntry } from './gather.ts';
import { lettersOf } from './letters.ts';

/**
 * Finds the entries whose whole source term is a text (C 7 "Glossary exact"): those of its normal form (B 8), without case
 * where the entry has none; the higher priority first, then those with case, then the earlier. Their targets are published
 * as they are, so what matching in running text overlooks (apostrophes, hyphens, width, vowel signs) counts here.
 *
 * @param language of the texts
 */
export function compileWhole<E extends GlossaryEntry>(
  entries: readonly E[],
  language: LanguageCode,
): (text: string) => E[] {
  const cased = new Map<string, E[]>();
  const uncased = new Map<string, E[]>();
  for (const entry of entries) {
    const normal = normalForm(entry.sourceTerm);
    if (normal === '' || entry.targetTerm.trim() === '') continue;
    const [sameRule, key] = entry.caseSensitive ? [cased, normal] : [uncased, withoutCase(normal, language)];
    const known = sameRule.get(key);
    if (known) known.push(entry);
    else sameRule.set(key, [entry]);
  }
  return (text) => {
    const normal = normalForm(text);
    const found = [...(cased.get(normal) ?? []), ...(uncased.get(withoutCase(normal, language)) ?? [])];
    // A stable sort: those with case stay before those without.
    return found.sort((one, other) => other.priority - one.priority);
  };
}

/** Simple case folding, one letter for one, as terms in running text are folded. */
function withoutCase(text: string, language: LanguageCode): string {
  const letters = lettersOf(language);
  return unitsToString(stringToUnits(text).map((unit) => letters.uncased(unit)));
}
