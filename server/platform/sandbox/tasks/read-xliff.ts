import { readXliff, type XliffFile, XmlFileError } from '#server/formats/xliff/reader.ts';

interface ReadXliffPayload {
  bytes: Uint8Array;
  /** The id of the `<file>` element to read. */
  fileId: string;
}

/**
 * The requested file, or the reason of a rejection. `isXliff` is false if the bytes are not XLIFF. If it is true, the
 * document does not contain the requested file.
 */
type ReadXliffResult = { file: XliffFile } | { refused: string; isXliff: boolean };

/**
 * Reads one `<file>` of an XLIFF document. A rejection is a result and not an error, because error classes are lost
 * between processes.
 */
export function readXliffTask({ bytes, fileId }: ReadXliffPayload): ReadXliffResult {
  try {
    return { file: readXliff(bytes, fileId) };
  } catch (error) {
    if (!(error instanceof XmlFileError)) throw error;
    return { refused: error.message, isXliff: error.reason === 'invalid' };
  }
}
