import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** The text that `raw` stands for outside tags: character references decoded, line ends as `\n`. */
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
  // As inside a textarea: references are read, and with no textarea open no end tag can end it, so every `<` is a
  // character. Which it is in `raw`, or the parser would have made a tag of it.
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

/** `text` as the source of a text node. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character]!);
}

/** `text` as the source of an attribute value between two of `quote`. */
export function escapeAttribute(text: string, quote: '"' | "'"): string {
  return escapeText(text).replaceAll(quote, escapes[quote]!);
}

/** More than the longest name has, and than a number unless it is padded with zeros. */
const longestReference = 40;

/**
 * Where the visible part of `raw` starts and ends: whitespace around it is left out, whether written as such or as a
 * reference (`&nbsp;`, `&#10;`). A reference without its semicolon counts as visible, since what it stands for depends on
 * what follows it. Of a blank `raw`, start and end are equal.
 */
export function visibleRange(raw: string): { start: number; end: number } {
  let start = 0;
  while (start < raw.length) {
    const width = /\s/.test(raw[start]!)
      ? 1
      : blankReference(/^&#?[0-9a-z]+;/i, raw.slice(start, start + longestReference));
    if (width === 0) break;
    start += width;
  }
  let end = raw.length;
  while (end > start) {
    const width = /\s/.test(raw[end - 1]!)
      ? 1
      : blankReference(/&#?[0-9a-z]+;$/i, raw.slice(Math.max(start, end - longestReference), end));
    if (width === 0) break;
    end -= width;
  }
  return { start, end };
}

/** The length of the reference that `at` finds in `window` when it stands for whitespace, else 0. */
function blankReference(at: RegExp, window: string): number {
  const reference = at.exec(window)?.[0] ?? '';
  return reference !== '' && decodeText(reference).trim() === '' ? reference.length : 0;
}
