import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** Decodes source text from outside tags: resolves character references and turns line ends into `\n`. */
export function decodeText(raw: string): string {
  if (!/[&\r\0]/.test(raw)) return raw;
  let text = '';
  const append = (token: Token.CharacterToken): void => {
    text += token.chars;
  };
  const ignore = (): void => {};
  const tokenizer = new Tokenizer(
    {},
    {
      onCharacter: append,
      onWhitespaceCharacter: append,
      onNullCharacter: append,
      onStartTag: ignore,
      onEndTag: ignore,
      onComment: ignore,
      onDoctype: ignore,
      onEof: ignore,
    },
  );
  // Tokenize as inside a textarea: references are decoded, and every `<` is a character, because no end tag matches without an
  // open textarea. In `raw` each `<` is a character; otherwise the parser would have returned a tag.
  tokenizer.state = TokenizerMode.RCDATA;
  tokenizer.write(raw, true);
  return text;
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes `text` as the source of a text node. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character]!);
}

/** Escapes `text` as the source of an attribute value in `quote`s. */
export function escapeAttribute(text: string, quote: '"' | "'"): string {
  return escapeText(text).replaceAll(quote, escapes[quote]!);
}

/** The maximum length of a reference: more than the longest name, and than any number without leading zeros. */
const maxReferenceLength = 40;

/**
 * Finds the start and end of the visible part of `raw`: without surrounding whitespace, written as such or as a reference
 * (`&nbsp;`, `&#10;`). A reference without its semicolon counts as visible, because its meaning depends on the following
 * characters. If `raw` is blank, start and end are equal.
 */
export function visibleRange(raw: string): { start: number; end: number } {
  let start = 0;
  while (start < raw.length) {
    const width = /\s/.test(raw[start]!)
      ? 1
      : blankReference(/^&#?[0-9a-z]+;/i, raw.slice(start, start + maxReferenceLength));
    if (width === 0) break;
    start += width;
  }
  let end = raw.length;
  while (end > start) {
    const width = /\s/.test(raw[end - 1]!)
      ? 1
      : blankReference(/&#?[0-9a-z]+;$/i, raw.slice(Math.max(start, end - maxReferenceLength), end));
    if (width === 0) break;
    end -= width;
  }
  return { start, end };
}

/** Returns the length of the reference that `at` matches in `window` if the reference is whitespace, else 0. */
function blankReference(at: RegExp, window: string): number {
  const reference = at.exec(window)?.[0] ?? '';
  return reference !== '' && decodeText(reference).trim() === '' ? reference.length : 0;
}
