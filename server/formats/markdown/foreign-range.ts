/** A range within one line, or a line end with the signs before the next line. */
export interface ForeignSyntax {
  start: number;
  end: number;
  /** Whether it separates texts, as a whole line or a tag that may not be moved does. */
  separates: boolean;
  /** Whether it stands for a word, such as a formula. */
  isWord: boolean;
  /** Set for the signs before a text, as in `[[page|text]]`, and after it. */
  side?: 'open' | 'close';
  /** Whether it belongs to the markup directly before it, as attributes of a link do. */
  isAttribute?: boolean;
}
