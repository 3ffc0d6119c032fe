/*
 * The characters of Android's string resources. A text in double quotes keeps its white space; elsewhere, white space is
 * collapsed. A backslash starts an escape.
 */

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/**
 * Decodes the texts of a string.
 *
 * @param pieces texts, and marks of codes between them, which stay
 */
export function decodeAndroid(pieces: readonly { text: string; isCode: boolean }[]): string {
  let decoded = '';
  let isQuoted = false;
  /** Whether white space that is not written yet stands before the next character. It is dropped at both ends. */
  let hasSpace = false;
  const append = (text: string) => {
    if (hasSpace) decoded += ' ';
    hasSpace = false;
    decoded += text;
  };
  let isStart = true;
  for (const { text, isCode } of pieces) {
    if (isCode) {
      append(text);
      isStart = false;
      continue;
    }
    for (const [token] of text.matchAll(/\\u[0-9a-f]{4}|\\[\s\S]|[ \t\n\r]+|"|\\|[^\\" \t\n\r]+/gi)) {
      if (token === '"') {
        isQuoted = !isQuoted;
        isStart = false;
      } else if (token === '\\') continue;
      else if (token[0] === '\\') append(unescaped(token));
      else if (!isQuoted && /^[ \t\n\r]/.test(token)) {
        hasSpace = !isStart;
        continue;
      } else append(token);
      isStart = false;
    }
  }
  return decoded;
}

function unescaped(written: string): string {
  if (written.length > 2) return String.fromCharCode(Number.parseInt(written.slice(2), 16));
  return escapes[written[1]!] ?? written[1]!;
}

/** Whether the whole value is in double quotes. */
export function isQuotedAndroid(raw: string): boolean {
  const trimmed = raw.trim();
  const inner = trimmed.slice(1, -1).replace(/\\[\s\S]/g, '');
  return trimmed.length > 1 && trimmed.startsWith('"') && trimmed.endsWith('"') && !/["\\]/.test(inner);
}

const escaped: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\\': '\\\\',
  '"': '\\"',
  "'": "\\'",
};

/**
 * Encodes a text, without the quotes around a quoted value. Spaces that Android would collapse, and characters that XML
 * cannot contain, become escapes.
 */
export function encodeAndroid(text: string, isQuoted: boolean): string {
  const written = text.replace(/[\n\t\\"']/g, (character) =>
    isQuoted && character === "'" ? character : escaped[character]!,
  );
  const spaced = isQuoted ? written : written.replace(/^ | $|(?<= ) /g, '\\u0020').replace(/^[@?]/, '\\$&');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 does not allow.
  return spaced.replace(/[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g, codeOf).replace(/\p{Surrogate}/gu, codeOf);
}

const codeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
