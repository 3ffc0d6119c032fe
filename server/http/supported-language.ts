import { AppError } from '#server/errors.ts';
import { canonicalLanguage, type LanguageCode, languageCodes } from '#server/languages.ts';

/**
 * @returns the canonical code of a supported language
 * @throws AppError 422 for an unsupported language; the message lists the supported ones
 */
export function requireLanguage(field: string, code: string): LanguageCode {
  const canonical = canonicalLanguage(code);
  if (canonical) return canonical;
  throw new AppError(
    'unprocessable',
    `unsupported ${field} ${JSON.stringify(code.slice(0, 40))}; supported languages: ${languageCodes.join(', ')}`,
  );
}
