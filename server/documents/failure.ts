import { AppError, toAppError } from '#server/errors.ts';
import { FileError } from '#server/formats/file-error.ts';
import type { DocumentFailureDetail, DocumentStage } from './schema.ts';

/** Codes of errors of a model, the database or a busy service, which may not occur again in a later attempt. */
const transientCodes: ReadonlySet<string> = new Set([
  'transient_error',
  'rate_limit',
  'service_unavailable',
  'disk_full',
]);

/** Whether the stage may be retried after this error. */
export function isTransient(error: unknown): boolean {
  return !(error instanceof FileError) && transientCodes.has(toAppError(error).code);
}

/** Thrown if the stage has used up its time budget. */
export class StageTimeout extends Error {
  override name = 'StageTimeout';
}

/**
 * Returns the failure of a job after an error of a stage.
 * @param retries number of retries of the stage, without the first attempt
 */
export function failureOf(
  error: unknown,
  stage: DocumentStage | 'worker',
  retries: number,
): DocumentFailureDetail {
  const failure = (
    code: DocumentFailureDetail['code'],
    message: string,
    type: string | null,
  ): DocumentFailureDetail => ({
    code,
    stage,
    message,
    error_type: type,
    retry_attempts: retries,
    transient: code === 'transient_error',
    timeout: code === 'stage_timeout',
    metadata: {},
  });
  if (error instanceof StageTimeout)
    return failure(
      'stage_timeout',
      `the stage ${stage} took longer than its time limit; split the file`,
      null,
    );
  if (error instanceof FileError)
    return failure(
      'unexpected_error',
      error.reason === 'selection' ? error.message : `source_document: ${error.message}`,
      `file_${error.reason}`,
    );
  const { code, message } = toAppError(error);
  if (code === 'quota_exceeded' || code === 'payment_required')
    return failure('quota_exceeded', message, code);
  if (isTransient(error)) return failure('transient_error', message, code);
  return failure('unexpected_error', message, code);
}

/** Returns the failure `interrupted`: too many workers died while they ran the job. */
export function interruption(workers: number): DocumentFailureDetail {
  return {
    code: 'interrupted',
    stage: 'worker',
    message: `${workers} worker processes stopped while they ran this job, and it made no progress; send the file again`,
    error_type: null,
    retry_attempts: 0,
    transient: false,
    timeout: false,
    metadata: {},
  };
}

/**
 * Returns the error response to `wait=true` for a failed job.
 * @param retryAfter seconds that the failing service asked to wait
 */
export function failureResponse(failure: DocumentFailureDetail, retryAfter = 5): AppError {
  const { code, message, error_type } = failure;
  if (code === 'quota_exceeded') return new AppError('quota_exceeded', message);
  if (code === 'stage_timeout') return new AppError('stage_timeout', message);
  if (code === 'transient_error' || code === 'interrupted')
    return new AppError('transient_error', message, { retryAfter });
  if (error_type?.startsWith('file_') || error_type === 'validation_error')
    return new AppError('validation_error', message);
  if (error_type === 'storage_binding_not_verified') return new AppError(error_type, message);
  if (error_type === 'content_filtered') return new AppError('content_filtered', message);
  return new AppError('internal_error', message);
}
