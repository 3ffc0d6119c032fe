/** Maximum length of a searched text, in characters. */
export const maxTextLength = 200;

/** Reads a searched text from the URL. Returns '' for other values. */
export function searchedText(value: unknown): string {
  // The router parses a text such as 123 as a number.
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return text.trim().slice(0, maxTextLength);
}
