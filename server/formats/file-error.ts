/**
 * The reason why a file is rejected. `unreadable`: the file is corrupt or has another format. `protected`: it requires
 * a password. `empty`: it contains no text. `not_text`: its bytes are not text in an accepted encoding. `too_large`: it
 * exceeds a limit. `selection`: it lacks a page or sheet that the request selects. `existing`: its existing translation cannot be
 * used. The messages of these two begin with the name of the request's field.
 */
export type FileErrorReason =
  | 'unreadable'
  | 'protected'
  | 'empty'
  | 'not_text'
  | 'too_large'
  | 'selection'
  | 'existing';

/**
 * The error for a file that is rejected. The message is for the sender of the file. If the file exceeds a limit, the
 * message names this limit.
 */
export class FileError extends Error {
  override name = 'FileError';
  readonly reason: FileErrorReason;

  constructor(reason: FileErrorReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The specified limits of files, and additional limits that bound the memory needed for unusual files. */
export const limits = {
  /** The maximum size of an Office file: inflated bytes of all zip entries together. */
  officeUnpacked: 200_000_000,
  /**
   * The maximum number of files in an Office file. Not a specified limit. Real Office files contain a few hundred
   * files, one for each picture.
   */
  officeEntries: 10_000,
  /** The maximum size of one XML part of an Office file, in inflated bytes. */
  officeXmlPart: 80_000_000,
  /**
   * The maximum depth of nested XML elements. Word and LibreOffice write fewer than 100 levels, and they reject files
   * whose depth is far below this limit.
   */
  officeXmlDepth: 2_000,
  /** The maximum number of attributes of one XML element. The Office schemas allow fewer than 100. */
  officeXmlAttributes: 1_000,
  /**
   * The maximum length of one XML attribute, in UTF-16 units. Old versions of Word store whole pictures in attributes.
   */
  officeXmlAttributeLength: 20_000_000,
  /**
   * The maximum length of XML that is in memory as a whole, in UTF-16 units: the XML between two tags, or one cell of a
   * workbook.
   */
  officeXmlRun: 8_000_000,
  /**
   * The maximum number of columns of all array formulas of a sheet together. A column counts once for each formula that
   * fills it.
   */
  xlsxFormulaColumns: 50_000_000,
  docxElements: 1_000_000,
  /**
   * The maximum size of the main text, the headers and the footers together, in inflated bytes. They are in memory at
   * the same time.
   */
  docxStories: 100_000_000,
  /** The maximum length of one written paragraph, in UTF-16 units. One written XML part can have twice this length. */
  docxWritten: 80_000_000,
  /**
   * The maximum number of pieces of one paragraph, such as texts, breaks and ends of hyperlinks. They are in memory at
   * the same time.
   */
  docxParagraphPieces: 100_000,
  /** The maximum length of a document's text, in code points. */
  textChars: 2_000_000,
  /**
   * The maximum numbers of characters, in code points, and of tags in one text, such as a paragraph. Not specified limits.
   * Each step of a translation handles a text as a whole, so these bound the delay of other requests.
   */
  oneTextChars: 100_000,
  oneTextTags: 5_000,
  /** The maximum number of distinct texts of a document. Equal texts are translated once. */
  segments: 50_000,
  /** The maximum number of segments of a document, including those with equal texts. Not a specified limit. */
  allSegments: 300_000,
  /**
   * The maximum size of one stream of a PDF except images, in inflated bytes. Not a specified limit; it bounds the
   * memory for one stream.
   */
  pdfStream: 64_000_000,
  /** The maximum size of all streams of a PDF except images together, in inflated bytes. */
  pdfStreams: 512_000_000,
} as const;

/** Creates the error for a file that exceeds a limit. */
export function overLimit(what: string, limit: number): FileError {
  return new FileError(
    'too_large',
    `${what} is over the limit of ${limit.toLocaleString('en-US')}; split the file and send the parts`,
  );
}
