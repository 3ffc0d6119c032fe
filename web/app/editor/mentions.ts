import type { OutputOf } from '#sdk/procedure-types.ts';

/** A member whom a comment can mention. */
export type Colleague = OutputOf<'members.colleagues'>['colleagues'][number];

/** A name that is being typed in a comment. */
export interface TypedName {
  /** The place of its `@`. */
  start: number;
  /** The text after the `@`. */
  sought: string;
}

/** Returns the name that is typed before the caret; undefined for other text, such as an email address. */
export function nameAt(text: string, caret: number): TypedName | undefined {
  const match = /(?<![\w.%+-])[@＠](\S*)$/.exec(text.slice(0, caret));
  return match ? { start: match.index, sought: match[1] as string } : undefined;
}

/** Splits a text at the mentions of these names: the pieces with odd indexes are mentions. */
export function splitAtMentions(text: string, names: readonly string[]): string[] {
  if (names.length === 0) return [text];
  // The longest name first: another one may be its beginning.
  const sorted = names.toSorted((one, other) => other.length - one.length);
  const either = sorted.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.split(new RegExp(`((?<![\\w.%+-])[@＠](?:${either})(?![.-]?[\\p{L}\\p{N}_]))`, 'giu'));
}

/** Returns the IDs of the colleagues whom a text mentions. */
export function mentionedIn(text: string, colleagues: readonly Colleague[]): string[] {
  const pieces = splitAtMentions(
    text,
    colleagues.map(({ name }) => name),
  );
  const named = new Set(
    pieces.filter((_, index) => index % 2 === 1).map((piece) => piece.slice(1).toLowerCase()),
  );
  return colleagues.filter(({ name }) => named.has(name.toLowerCase())).map(({ user_id }) => user_id);
}
