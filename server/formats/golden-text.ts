/** A finished translation, as its download renders it. */
export interface GoldenText {
  /** Plain text: a paragraph a line. */
  text: string;
  /** A code of B 2.4. */
  language: string;
  /** For the file's properties, not for its pages. */
  title: string;
}

/** What XML can't carry and no font draws: control characters other than the tab, and noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be removed
const unprintable = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/**
 * The paragraphs of a plain text: one a line, empty lines as empty paragraphs. Control characters are left out, lone
 * surrogates become U+FFFD.
 */
export function paragraphsOf(text: string): string[] {
  return text
    .toWellFormed()
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.replace(unprintable, ''));
}
