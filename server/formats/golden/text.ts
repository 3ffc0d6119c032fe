/** A published translation, for a download as a PDF or Word file. */
export interface GoldenText {
  /** The translation as plain text, one paragraph per line. */
  text: string;
  /** The supported language code of the text. */
  language: string;
  /** The title in the file's properties. It is not shown on a page. */
  title: string;
}

/** Control characters except the tab, and noncharacters: XML cannot contain them, and fonts have no glyphs for them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is used to remove these characters
const unprintable = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g;

/**
 * Splits a plain text into paragraphs: each line is a paragraph, and an empty line is an empty paragraph. Removes
 * control characters and replaces lone surrogates by U+FFFD.
 */
export function paragraphsOf(text: string): string[] {
  return text
    .toWellFormed()
    .replace(/^\ufeff/, '')
    .split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
    .map((line) => line.replace(unprintable, ''));
}
