import { languages as supported } from '../../server/languages.ts';
import type { LanguageCode } from './types.ts';

/** A supported language. */
export interface Language {
  /** The value for `source_lang` and `target_lang`. */
  code: LanguageCode;
  /** The English name. */
  name: string;
  /** The direction in which it is written. */
  direction: 'ltr' | 'rtl';
  /** Whether every character of a pair with it counts 3.5 times, or the deployment's factor. */
  dense: boolean;
}

/** All 35 supported languages. */
export const languages: readonly Language[] = supported;
