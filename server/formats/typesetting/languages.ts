import type { FontName } from './fonts.ts';

export type Direction = 'ltr' | 'rtl';

/**
 * Returns the direction in which paragraphs of a language are written. The language is given as a BCP 47 tag; unknown
 * languages are left-to-right.
 */
export function directionOf(language: string): Direction {
  return ['ar', 'fa', 'ur'].includes(primary(language)) ? 'rtl' : 'ltr';
}

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

/**
 * Returns the main font of a language. Chinese, Japanese and Korean share characters; each of them gets the forms of
 * its region.
 */
export function fontOf(language: string): FontName {
  switch (primary(language)) {
    case 'ar':
    case 'fa':
    case 'ur':
      return 'arabic';
    case 'hi':
    case 'mr':
    case 'ne':
      return 'devanagari';
    case 'th':
      return 'thai';
    case 'ja':
      return 'japanese';
    case 'ko':
      return 'korean';
    case 'zh':
      return /-(hant|tw|hk|mo)\b/i.test(language) ? 'traditionalChinese' : 'simplifiedChinese';
    default:
      return 'sans';
  }
}

const lineHeights: Partial<Record<FontName, number>> = {
  arabic: 1.7,
  devanagari: 1.6,
  thai: 1.6,
  simplifiedChinese: 1.6,
  traditionalChinese: 1.6,
  japanese: 1.6,
  korean: 1.6,
};

/** Returns the usual distance between the baselines of a language's running text, in em. */
export function lineHeightOf(language: string): number {
  return lineHeights[fontOf(language)] ?? 1.4;
}

function primary(language: string): string {
  return language.split('-', 1)[0]!.toLowerCase();
}
