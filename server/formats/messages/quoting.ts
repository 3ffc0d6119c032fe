import type { Message } from './choices.ts';

/*
 * Apostrophes in messages. Between them, braces are text: `Use '{'name'}'`. Libraries differ in what they read as an
 * apostrophe, so a file shows which of them reads it.
 */

const twice = /\p{L}''\p{L}/u;
const once = /\p{L}'\p{L}/u;
const quotedBrace = /'[{}]'/;
/** A part in quotes, which begins with a brace: `'{'` and, in a file that shows that it quotes, `'{0}'`. */
const [quotedPart, anyQuotedPart] = [/'[{}]'/g, /'[{}][^']*'/g];

/** Whether a text can only be a message: it has a quoted brace, or an argument and an apostrophe that is written twice. */
export function hasQuoting(text: string): boolean {
  return quotedBrace.test(text) || (twice.test(text) && /\{\w+[,}]/.test(text));
}

/** Whether the texts of a file have each apostrophe twice. */
export function areDoubled(texts: readonly string[]): boolean {
  return (
    texts.some((text) => twice.test(text) || quotedBrace.test(text)) && !texts.some((text) => once.test(text))
  );
}

/** Returns a text of a file without its quoted parts and doubled apostrophes. */
export function withoutQuotes(text: string, all: readonly string[]): string {
  const isQuoting = all.some((one) => one.includes("''") || quotedBrace.test(one));
  return text.replaceAll("''", '').replaceAll(isQuoting ? anyQuotedPart : quotedPart, '');
}

/** Reads a message of another library, such as one with a `choice` of Java: its quoted parts stay. */
export function readQuoted(message: string): Message {
  const parts = [...new Set(message.replaceAll("''", '').match(anyQuotedPart) ?? [])];
  const pattern = new RegExp(`(${parts.map((part) => RegExp.escape(part)).join('|') || '$^'})`);
  return {
    texts: [{ text: message.replaceAll("''", "'") }],
    write: ([text]) =>
      text!
        .split(pattern)
        .map((part, at) => (at % 2 === 0 ? part.replaceAll("'", "''") : part))
        .join(''),
  };
}
