import type { Run } from '../markup/inline-runs.ts';

/*
 * Expressions in braces in a file that is read as Markdown. For Markdown, `{name}` is text, but site generators such as
 * Docusaurus read such a file as MDX. So an expression of the source is written unchanged, and other braces are escaped.
 */

interface Part {
  text: string;
  isExpression: boolean;
}

/** Returns the expressions in the text of a run, as MDX reads them. Those in tags, such as code, are not part of it. */
export function expressionsOf(
  source: string,
  { start, end, tags }: Pick<Run, 'start' | 'end' | 'tags'>,
): ReadonlySet<string> {
  const found = new Set<string>();
  let at = start;
  const read = (to: number): void => {
    if (to > at)
      for (const { text, isExpression } of partsOf(source.slice(at, to), true))
        if (isExpression && !text.includes('\n')) found.add(text);
  };
  for (const tag of [...tags.values()].sort((one, other) => one.start - other.start)) {
    read(tag.start);
    at = Math.max(at, tag.end);
  }
  read(end);
  return found;
}

/** Splits a translation into the expressions that the source has, and other text. */
export function splitExpressions(text: string, expressions: ReadonlySet<string>): Part[] {
  if (expressions.size === 0) return [{ text, isExpression: false }];
  const parts: Part[] = [];
  for (const part of partsOf(text, false)) {
    const isExpression = part.isExpression && expressions.has(part.text);
    const last = parts.at(-1);
    if (!isExpression && last && !last.isExpression) last.text += part.text;
    else parts.push({ text: part.text, isExpression });
  }
  return parts;
}

/** @param isSource whether a backslash escapes a brace */
function partsOf(text: string, isSource: boolean): Part[] {
  const parts: Part[] = [];
  let copied = 0;
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const isEscaped = isSource && /(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(Math.max(0, at - 20), at));
    const end = isEscaped ? -1 : endOfExpression(text, at);
    if (end < 0) {
      at++;
      continue;
    }
    if (at > copied) parts.push({ text: text.slice(copied, at), isExpression: false });
    parts.push({ text: text.slice(at, end), isExpression: true });
    copied = at = end;
  }
  if (copied < text.length) parts.push({ text: text.slice(copied), isExpression: false });
  return parts;
}

/** The maximum length of an expression. */
const maxLength = 1_000;

/** Returns the offset after an expression; -1 if it has no end, or a comment or a regular expression. */
function endOfExpression(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length && at < start + maxLength; at++) {
    const sign = text[at]!;
    if (sign === '{') depth++;
    else if (sign === '}' && --depth === 0) return at + 1;
    else if (sign === '/' || sign === '`' || sign === '\\') return -1;
    else if (sign === '"' || sign === "'") {
      at = text.indexOf(sign, at + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}
