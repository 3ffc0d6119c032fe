import { readXliff, type XliffFile, XmlFileError } from '#server/formats/xliff/reader.ts';

export interface ReadXliffPayload {
  bytes: Uint8Array;
  /** The id of the `<file>` to read. */
  fileId: string;
}

/** `isXliff` is false if the bytes are not XLIFF; otherwise the requested file is missing in the document. */
export type ReadXliffResult = { file: XliffFile } | { refused: string; isXliff: boolean };

/** Reads one file of an XLIFF document. A rejection is a result, because error classes do not cross processes. */
export function readXliffTask({ bytes, fileId }: ReadXliffPayload): ReadXliffResult {
  try {
    return { file: readXliff(bytes, fileId) };
  } catch (error) {
    if (!(error instanceof XmlFileError)) throw error;
    return { refused: error.message, isXliff: error.reason === 'invalid' };
  }
}
