/** Writes XML attributes, each after a space. Attributes whose value is null or undefined are left out. */
export function attributes(values: Record<string, string | null | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => (value == null ? '' : ` ${name}="${escapeAttribute(value)}"`))
    .join('');
}

/**
 * The references by which characters are escaped. Without them, parsers would read a carriage return as a line feed,
 * and tabs and line ends in attributes as spaces.
 */
const references = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\t', '&#9;'],
  ['\n', '&#10;'],
  ['\r', '&#13;'],
]);

/** Escapes a text for the content of an element. Removes the characters that XML 1.0 cannot contain. */
export function escapeText(text: string): string {
  return carried(text).replace(/[&<>\r]/g, (character) => references.get(character)!);
}

function escapeAttribute(text: string): string {
  return carried(text).replace(/[&<>"\t\n\r]/g, (character) => references.get(character)!);
}

/** The characters that XML 1.0 does not allow: control characters, lone surrogates, U+FFFE and U+FFFF. */
export const notAllowedInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function carried(text: string): string {
  return text.replace(notAllowedInXml, '');
}
