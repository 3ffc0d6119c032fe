import { readXliff, type XliffFile, XmlFileError } from '#server/formats/xliff/reader.ts';

export interface ReadXliffPayload {
  bytes: Uint8Array;
  /** The id of the `<file>` that is read. */
  fileId: string;
}

/** `isXliff` is false if the bytes are no XLIFF at all; else they lack what was asked for. */
export type ReadXliffResult = { file: XliffFile } | { refused: string; isXliff: boolean };

/** One file of an XLIFF document, read. A refusal is a result, because error classes do not cross processes. */
export function readXliffTask({ bytes, fileId }: ReadXliffPayload): ReadXliffResult {
  try {
    return { file: readXliff(bytes, fileId) };
  } catch (error) {
    if (!(error instanceof XmlFileError)) throw error;
    return { refused: error.message, isXliff: error.reason === 'invalid' };
  }
}
