import type { DocumentForm } from '#server/documents/schema.ts';
import { AppError, errorTable } from '#server/errors.ts';
import type { AnalysisRow, FileRow } from './analyses.ts';

/**
 * Returns the form with which a file of an analysis would be submitted as a document.
 * @param sourceLang the language of the file; by default that of the analysis
 */
export function formOf(
  { sourceLang, options }: Pick<AnalysisRow, 'sourceLang' | 'options'>,
  file: Pick<FileRow, 'fileName'> & { bytes: Uint8Array; sourceLang?: string | null },
  targetLang: string,
  idempotencyKey: string | null = null,
): DocumentForm {
  return {
    source_document: { name: file.fileName, contentType: '', bytes: file.bytes, via: 'form' },
    source_lang: file.sourceLang ?? sourceLang,
    target_lang: targetLang,
    idempotency_key: idempotencyKey,
    ...options,
  };
}

/** Whether an error is about the file or the workspace, and would be the same at another try soon. */
export function isRefusal(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.code === 'rate_limit') return false;
  return errorTable[error.code].status < 500 || error.code === 'storage_cap_reached';
}

/** Returns a refusal in words for the reader, who does not know the fields of the form. */
export function refusalText({ message, hint }: AppError): string {
  const text = message
    .replace(/^source_document: /, '')
    .replace(/^update_of: /, 'the earlier version: ')
    .replace(/^source_document is/, 'the file is')
    .replace('source_document ', 'file ');
  const [first = '', ...rest] = [text, hint].filter(Boolean).join('; ').replace(/\.$/, '');
  return `${first.toUpperCase()}${rest.join('')}.`;
}

/** Returns the result of a check, or why it failed, in words. @throws other errors than refusals */
export function orRefusal<T>(check: () => T): T | string {
  try {
    return check();
  } catch (error) {
    if (isRefusal(error)) return refusalText(error);
    throw error;
  }
}
