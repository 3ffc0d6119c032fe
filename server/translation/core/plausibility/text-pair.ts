import type { QualityIssue } from '#server/platform/engines/engine.ts';

/** The input of every check: a source and its supposed translation, both bounded in length. */
export interface TextPair {
  sourceLang: string;
  targetLang: string;
  source: string;
  target: string;
  /** The source's words, in lower case: names, code and quotations that may stay as they are. */
  sourceWords: ReadonlySet<string>;
  /** Whether the source is a message with plural branches: its translation has others, with another length and repetitions. */
  branching: boolean;
}

/** UTF-16 units that are read of a text. Only texts with many characters outside the basic plane are longer. */
const longestRead = 64_000;

/** More marks on a letter than any script has: a run of thousands is slow to normalize. */
const manyMarks = /(\p{M}{20})\p{M}+/gu;

const invisible = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]+/g;

/** A run of letters that is either Latin or free of Latin letters: a name inside Japanese is a word of its own. */
export const word = /[\p{Script=Latin}\p{M}]+|[[\p{L}\p{M}]--\p{Script=Latin}]+/gv;

/** UTF-16 units of a message; a longer text only has one in it. */
const longestMessage = 600;

/** A message with a branch for each plural form, of which languages have one to six. */
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
    branching: source.length <= longestMessage && pluralMessage.test(source),
  };
}

/** `text` in NFC without invisible characters; start, middle and end of one that is too long. */
export function readable(text: string): string {
  return excerpts(text, longestRead).replace(invisible, '').replace(manyMarks, '$1').normalize('NFC');
}

/** Characters of ASCII that stand together and are code rather than words: addresses, options, placeholders, camelCase. */
const code = /^[-$%&#]|[\w\])}>]?[_@=<>{}\\|/][\w(]?|\w[.:]\w|\d|[a-z][A-Z]|^[[({]*-/;

/** `text` without what looks like code, a space in its place. */
export function withoutCode(text: string): string {
  return text.replace(/[\x21-\x7e]+/g, (run) => (code.test(run) ? ' ' : run));
}

function excerpts(text: string, length: number): string {
  if (text.length <= length) return text;
  const third = Math.floor(length / 3);
  const middle = (text.length - third) >> 1;
  return [text.slice(0, third), text.slice(middle, middle + third), text.slice(-third)].join('\n');
}

/** A finding that keeps a translation from publishing on its own (B 2.3). */
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

/** UTF-16 units of a text that a finding quotes. */
const quoted = 200;

/** The start of `text`, in characters that can be stored: none is cut in half, none is U+0000. */
function excerpt(text: string): string {
  return text.slice(0, quoted).toWellFormed().replaceAll('\0', ' ');
}
