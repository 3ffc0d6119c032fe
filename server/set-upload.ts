import { AppError } from './errors.ts';
import { type LanguageCode, languageCodes, readLanguage } from './languages.ts';
import { SandboxError } from './sandbox/sandbox-error.ts';
import { sandboxRefusal } from './sandbox-errors.ts';

/** B 8 "Set name length", in characters. */
const longestName = 128;

/**
 * What an uploaded glossary or memory is called, without the space around it.
 * @throws AppError 400
 */
export function requireSetName(name: string | undefined): string {
  const trimmed = (name ?? '').trim();
  const length = [...trimmed.slice(0, 2 * longestName + 2)].length;
  if (length === 0) throw new AppError('validation_error', 'name is required');
  if (length > longestName)
    throw new AppError('validation_error', `name must have ${longestName} characters at most`);
  // It becomes a file's name, and stands in headers and logs.
  if (/\p{Cc}/u.test(trimmed))
    throw new AppError('validation_error', 'name must not contain control characters');
  return trimmed;
}

/**
 * Requires that one more set fits. Replacing a set by its name always does.
 * @param sets how many sets the tenant has; undefined if one of them has the uploaded name
 * @throws AppError 422 with the limit
 */
export function requireRoomForSet(
  sets: number | undefined,
  most: number,
  { code, noun }: { code: string; noun: string },
): void {
  if (sets !== undefined && sets >= most)
    throw new AppError(
      'unprocessable',
      `${code}: there are ${sets} ${noun}; at most ${most} are allowed, delete one first`,
    );
}

/** A language as an uploader declared it, and what it stands for (B 4.4 "Language code reading"). */
export interface DeclaredLanguage {
  tag: string;
  code: LanguageCode;
}

/**
 * A declared language that must be there.
 * @throws AppError 400 where it is missing, 422 where it stands for no supported language
 */
export function requireDeclaredLanguage(field: string, tag: string | undefined): DeclaredLanguage {
  const declared = readDeclaredLanguage(field, tag);
  if (!declared) throw new AppError('validation_error', `${field} is required`);
  return declared;
}

/** The same, where it may be left out: null then. @throws AppError 422 */
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

/** The suffix of a file's name with its dot, in lower case; empty where it has none. */
export function suffixOf(fileName: string): string {
  return /\.[^.\\/]*$/.exec(fileName)?.[0].toLowerCase() ?? '';
}

/** A content type without parameters, in lower case; empty where nothing was declared. */
export function declaredType(contentType: string): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/** B 4.4: what a TMX file may be declared as. */
export const tmxTypes: readonly string[] = [
  'application/xml',
  'text/xml',
  'application/x-tmx+xml',
  'application/octet-stream',
];

/** What a caller is told where the sandbox did not read a file; anything else is as it was. */
export function unreadableFile(field: string, error: unknown): unknown {
  if (!(error instanceof SandboxError)) return error;
  const { reason } = error;
  if (reason === 'time' || reason === 'memory')
    return new AppError('validation_error', `${field} takes too long to read; split it and send the parts`, {
      cause: error,
    });
  return reason === 'crashed'
    ? new AppError('validation_error', `${field} cannot be read`, { cause: error })
    : sandboxRefusal(error);
}
