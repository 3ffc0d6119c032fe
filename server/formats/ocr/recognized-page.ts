/** A rectangle on the straightened page, in points. */
type RecognizedBox = [left: number, bottom: number, right: number, top: number];

/** A color: red, green and blue from 0 to 255. */
export type Rgb = [red: number, green: number, blue: number];

/**
 * The text of a scanned page. Positions are in the space of the straightened page: in points, with the origin at its
 * lower left corner, and with horizontal lines of text.
 */
export interface RecognizedPage {
  /** The page number, from 1. */
  page: number;
  width: number;
  height: number;
  /** Maps the straightened page to the page's user space, as in PDF 32000-1, 8.3.3. */
  matrix: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  lines: RecognizedLine[];
  /** The places with ink outside of the words: pictures, rules and signs. */
  marks: RecognizedBox[];
  /** The number of lines that may be text, but could not be read. They are not in `lines`. */
  unreadLines: number;
}

export interface RecognizedLine {
  /** The number of the paragraph on the page. Lines with the same number follow each other. */
  paragraph: number;
  baseline: number;
  /** The font size, in points. */
  size: number;
  bold: boolean;
  /** The color of the paper around the line, and of its letters. */
  ground: Rgb;
  ink: Rgb;
  words: RecognizedWord[];
}

export interface RecognizedWord {
  text: string;
  /** How sure the recognition is, from 0 to 100. */
  confidence: number;
  box: RecognizedBox;
}
