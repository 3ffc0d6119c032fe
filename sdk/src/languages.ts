import { languages as supported } from '../../server/languages.ts';
import type { LanguageCode } from './types.ts';

/** A supported language. */
export interface Language {
  /** The language code, as used in `source_lang` and `target_lang`. */
  code: LanguageCode;
  /** The English name. */
  name: string;
  /** The direction in which the language is written. */
  direction: 'ltr' | 'rtl';
  /**
   * Whether each character of a text from or into this language counts 3.5 times, or by the factor that the
   * deployment has set.
   */
  dense: boolean;
}

/** All 35 supported languages. */
export const languages: readonly Language[] = supported;
