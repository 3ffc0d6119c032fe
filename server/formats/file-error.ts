/**
 * Why a file has no readable text: it is corrupt or of another format; it needs a password; it is empty; its bytes are not
 * text in an accepted encoding; it exceeds a limit of B 8.
 */
export type FileErrorReason = 'unreadable' | 'protected' | 'empty' | 'not_text' | 'too_large';

/** A file that cannot be read or is refused. The message is for the sender of the file and names the limit, if any. */
export class FileError extends Error {
  override name = 'FileError';
  readonly reason: FileErrorReason;

  constructor(reason: FileErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The limits of B 8 that apply to reading files, and some of our own that bound the memory for odd ones. */
export const limits = {
  /** Bytes of all entries of an Office file together, inflated. */
  officeUnpacked: 200_000_000,
  /** Files in an Office file. Not a limit of B 8: real ones have some hundred, a picture each at most. */
  officeEntries: 10_000,
  /** Bytes of one XML part of an Office file, inflated. */
  officeXmlPart: 80_000_000,
  /** Elements inside each other. Word and LibreOffice write fewer than 100 and refuse to open far fewer than this. */
  officeXmlDepth: 2_000,
  /** Attributes of one element. Schemas of Office allow fewer than 100. */
  officeXmlAttributes: 1_000,
  /** UTF-16 units of one attribute. Old versions of Word keep whole pictures in attributes. */
  officeXmlAttributeLength: 20_000_000,
  /** UTF-16 units of XML between two tags, or of one cell of a workbook: what is read in pieces is whole in these. */
  officeXmlRun: 8_000_000,
  /** Columns of all array formulas of a sheet together, counted for each. */
  xlsxFormulaColumns: 50_000_000,
  docxElements: 1_000_000,
  /** Bytes of the main text, the headers and the footers together, inflated: they are in memory together. */
  docxStories: 100_000_000,
  /** UTF-16 units that are written for one paragraph, and half of those for one part. */
  docxWritten: 80_000_000,
  /** Pieces of one paragraph, such as texts, breaks and sides of hyperlinks: they are in memory together. */
  docxParagraphPieces: 100_000,
  /** Code points of the text of a document. */
  textChars: 2_000_000,
  /** Different texts of a document. Equal texts are translated once. */
  segments: 50_000,
  /** Segments of a document, equal texts counted each time. Not a limit of B 8. */
  allSegments: 300_000,
  /** Bytes of one stream of a PDF that is not an image, inflated. Not a limit of B 8: it bounds the memory for one stream. */
  pdfStream: 64_000_000,
  /** Bytes of all such streams together. */
  pdfStreams: 512_000_000,
} as const;

/** Creates the error for a file over a limit. */
export function overLimit(what: string, limit: number): FileError {
  return new FileError(
    'too_large',
    `${what} is over the limit of ${limit.toLocaleString('en-US')}; split the file and send the parts`,
  );
}
