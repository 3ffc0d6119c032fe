import { languages as supported } from '../../server/languages.ts';
import type { LanguageCode } from './types.ts';

/** A supported language. */
export interface Language {
  /** What `source_lang` and `target_lang` take. */
  code: LanguageCode;
  /** The English name. */
  name: string;
  /** The direction in which it is written. */
  direction: 'ltr' | 'rtl';
  /** Whether every character of a pair with it counts 3.5 times, or what the service sets instead. */
  dense: boolean;
}

/** All 35 supported languages. */
export const languages: readonly Language[] = supported;
