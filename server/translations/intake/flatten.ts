import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { FlattenKind } from '#server/formats/document-kind.ts';
import { FlattenError } from '#server/formats/flatten-error.ts';
import { flattenUpload } from '#server/sandbox/file-work.ts';
import type { TurnScope } from '#server/sandbox/task-queue.ts';
import { sandboxRefusal } from '#server/sandbox-refusal.ts';

/**
 * The text of a file, read in a child process when it is the tenant's turn.
 * @throws AppError 400 for a file that gives no text, 429 or 503 where too many files wait to be read
 */
export async function flattenFile(
  { fileWork }: Services,
  scope: TurnScope,
  kind: FlattenKind,
  bytes: Uint8Array,
): Promise<string> {
  try {
    return await flattenUpload(fileWork, kind, bytes, scope);
  } catch (error) {
    if (error instanceof FlattenError)
      throw new AppError('validation_error', `source_document: ${error.message}`, { cause: error });
    throw sandboxRefusal(error);
  }
}
