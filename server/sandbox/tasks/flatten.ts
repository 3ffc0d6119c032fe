import type { FlattenKind } from '#server/formats/document-kind.ts';
import { flatten } from '#server/formats/flatten.ts';
import { FlattenError, type FlattenReason } from '#server/formats/flatten-error.ts';

export interface FlattenPayload {
  kind: FlattenKind;
  bytes: Uint8Array;
}

export type FlattenAnswer = { text: string } | { refused: FlattenReason; message: string };

/** `flatten`, with what it refuses as an answer: classes of errors do not cross processes. */
export async function flattenTask({ kind, bytes }: FlattenPayload): Promise<FlattenAnswer> {
  try {
    return { text: await flatten(kind, bytes) };
  } catch (error) {
    if (!(error instanceof FlattenError)) throw error;
    return { refused: error.reason, message: error.message };
  }
}
