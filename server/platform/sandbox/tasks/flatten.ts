import type { FlattenKind } from '#server/formats/document-kind.ts';
import { FileError, type FileErrorReason } from '#server/formats/file-error.ts';
import { flatten } from '#server/formats/flatten.ts';

interface FlattenPayload {
  kind: FlattenKind;
  bytes: Uint8Array;
}

type FlattenResult = { text: string } | { refused: FileErrorReason; message: string };

/**
 * Runs `flatten`, and returns a rejection of the file as a result, because error classes are lost between processes.
 */
export async function flattenTask({ kind, bytes }: FlattenPayload): Promise<FlattenResult> {
  try {
    return { text: await flatten(kind, bytes) };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return { refused: error.reason, message: error.message };
  }
}
