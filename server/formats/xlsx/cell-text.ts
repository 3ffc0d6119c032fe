import { type InlineContent, plainText } from '../inline-content.ts';
import { escapeXmlText } from '../office/splice.ts';

/** The maximum number of UTF-16 units that Excel accepts in a cell. */
export const cellTextLimit = 32_767;

/**
 * The escape sequence of Office for characters that XML cannot contain. For example, `_x000D_` is a carriage return.
 */
const spelling = /_x([0-9a-f]{4})_/gi;

/**
 * Decodes the text of a cell or a shared string. Escaped NUL characters and lone surrogates stay escaped, because
 * neither the database nor an engine accepts them.
 */
export function decodeCellText(written: string): string {
  if (!written.includes('_x') && !written.includes('_X')) return written;
  const text = written.replace(spelling, (found, code: string) => {
    const unit = Number.parseInt(code, 16);
    return unit === 0 ? found : String.fromCharCode(unit);
  });
  if (text.isWellFormed()) return text;
  return text.replace(loneSurrogate, (unit) => spell(unit));
}

const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function spell(unit: string): string {
  return `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
}

/**
 * The start of text that looks like an escape sequence and would therefore be decoded. Sequences that `decodeCellText`
 * does not decode are left out.
 */
const literalEscape = /_(?=x(?!0000|d[89a-f])[0-9a-f]{4}_)/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is used to escape these characters
const notXml = /[\x01-\x08\x0b-\x1f\ufffe\uffff]/g;

/**
 * Escapes a text for the content of an XML element, such that `decodeCellText` returns the same text. Removes NUL and
 * lone surrogates.
 */
export function encodeCellText(text: string): string {
  return escapeXmlText(encodeForbidden(text));
}

/** Replaces the characters that XML cannot contain by escape sequences. Does not escape markup. */
function encodeForbidden(text: string): string {
  const storable = text.replaceAll('\0', '').replace(loneSurrogate, '');
  return storable.replace(literalEscape, '_x005F_').replace(notXml, spell);
}

/**
 * Encodes a text for the value of an attribute. Line breaks and tabs become Office's escape sequences, like characters
 * that XML cannot contain. Does not escape markup.
 */
export function encodeAttributeText(text: string): string {
  return encodeForbidden(text).replace(/[\t\n]/g, (character) =>
    character === '\n' ? '_x000a_' : '_x0009_',
  );
}

/** Returns a `<t>` element with this text. `prefix` is the namespace prefix with its colon. */
export function textElement(prefix: string, text: string): string {
  // Without `xml:space`, programs remove white space at the edges, and some also inside the text.
  const space = /^\s|\s$|\s\s|[\t\n]/.test(text) ? ' xml:space="preserve"' : '';
  return `<${prefix}t${space}>${encodeCellText(text)}</${prefix}t>`;
}

/** Whether a text contains a letter. Texts without a letter are not translated. */
export function hasLetter(text: string): boolean {
  return /\p{L}/u.test(text);
}

/** A cell's text: the part to translate, and the white space around it, which stays unchanged. */
interface SplitText {
  before: string;
  /** The part to translate, with `\n` as line break. */
  source: string;
  after: string;
}

/** @param text a text that contains a letter */
export function splitText(text: string): SplitText {
  const trimmed = text.trim();
  const start = text.indexOf(trimmed);
  return {
    before: text.slice(0, start),
    source: trimmed.includes('\r') ? trimmed.replace(/\r\n?/g, '\n') : trimmed,
    after: text.slice(start + trimmed.length),
  };
}

/**
 * Returns the translation of a text, with the white space that was around the old text; undefined if the text does not
 * change. The source has normalized line breaks: a different line break character is not a change.
 */
export function translatedText(old: string, target: InlineContent | undefined): string | undefined {
  if (!target) return undefined;
  const { before, source, after } = splitText(old);
  const text = plainText(target);
  return text === source ? undefined : before + text + after;
}

/** Truncates a text to a maximum length in UTF-16 units, which is that of a cell by default. */
export function cutToLimit(text: string, limit = cellTextLimit): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit);
  return (cut.charCodeAt(limit - 1) & 0xfc00) === 0xd800 ? cut.slice(0, -1) : cut;
}
