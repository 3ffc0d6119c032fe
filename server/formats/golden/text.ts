/** A finished translation, as its download renders it. */
export interface GoldenText {
  /** Plain text, one paragraph per line. */
  text: string;
  /** A supported language code. */
  language: string;
  /** Used only for the file's properties; not shown on pages. */
  title: string;
}

/** Characters that XML cannot contain and no font draws: control characters except the tab, and noncharacters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is to be removed
const unprintable = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/**
 * Splits a plain text into paragraphs, one per line; empty lines are empty paragraphs. Removes control characters and
 * replaces lone surrogates by U+FFFD.
 */
export function paragraphsOf(text: string): string[] {
  return text
    .toWellFormed()
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.replace(unprintable, ''));
}
