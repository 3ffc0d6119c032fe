import { AppError } from '#server/errors.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import { type LanguageCode, languageCodes, languageName } from '#server/languages.ts';
import { detectLanguage } from '../plausibility/detect-language.ts';

/** `metadata.source_lang_detection` of a request with language detection. */
export interface SourceDetection {
  language: LanguageCode;
  /** Confidence from 0 to 1. */
  confidence: number;
}

/** Whether the source language requests detection: `auto`, in any letter case. */
export function asksForDetection(code: string): boolean {
  return code.toLowerCase() === 'auto';
}

/**
 * Returns the stated source language in its canonical form, or the detected one.
 * @param names the names of the language field and of the text field
 * @throws AppError 422 for an unsupported language, or if the language cannot be detected; the message lists the likely
 *   ones
 */
export function readSourceLanguage(
  names: { field: string; text: string },
  code: string,
  text: string,
): { language: LanguageCode; detection: SourceDetection | null } {
  if (!asksForDetection(code)) return { language: requireLanguage(names.field, code), detection: null };
  const found = detectLanguage(text);
  if (found.language !== null) return { language: found.language, detection: found };
  const likely = found.candidates.map((one) => `${one} (${languageName(one)})`);
  throw undetected(
    names.field,
    likely.length > 0
      ? `${names.text} may be in ${likely.join(', ')}, or in another language; send its language in ${names.field}`
      : `${names.text} is too short, or not in a supported language; send one of: ${languageCodes.join(', ')}`,
    found.candidates,
  );
}

/**
 * Returns the 422 for a text whose language cannot be detected.
 * @param candidates the possible languages, the likeliest first
 */
export function undetected(
  field: string,
  reason: string,
  candidates: readonly LanguageCode[] = [],
): AppError {
  return new AppError('unprocessable', `${field} could not be detected: ${reason}`, { candidates });
}

/** Returns the metadata with the detected language; unchanged if no detection was requested. */
export function withDetection<T extends Record<string, unknown>>(
  metadata: T,
  detection: SourceDetection | null,
): T {
  return detection ? { ...metadata, source_lang_detection: detection } : metadata;
}
