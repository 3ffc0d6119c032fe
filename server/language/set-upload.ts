import { AppError } from '#server/errors.ts';
import { type LanguageCode, languageCodes, readLanguage } from '#server/languages.ts';
import { SandboxError } from '#server/platform/sandbox/sandbox-error.ts';
import { sandboxRefusal } from '#server/platform/sandbox-errors.ts';

/** Maximum number of characters of a set's name. */
const maxNameLength = 128;

/**
 * Returns the name of an uploaded glossary or TM, trimmed.
 * @throws AppError 400
 */
export function requireSetName(name: string | undefined): string {
  const trimmed = (name ?? '').trim();
  const length = [...trimmed.slice(0, 2 * maxNameLength + 2)].length;
  if (length === 0) throw new AppError('validation_error', 'name is required');
  if (length > maxNameLength)
    throw new AppError('validation_error', `name must have at most ${maxNameLength} characters`);
  // Control characters are rejected, because the name is used in file names, headers and logs.
  if (/\p{Cc}/u.test(trimmed))
    throw new AppError('validation_error', 'name must not contain control characters');
  return trimmed;
}

/**
 * Requires that the tenant may have one more set. Replacing a set of the same name is always allowed.
 * @param sets the number of the tenant's sets; undefined if one of them has the name of the upload
 * @throws AppError 422; the message contains the limit
 */
export function requireRoomForSet(
  sets: number | undefined,
  max: number,
  { code, noun }: { code: string; noun: string },
): void {
  if (sets !== undefined && sets >= max)
    throw new AppError(
      'unprocessable',
      `${code}: there are ${sets} ${noun}; at most ${max} are allowed, delete one first`,
    );
}

/** A language tag as the uploader declared it, with the code of the language that it means. */
export interface DeclaredLanguage {
  tag: string;
  code: LanguageCode;
}

/**
 * Reads a required language tag.
 * @throws AppError 400 if the tag is missing, 422 if the language is not supported
 */
export function requireDeclaredLanguage(field: string, tag: string | undefined): DeclaredLanguage {
  const declared = readDeclaredLanguage(field, tag);
  if (!declared) throw new AppError('validation_error', `${field} is required`);
  return declared;
}

/**
 * Reads two required languages.
 * @throws AppError 400 if a tag is missing or both are the same language, 422 if a language is not supported
 */
export function requireLanguagePair(tags: {
  source_lang?: string | undefined;
  target_lang?: string | undefined;
}) {
  const source = requireDeclaredLanguage('source_lang', tags.source_lang);
  const target = requireDeclaredLanguage('target_lang', tags.target_lang);
  requireDifferent(source.code, target.code);
  return { source, target };
}

/** @throws AppError 400 if both languages are given and the same */
export function requireDifferent(source: string | undefined, target: string | undefined): void {
  if (source && source === target)
    throw new AppError('validation_error', 'source_lang and target_lang are the same language');
}

/**
 * Reads an optional language tag. Returns null if it is omitted.
 * @throws AppError 422
 */
export function readDeclaredLanguage(field: string, tag: string | undefined): DeclaredLanguage | null {
  const trimmed = (tag ?? '').trim();
  if (trimmed === '') return null;
  const code = trimmed.length <= 100 ? readLanguage(trimmed) : undefined;
  if (code) return { tag: trimmed, code };
  throw new AppError(
    'unprocessable',
    `unsupported ${field} ${JSON.stringify(trimmed.slice(0, 40))}; supported languages: ${languageCodes.join(', ')}`,
  );
}

/** Returns the suffix of a file name, including its dot, in lower case; empty if none exists. */
export function suffixOf(fileName: string): string {
  return /\.[^.\\/]*$/.exec(fileName)?.[0].toLowerCase() ?? '';
}

/** Returns a content type without parameters, in lower case; empty if none was declared. */
export function declaredType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** The content types that are accepted for a TMX file. */
export const tmxTypes: readonly string[] = [
  'application/xml',
  'text/xml',
  'application/x-tmx+xml',
  'application/octet-stream',
];

/** Converts the sandbox's errors about a file that cannot be read. Returns any other error unchanged. */
export function unreadableFile(field: string, error: unknown): unknown {
  if (!(error instanceof SandboxError)) return error;
  const { reason } = error;
  if (reason === 'time' || reason === 'memory')
    return new AppError('validation_error', `${field} takes too long to read; split it into several files`, {
      cause: error,
    });
  return reason === 'crashed'
    ? new AppError('validation_error', `${field} cannot be read`, { cause: error })
    : sandboxRefusal(error);
}
