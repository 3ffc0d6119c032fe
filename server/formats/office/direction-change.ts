import { directionOf } from '../typesetting/languages.ts';

/**
 * How a translation changes the writing direction of a file. `rtl` makes it right-to-left, and `ltr` makes it
 * left-to-right. `kept` leaves the direction unchanged; it applies if both languages have the same direction.
 */
export type DirectionChange = 'rtl' | 'ltr' | 'kept';

/** @param sourceLanguage a supported language code, like `targetLanguage` */
export function directionChange(sourceLanguage: string, targetLanguage: string): DirectionChange {
  if (directionOf(targetLanguage) === 'rtl') return 'rtl';
  return directionOf(sourceLanguage) === 'rtl' ? 'ltr' : 'kept';
}
