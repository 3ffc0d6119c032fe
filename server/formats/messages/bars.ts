import type { Message, MessageText } from './choices.ts';
import { describeForm, pluralCategories, poPluralsOf, sourceOfForm } from './plural-forms.ts';

/*
 * Plural forms between bars, as three families of libraries have them: Polyglot (`one file |||| %{smart_count} files`),
 * Laravel and Symfony (`{0} no files|[1,*] :count files`), and vue-i18n (`no files | one file | {count} files`). Each form
 * is a text. A bar can also be a sign in a title, such as `Home | Acme`, which is one text.
 */

/** The numbers for which a form of Laravel or Symfony is, such as `{0}`, `[2,*]` and `]1,Inf[`. */
const interval =
  /^(?:\{\s*-?\d+(?:\s*,\s*-?\d+)*\s*\}|[[\]]\s*(?:-?\d+|-Inf|\*)\s*,\s*(?:-?\d+|\+?Inf|\*)\s*[[\]])/;
/** The name of a form, which Symfony skips. */
const label = /^(?:zero|none|one|two|few|many|some|more|other):(?=\s)/;
/** The number in a form. */
const count = /[:@]count\b|%count%|[{%]\s*(?:count|n)\s*[}%]/;
/** The number in a form of Laravel or Symfony, which have as many forms as gettext. */
const countOfGettext = /[:@]count\b|%count%/;
const placeholder = /[{%:@$]+[\w.]+/g;
const maxForms = 8;

export interface BarOptions {
  sourceLanguage: string | undefined;
  /** Whether forms have a number, an interval or a label. Without, two texts with the same word can be forms. */
  needsCount?: boolean;
}

/** A form, with the characters between it and the neighboring bars. */
interface Form {
  before: string;
  /** The numbers for which the form is; empty if the rule of the language chooses it. */
  interval: string;
  label: string;
  text: string;
  after: string;
}

/** A form of the translation, with the characters before it. */
type Written = MessageText & { head: string };

/**
 * Reads plural forms between bars. Those that the rule of a language chooses, in Polyglot, Laravel and Symfony, become the
 * forms of the target language. The others keep their number, because programs choose among them by their own rules.
 *
 * @returns null for a text without them
 */
export function readBars(
  message: string,
  targetLanguage: string | undefined,
  { sourceLanguage = 'en', needsCount = false }: BarOptions,
): Message | null {
  const bar = message.includes('||||') ? '||||' : '|';
  const forms = formsIn(splitAt(bar, message));
  const words = forms.map(({ text }) => text);
  if (forms.length < 2 || forms.length > maxForms || words.includes('')) return null;
  const ruled = forms.filter((form) => form.interval === '');
  const areNamed = ruled.length > 0 && ruled.every((form) => form.label !== '');
  const hasIntervals = ruled.length === 0 || forms.some((form) => /[[\]]/.test(form.interval));
  const areAlike = haveSameWord(words);
  if (
    bar === '|' &&
    (/\n/.test(message.trim()) ||
      !(hasIntervals || areNamed || (areAlike && !needsCount) || count.test(message)))
  )
    return null;
  const followsGettext =
    bar === '||||' || areNamed || (countOfGettext.test(message) && (areAlike || ruled.length < forms.length));
  const categories = categoriesFor(sourceLanguage, bar);
  const isRuled = targetLanguage !== undefined && followsGettext && categories.length === ruled.length;
  const written = forms.flatMap((form, at): Written[] => {
    const head = (at === 0 ? '' : forms[at - 1]!.after + bar) + form.before;
    if (!isRuled || form.interval !== '') {
      const name = form.interval.trim() || `${at + 1} of ${forms.length}`;
      const note = `plural form ${form.interval === '' ? name : `for ${name}`}`;
      return [{ head: head + form.interval + form.label, text: form.text, variant: `form ${at + 1}`, note }];
    }
    const place = ruled.indexOf(form);
    const own = categoriesFor(targetLanguage, bar);
    const sources = new Map(ruled.map(({ text }, index) => [categories[index]!, text]));
    return own.slice(place, place === ruled.length - 1 ? undefined : place + 1).map((category, more) => ({
      head: (more === 0 || at > 0 ? head : bar) + labelFor(form, category, ruled),
      text: sourceOfForm(sources, category, targetLanguage),
      variant: `cardinal ${category}`,
      note: describeForm(targetLanguage, category),
    }));
  });
  return {
    texts: written.map(({ head, ...text }) => text),
    write: (translations) =>
      translations
        // A bar in a translation would begin another form.
        .map((text, at) => written[at]!.head + splitAt(bar, text).join('/'))
        .join('') + forms.at(-1)!.after,
  };
}

/** Returns the categories of the forms of a language. Laravel and Symfony have one form for Turkish. */
function categoriesFor(language: string, bar: string): readonly string[] {
  return bar === '|' && language === 'tr' ? ['other'] : poPluralsOf(language).forms;
}

/** Returns the label of a form: its category if the labels of the file are categories, or else that of its source. */
function labelFor(form: Form, category: string, ruled: readonly Form[]): string {
  const isCategory = (one: Form) =>
    (pluralCategories as readonly string[]).includes(/\w*/.exec(one.label)![0]);
  return ruled.every(isCategory) ? form.label.replace(/^\w+/, category) : form.label;
}

/** Returns a text without the intervals of its forms, such as `{0}`, which look like arguments. */
export function withoutIntervals(text: string): string {
  const parts = splitAt('|', text);
  return parts.length < 2
    ? text
    : formsIn(parts)
        .map((form) => form.text)
        .join('|');
}

/** Reads forms with their intervals. Several forms that start with the same one have an argument there. */
function formsIn(written: readonly string[]): Form[] {
  const forms = written.map((one) => formOf(one));
  const intervals = forms.flatMap((form) => form.interval.trim() || []);
  return new Set(intervals).size < intervals.length ? written.map((one) => formOf(one, false)) : forms;
}

function formOf(written: string, hasInterval = true): Form {
  const [before = ''] = /^\s*/.exec(written) ?? [];
  const start = written.slice(before.length);
  const [numbers = ''] = (hasInterval && interval.exec(start)) || [];
  const [name = ''] = (numbers === '' && label.exec(start)) || [];
  const rest = start.slice(numbers.length + name.length);
  const text = rest.trim();
  const at = text === '' ? 0 : rest.indexOf(text);
  const [ofInterval, ofLabel] = numbers === '' ? ['', rest.slice(0, at)] : [rest.slice(0, at), ''];
  return {
    before,
    interval: numbers + ofInterval,
    label: name + ofLabel,
    text,
    after: rest.slice(at + text.length),
  };
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
