import { poPluralsOf } from './gettext-plurals.ts';
import type { Message } from './icu.ts';
import { describeForm, sourceOfForm } from './plural-forms.ts';

/*
 * Plural forms between bars, as three families of libraries have them: Polyglot (`one file |||| %{smart_count} files`),
 * Laravel and Symfony (`{0} no files|[1,*] :count files`), and vue-i18n (`no files | one file | {count} files`). Each form
 * is a text. A bar can also be a sign in a title, such as `Home | Acme`, which is one text.
 */

/** The numbers for which a form of Laravel or Symfony is, such as `{0}`, `[2,*]` and `]1,Inf[`, or its label. */
const interval =
  /^(?:(?:zero|none|one|two|few|many|some|more|other):(?=\s)|\{\s*-?\d+(?:\s*,\s*-?\d+)*\s*\}|[[\]]\s*(?:-?\d+|-Inf|\*)\s*,\s*(?:-?\d+|\+?Inf|\*)\s*[[\]])/;
/** The number in a form. */
const count = /:count\b|%count%|[{%]\s*(?:count|n)\s*[}%]/;
/** The number in a form of Laravel or Symfony, which have as many forms as gettext. */
const countOfGettext = /:count\b|%count%/;
const placeholder = /[{%:@$]+[\w.]+/g;
const maxForms = 6;

/** A form, with the characters between it and the neighboring bars. */
interface Form {
  before: string;
  interval: string;
  text: string;
  after: string;
}

/**
 * Reads plural forms between bars. Those of Polyglot, and those of Laravel and Symfony without intervals, become the
 * forms of the target language. The others keep their number, because programs choose among them by their own rules.
 *
 * @returns null for a text without them
 */
export function readBars(
  message: string,
  {
    sourceLanguage = 'en',
    targetLanguage,
  }: { sourceLanguage?: string | undefined; targetLanguage?: string | undefined },
): Message | null {
  const bar = message.includes('||||') ? '||||' : '|';
  const forms = splitAt(bar, message).map(formOf);
  const words = forms.map(({ text }) => text);
  if (forms.length < 2 || forms.length > maxForms || words.includes('')) return null;
  const hasIntervals =
    forms.every((form) => form.interval !== '') || forms.some((form) => /[[\]]/.test(form.interval));
  const areAlike = haveSameWord(words);
  if (bar === '|' && (/\n/.test(message.trim()) || !(hasIntervals || areAlike || count.test(message))))
    return null;
  const heads = forms.map(
    ({ before, interval }, at) => `${at === 0 ? '' : forms[at - 1]!.after + bar}${before}${interval}`,
  );
  const followsGettext = bar === '||||' || (!hasIntervals && areAlike && countOfGettext.test(message));
  const categories = poPluralsOf(sourceLanguage).forms;
  return {
    texts:
      targetLanguage !== undefined && followsGettext && categories.length === forms.length
        ? poPluralsOf(targetLanguage).forms.map((category) => ({
            text: sourceOfForm(
              new Map(words.map((text, at) => [categories[at]!, text])),
              category,
              targetLanguage,
            ),
            variant: `cardinal ${category}`,
            note: describeForm(targetLanguage, category),
          }))
        : forms.map(({ text, interval }, at) => ({
            text,
            variant: `form ${at + 1}`,
            note: `plural form ${interval.trim() === '' ? `${at + 1} of ${forms.length}` : `for ${interval.trim()}`}`,
          })),
    write: (translations) =>
      translations
        // A bar in a translation would begin another form.
        .map((text, at) => (heads[at] ?? heads.at(-1)!) + splitAt(bar, text).join('/'))
        .join('') + forms.at(-1)!.after,
  };
}

function formOf(written: string): Form {
  const [before = ''] = /^\s*/.exec(written) ?? [];
  const [own = ''] = interval.exec(written.slice(before.length)) ?? [];
  const rest = written.slice(before.length + own.length);
  const text = rest.trim();
  const start = text === '' ? 0 : rest.indexOf(text);
  return { before, interval: own + rest.slice(0, start), text, after: rest.slice(start + text.length) };
}

/** Splits a text at the bars that are outside of braces and links: `{{ date | short }}` and `[[page|text]]` have others. */
function splitAt(bar: string, text: string): string[] {
  const parts: string[] = [];
  let [depth, from] = [0, 0];
  for (const { 0: sign, index } of text.matchAll(/\{|\[\[|\}|\]\]|\|+/g)) {
    if (sign === '{' || sign === '[[') depth++;
    else if (sign === '}' || sign === ']]') depth--;
    else if (depth === 0 && sign === bar) {
      parts.push(text.slice(from, index));
      from = index + sign.length;
    }
  }
  return [...parts, text.slice(from)];
}

/** Whether all forms have a word with the same beginning, as “apple” and “apples”. */
function haveSameWord(forms: readonly string[]): boolean {
  const [first, ...others] = forms.map(
    (form) =>
      new Set(
        form
          .replace(placeholder, '')
          .toLowerCase()
          .match(/[\p{L}\p{M}]{3,}/gu)
          ?.map((word) => word.slice(0, 3)),
      ),
  );
  return [...first!].some((beginning) => others.every((other) => other.has(beginning)));
}
