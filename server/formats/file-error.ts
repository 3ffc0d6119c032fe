/**
 * The reason why a file has no readable text: it is corrupt or of another format; it needs a password; it is empty; its bytes
 * are not text in an accepted encoding; it exceeds a limit.
 */
export type FileErrorReason = 'unreadable' | 'protected' | 'empty' | 'not_text' | 'too_large';

/** A file that cannot be read or is rejected. The message is for the sender of the file and names the limit, if any. */
export class FileError extends Error {
  override name = 'FileError';
  readonly reason: FileErrorReason;

  constructor(reason: FileErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The specified limits of files, and additional limits that bound the memory for unusual files. */
export const limits = {
  /** Inflated bytes of all entries of an Office file together. */
  officeUnpacked: 200_000_000,
  /** Files in an Office file. Not a specified limit. Real files have a few hundred, one for each picture. */
  officeEntries: 10_000,
  /** Inflated bytes of one XML part of an Office file. */
  officeXmlPart: 80_000_000,
  /** Depth of nested elements. Word and LibreOffice write fewer than 100, and reject files far below this depth. */
  officeXmlDepth: 2_000,
  /** Attributes of one element. The Office schemas allow fewer than 100. */
  officeXmlAttributes: 1_000,
  /** UTF-16 units of one attribute. Old versions of Word store whole pictures in attributes. */
  officeXmlAttributeLength: 20_000_000,
  /** UTF-16 units of XML between two tags, or of one cell of a workbook. These are the units that are in memory as a whole. */
  officeXmlRun: 8_000_000,
  /** Columns of all array formulas of a sheet together, counted separately for each formula. */
  xlsxFormulaColumns: 50_000_000,
  docxElements: 1_000_000,
  /** Inflated bytes of the main text, the headers and the footers together, because they are in memory at the same time. */
  docxStories: 100_000_000,
  /** UTF-16 units written for one paragraph, and half of the units written for one part. */
  docxWritten: 80_000_000,
  /** Pieces of one paragraph, such as texts, breaks and ends of hyperlinks, because they are in memory at the same time. */
  docxParagraphPieces: 100_000,
  /** Code points of the text of a document. */
  textChars: 2_000_000,
  /** Distinct texts of a document. Equal texts are translated once. */
  segments: 50_000,
  /** Segments of a document, including those with equal texts. Not a specified limit. */
  allSegments: 300_000,
  /** Inflated bytes of one stream of a PDF, except images. Not a specified limit: it bounds the memory for one stream. */
  pdfStream: 64_000_000,
  /** Inflated bytes of all such streams together. */
  pdfStreams: 512_000_000,
} as const;

/** Creates the error for a file above a limit. */
export function overLimit(what: string, limit: number): FileError {
  return new FileError(
    'too_large',
    `${what} is over the limit of ${limit.toLocaleString('en-US')}; split the file and send the parts`,
  );
}
