import { ar } from '#web/server/landing-words/ar.ts';
import { de } from '#web/server/landing-words/de.ts';
import { en } from '#web/server/landing-words/en.ts';
import { es } from '#web/server/landing-words/es.ts';
import { fr } from '#web/server/landing-words/fr.ts';
import { ja } from '#web/server/landing-words/ja.ts';
import { pt } from '#web/server/landing-words/pt.ts';
import type { Locale } from '#web/server/locale.ts';

const words = { en, de, fr, es, pt, ar, ja };

/** All texts of the landing page in a language. */
export function textsOf(locale: Locale): string[] {
  const flat = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(flat);
  return flat(words[locale]);
}
