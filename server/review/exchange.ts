import { createHash } from 'node:crypto';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isSameSource } from '#server/formats/xliff/content.ts';
import type { ReadUnit, XliffFile } from '#server/formats/xliff/reader.ts';
import { type XliffHead, xliffFileHead, xliffType } from '#server/formats/xliff/writer.ts';
import { beginExport, type ExportRequest, guardExport, makePage } from '#server/http/exports.ts';
import { unreadableFile } from '#server/language/set-upload.ts';
import { type LanguageCode, languageDirection } from '#server/languages.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import type { StreamResponse } from '#server/trpc.ts';

/** Reads a part of an export in its own transaction. */
export type ReadPart = <T>(select: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Writes an XLIFF document as a stream. An error before the first byte gets an ordinary error response.
 * @param begin reads what comes first, and returns the pieces of the document
 */
export async function streamXliff(
  { database, log }: Pick<Services, 'database' | 'log'>,
  tenantId: string,
  request: ExportRequest,
  begin: (read: ReadPart) => Promise<{ fileName: string; pieces: AsyncGenerator<string, void> }>,
): Promise<StreamResponse> {
  const scope = { tenantId, signal: request.signal };
  const slot = await beginExport(scope);
  try {
    const { fileName, pieces } = await begin((select) =>
      makePage(scope, () => database.inTenant(tenantId, select)),
    );
    const chunks = guardExport(log, request, slot, pieces);
    return { chunks, contentType: xliffType, fileName, cut: slot.cut, end: slot.end };
  } catch (error) {
    slot.end();
    throw error;
  }
}

/** Returns the start of the next `<file>` of an XLIFF document, with the text directions of its languages. */
export function startFile(languages: XliffHead, file: { id: string; original: string }): string {
  const isRightToLeft = (code: string) => languageDirection(code as LanguageCode) === 'rtl';
  return xliffFileHead(file, {
    source: isRightToLeft(languages.sourceLang),
    target: isRightToLeft(languages.targetLang),
  });
}

/**
 * Reads the `<file>` of an XLIFF body in a child process.
 * @param fileId the ID of the job or document in the URL
 * @throws AppError 400 if the body is not XLIFF; 422 if it does not contain this file, or violates a rule of the format
 */
export async function readXliffBody(
  { fileWork }: Pick<Services, 'fileWork'>,
  scope: TaskScope,
  bytes: Uint8Array,
  fileId: string,
): Promise<XliffFile> {
  if (bytes.length === 0) throw new AppError('validation_error', 'invalid XLIFF: the body is empty');
  try {
    const read = await fileWork.run('read_xliff', { bytes, fileId }, scope);
    if ('file' in read) return read.file;
    throw new AppError(read.isXliff ? 'unprocessable' : 'validation_error', `invalid XLIFF: ${read.refused}`);
  } catch (error) {
    throw unreadableFile('the XLIFF body', error);
  }
}

/** @throws AppError 422 if the languages of the file differ from those of the job or document */
export function requireLanguages(file: XliffFile, { sourceLang, targetLang }: XliffHead): void {
  const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
  if (!isSame(file.sourceLang, sourceLang) || !isSame(file.targetLang, targetLang))
    throw new AppError(
      'unprocessable',
      `the file translates from ${named(file.sourceLang)} into ${named(file.targetLang)}, but the job translates from ${sourceLang} into ${targetLang}`,
    );
}

function named(tag: string): string {
  return tag === '' ? 'no language' : tag.slice(0, 40);
}

/** Returns a hash of a translation, 22 characters of base64url. null stands for a segment without a translation. */
export function textVersion(translation: string | null): string {
  const written = translation === null ? 'none' : `text ${translation}`;
  return createHash('sha256').update(written).digest('base64url').slice(0, 22);
}

/** Returns an error about one unit of a file, with the unit's ID and line. */
export function unitError(
  code: 'unprocessable' | 'conflict',
  { id, line }: ReadUnit,
  problem: string,
): AppError {
  return new AppError(code, `unit ${JSON.stringify(id.slice(0, 100))} (line ${line}): ${problem}`);
}

/**
 * Returns the version of the translation at the time when the unit was exported.
 * @throws AppError 422 if the source of the unit has changed, or if a tool has dropped the version
 */
export function requireVersion(unit: ReadUnit, source: { ofUnit: string; present: string }): string {
  if (!isSameSource(source.ofUnit, source.present))
    throw unitError('unprocessable', unit, 'its source text was changed; change only the target text');
  if (unit.version !== null) return unit.version;
  throw unitError(
    'unprocessable',
    unit,
    'its version is missing, because a tool has removed the element <mda:metadata>; export it again, and keep that element',
  );
}
