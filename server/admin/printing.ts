/** What moves a terminal's cursor, breaks a line or turns the reading direction, or is no character at all. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Text that strangers may have chosen (names, addresses), so that it cannot forge a line or drive the terminal. The
 * escapes are JSON's: JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One line of columns, a tab between them. */
export function columns(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => printable(String(value))).join('\t');
}

/** One line of JSON. */
export function jsonLine(value: object): string {
  return printable(JSON.stringify(value));
}
