/** A finished translation, as its download renders it. */
export interface GoldenText {
  /** Plain text: a paragraph a line. */
  text: string;
  /** A code of B 2.4. */
  language: string;
  /** For the file's properties, not for its pages. */
  title: string;
}
