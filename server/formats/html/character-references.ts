import { type Token, Tokenizer, TokenizerMode } from 'parse5';

/** Decodes the source of a text: resolves character references, and turns line ends into `\n`. */
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
  // The tokenizer reads the text like the content of a textarea: it decodes references and treats every `<` as a
  // character, because no end tag matches if no textarea is open. Every `<` in `raw` is a character; otherwise the
  // parser would have returned a tag.
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

/** Escapes a text for use between two tags. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => escapes[character]!);
}

/** Escapes a text for use as an attribute value in this kind of quotes. */
export function escapeAttribute(text: string, quote: '"' | "'"): string {
  return escapeText(text).replaceAll(quote, escapes[quote]!);
}

/**
 * The maximum length of a reference that is decoded. It exceeds the length of the longest name, and of any number
 * without leading zeros.
 */
const maxReferenceLength = 40;

/**
 * Returns the start and end of the visible part of `raw`, which excludes surrounding whitespace. Whitespace may be a
 * character or a reference (`&nbsp;`, `&#10;`). A reference without its semicolon counts as visible, because its
 * meaning depends on the following characters. If `raw` is blank, start and end are equal.
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

/** Returns the length of the reference that `at` finds in `window`, if this reference is whitespace; otherwise 0. */
function blankReference(at: RegExp, window: string): number {
  const reference = at.exec(window)?.[0] ?? '';
  return reference !== '' && decodeText(reference).trim() === '' ? reference.length : 0;
}

/*
 * Signs of templates that a source has as character references, such as `&#123;` and `&commat;`. A template does not run
 * them, and a browser shows them. In a translation they are references, too, so that a shown sign never becomes code.
 */

const signs = '{}[]@$#%';
const reference = /&(?:#\d{2,7}|#x[0-9a-f]{2,6}|[a-z]{3,8});/gi;
/** Placeholders, email addresses and names, which a program may replace. */
const live = /\{[^{}\n]{0,200}\}|[\w.+-]*@(?:[\w.-]+|(?=\s))/g;
/** The signs that begin or end a block of Angular. */
const ofBlocks = { '{': '&#123;', '}': '&#125;', '@': '&#64;' };

/**
 * Returns the references that a source has for signs of templates, by sign.
 *
 * @param raw the source of a text, as in its file
 */
function referencesIn(raw: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [written] of raw.matchAll(reference)) {
    const sign = decodeText(written);
    if (sign.length === 1 && signs.includes(sign)) found.set(sign, written);
  }
  return found;
}

/** The signs of a text, and the references with which they are written. */
export interface Signs {
  /** Matches the pieces that a program may replace, which stay, and all other signs with a reference. */
  pattern: RegExp;
  references: ReadonlyMap<string, string>;
}

/**
 * Returns how the signs of templates are written in a translation: as the references of its source, except in the
 * placeholders and addresses that the source has without them.
 *
 * @param raw the source of the text, as in its file
 * @param hasBlocks whether a brace or `@` that the source lacks could begin or end a block
 */
export function signsOf(raw: string, hasBlocks = false): Signs | undefined {
  const references = new Map([...(hasBlocks ? Object.entries(ofBlocks) : []), ...referencesIn(raw)]);
  if (references.size === 0) return undefined;
  const own = raw.replace(reference, ' ').match(live) ?? [];
  const pieces = [...new Set(own)].map((piece) => RegExp.escape(piece));
  const sign = `[${RegExp.escape([...references.keys()].join(''))}]`;
  return { pattern: new RegExp(`(${[...pieces, sign].join('|')})`, 'g'), references };
}

/** Returns a function that writes texts. `write` writes a text without signs that have a reference. */
export function signWriter(
  write: (text: string) => string,
  signs: Signs | undefined,
): (text: string) => string {
  if (!signs) return write;
  return (text) =>
    text
      .split(signs.pattern)
      .map((piece) => signs.references.get(piece) ?? write(piece))
      .join('');
}
