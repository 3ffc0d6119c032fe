import { AppError } from '#server/errors.ts';
import { requireLanguage } from '#server/http/supported-language.ts';
import { type LanguageCode, languageCodes, languageName } from '#server/languages.ts';
import { detectLanguage } from '../plausibility/detect-language.ts';

/** What `metadata.source_lang_detection` holds of a request that asked for detection. */
export interface SourceDetection {
  language: LanguageCode;
  /** 0 to 1. */
  confidence: number;
}

/** Whether a source language asks for detection: `auto`, in any letter case. */
export function asksForDetection(code: string): boolean {
  return code.toLowerCase() === 'auto';
}

/**
 * The stated source language in its canonical form, or the detected one.
 * @param names the field, and what its text is called
 * @throws AppError 422 for an unsupported language, or for a text whose language cannot be told; the message names those that it may be
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
      ? `${names.text} may be in ${likely.join(', ')}, or in another language; name it in ${names.field}`
      : `${names.text} is too short, or in no supported language; name one of: ${languageCodes.join(', ')}`,
    found.candidates,
  );
}

/** 422 for a source whose language cannot be told. @param candidates the likeliest first */
export function undetected(
  field: string,
  reason: string,
  candidates: readonly LanguageCode[] = [],
): AppError {
  return new AppError('unprocessable', `${field} could not be detected: ${reason}`, { candidates });
}

/** Metadata with what was detected; unchanged if nothing was. */
export function withDetection<T extends Record<string, unknown>>(
  metadata: T,
  detection: SourceDetection | null,
): T {
  return detection ? { ...metadata, source_lang_detection: detection } : metadata;
}
