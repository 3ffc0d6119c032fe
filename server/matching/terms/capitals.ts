import type { LanguageCode } from '#server/languages.ts';
import { stringToUnits } from './fold.ts';
import type { GlossaryEntry, Term } from './gather.ts';

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
