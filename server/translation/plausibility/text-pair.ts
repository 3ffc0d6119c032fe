import type { QualityIssue } from '#server/platform/engines/engine.ts';

/** The input of every check: a source and its supposed translation; the length of both is limited. */
export interface TextPair {
  sourceLang: string;
  targetLang: string;
  source: string;
  target: string;
  /** The words of the source, in lower case. Names, code and quotations may stay unchanged in a translation. */
  sourceWords: ReadonlySet<string>;
  /**
   * Whether the source is a message with plural branches. Its translation may have a different number of branches, and
   * so a different length and more or fewer repetitions.
   */
  branching: boolean;
}

/**
 * Maximum number of UTF-16 units that are read. Only texts with many characters outside of the basic plane exceed it.
 */
const maxReadLength = 64_000;

/**
 * More marks on a letter than any script uses. Without a limit, a run of thousands of marks would be slow to normalize.
 */
const manyMarks = /(\p{M}{20})\p{M}+/gu;

const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]+/g;

/**
 * A run of letters that are either all Latin or all not Latin, so that a Latin name in a Japanese text is a separate
 * word.
 */
export const word = /[\p{Script=Latin}\p{M}]+|[[\p{L}\p{M}]--\p{Script=Latin}]+/gv;

/** Maximum UTF-16 units of a message. A longer text may contain a message, but is not one. */
const maxMessageLength = 600;

/** Matches a message with a branch for each plural form; languages have one to six forms. */
const pluralMessage = /\{\s{0,9}\w{1,99}\s{0,9},\s{0,9}(?:plural|select|selectordinal)\s{0,9},/;

export function textPair(input: {
  sourceText: string;
  targetText: string;
  sourceLang: string;
  targetLang: string;
}): TextPair {
  const source = readable(input.sourceText);
  const target = readable(input.targetText);
  return {
    sourceLang: input.sourceLang,
    targetLang: input.targetLang,
    source,
    target,
    sourceWords: new Set(source.toLowerCase().match(word)),
    branching: source.length <= maxMessageLength && pluralMessage.test(source),
  };
}

/** Returns `text` in NFC without invisible characters. Of a text that is too long, only start, middle and end. */
export function readable(text: string): string {
  return excerpts(text, maxReadLength).replace(invisible, '').replace(manyMarks, '$1').normalize('NFC');
}

/** Adjacent ASCII characters that occur in code and not in words: in URLs, options, placeholders, camelCase. */
const code = /^[-$%&#]|[\w\])}>]?[_@=<>{}\\|/][\w(]?|\w[.:]\w|\d|[a-z][A-Z]|^[[({]*-/;

/** Returns `text` with a space in place of each part that looks like code. */
export function withoutCode(text: string): string {
  return text.replace(/[\x21-\x7e]+/g, (run) => (code.test(run) ? ' ' : run));
}

function excerpts(text: string, length: number): string {
  if (text.length <= length) return text;
  const third = Math.floor(length / 3);
  const middle = (text.length - third) >> 1;
  return [text.slice(0, third), text.slice(middle, middle + third), text.slice(-third)].join('\n');
}

/** Creates an issue that prevents a translation from being published automatically. */
export function critical(
  category: QualityIssue['category'],
  explanation: string,
  span?: string,
): QualityIssue {
  return {
    severity: 'critical',
    category,
    span: span === undefined ? null : excerpt(span),
    explanation,
    suggestion: null,
  };
}

/** Maximum UTF-16 units of a quote in an issue. */
const quoted = 200;

/** Returns the start of `text` in a form that can be stored: without broken surrogate pairs and U+0000. */
function excerpt(text: string): string {
  return text.slice(0, quoted).toWellFormed().replaceAll('\0', ' ');
}
