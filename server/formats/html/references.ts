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
