/** A finished translation, as its download renders it. */
export interface GoldenText {
  /** Plain text: a paragraph a line. */
  text: string;
  /** Language tag (BCP 47) of the text. */
  language: string;
  /** For the file's properties, not for its pages. */
  title: string;
}
