import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { FileError } from '#server/formats/file-error.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { fileErrorOf } from '#server/platform/sandbox/file-work.ts';
import type { TaskScope } from '#server/platform/sandbox/task-queue.ts';
import type {
  DocumentPayload,
  HashTextsPayload,
  KeepTextsPayload,
  RebuildPayload,
  RecognitionPayload,
  RefusedFile,
} from '#server/platform/sandbox/tasks/layout-document.ts';
import { sandboxRefusal } from '#server/platform/sandbox-errors.ts';

type Files = Pick<Services, 'fileWork'>;

/*
 * Work on files. Each function runs in a child process when the tenant gets a slot. It throws a FileError if the file
 * is invalid, or takes too much time or memory. It throws an AppError if no process is available; then nothing is wrong
 * with the file.
 */

/**
 * Makes the checks before a job is created. A PDF that cannot be read passes here, and fails at the stage `extract`. It
 * is opened only to find out whether it has the selected pages.
 */
export async function checkFile({ fileWork }: Files, payload: DocumentPayload, scope: TaskScope) {
  const { readLater } = layoutKinds[payload.format];
  if (readLater && !payload.selection?.pages) return;
  await orFileError(fileWork.run('check_document', payload, scope)).catch((error: unknown) => {
    if (!readLater || !(error instanceof FileError) || error.reason === 'selection') throw error;
  });
}

/**
 * Makes the same checks as `checkFile`, and returns the beginning of the text. A PDF that cannot be read is rejected
 * here.
 */
export async function sampleFile(
  { fileWork }: Files,
  payload: DocumentPayload,
  scope: TaskScope,
): Promise<string> {
  const { text } = await orFileError(fileWork.run('sample_document', payload, scope));
  return text;
}

export function extractFile({ fileWork }: Files, payload: DocumentPayload, scope: TaskScope) {
  return orFileError(fileWork.run('extract_document', payload, scope));
}

export function rebuildFile({ fileWork }: Files, payload: RebuildPayload, scope: TaskScope) {
  return orFileError(fileWork.run('rebuild_document', payload, scope));
}

/** Decides which texts of an existing translation stay. */
export function keepTextsOf({ fileWork }: Files, payload: KeepTextsPayload, scope: TaskScope) {
  return orFileError(fileWork.run('keep_texts', payload, scope));
}

export function hashTextsOf({ fileWork }: Files, payload: HashTextsPayload, scope: TaskScope) {
  return orFileError(fileWork.run('hash_texts', payload, scope));
}

/** Recognizes the text of a page that consists of images. */
export function recognizeFile({ fileWork }: Files, payload: RecognitionPayload, scope: TaskScope) {
  return orFileError(fileWork.run('recognize_page', payload, scope));
}

/** Returns the error response to an invalid file; any other error unchanged. */
export function fileRefusal(error: unknown): unknown {
  if (!(error instanceof FileError)) return error;
  const message = ['selection', 'existing'].includes(error.reason)
    ? error.message
    : `source_document: ${error.message}`;
  return new AppError('validation_error', message, { cause: error });
}

async function orFileError<T extends object>(work: Promise<T | RefusedFile>): Promise<T> {
  let result: T | RefusedFile;
  try {
    result = await work;
  } catch (error) {
    throw fileErrorOf(error) ?? sandboxRefusal(error);
  }
  if ('refused' in result) throw new FileError(result.refused, result.message);
  return result;
}
