import { dateFields } from './date-formats.ts';
import type { Found, Range } from './found.ts';
import { type Choice, findIcu, findWikiForms } from './message-syntax.ts';

export interface Placeholders {
  /** `{name}`, `{{x}}`, `${x}`, `%{x}`, `%(name)s`, `||||` and the like, which are always placeholders. */
  certain: Found[];
  /** `%1`, `$1`, `@name`, `:name`, `%name`: placeholders in some projects, prose in others. */
  likely: Found[];
  conversions: Conversion[];
  /** Keys of conversions that may be the beginning of a word. */
  loose: Set<string>;
  /** Whether `%1` is an argument (Qt), so that `%2s` is `%2` followed by an s. */
  isQt: boolean;
  /** `%%`, which a format prints as a percent sign. */
  percents: Found[];
  choices: Choice[];
  /** Everything that could be an argument: `$1` alone is an amount of money, but in a choice it is an argument. */
  arguments: Set<string>;
  /** The fields of the source if the source is a date and time format. */
  dateFields: Found[];
  bracesMatch: boolean;
  /** The number of opening braces in the text, inside and outside of placeholders. */
  openBraces: number;
  /** The ranges of everything above and of the syntax of ICU messages. */
  ranges: Range[];
}

// Every pattern matches only at a given position and has a maximum length.
/** The longer delimiter first: `{{{x}}}` is not `{{x}}` in braces. */
const double = /\{\{\{[^{}\n\0]{1,200}\}\}\}|\{\{[^{}\n\0]{1,200}\}\}/y;
const single =
  /\{\s{0,8}([\p{L}_$@][\p{L}\p{M}\p{N}_$.[\]-]{0,80}|\d{1,4})?(?:!r|!s|:[^{}\s\0]{0,20})?\s{0,8}\}/uy;
const python = /%\(([\p{L}_][^()%\n\0]{0,60})\)[-+0#]{0,3}\d{0,3}(?:\.\d{1,3})?[diouxXeEfFgGcrsa]/uy;
const ruby = /%(?:\{[^{}%\n\0]{1,60}\}|<\w{1,60}>[-+0-9.]{0,8}[a-zA-Z])/y;
const shell = /[$#]\{[^{}\n\0]{1,100}\}/y;
/** A variable of Apple's strings dictionaries, such as `%#@files@`. */
const variable = '#@[^@\\s\\0]{1,60}@';
const type = `(${variable}|(?:hh|h|ll|l|L|q|j|z|t|I64|I32)?[diouxXeEfFgGcrsp@])`;
const precision = String.raw`\.(?:\d{1,3}|\*(?:\d{1,2}\$)?)`;
const positional = new RegExp(
  String.raw`%(\d{1,2})\$(?:(?=${variable})|[-+0#']{0,3}(?:\d{1,3}|\*\d{1,2}\$)?(?:${precision})?)${type}`,
  'y',
);
// Excluded forms: a minus sign without a width, because it begins a suffix (Hungarian "50%-os"); a space, because it is
// prose ("100 % sure"); an apostrophe except in whole numbers, whose digits it groups; and one digit without a
// precision, because it is Qt's `%1`. Only glibc has the flag `I`, for the digits of the language.
const width = String.raw`[-+0#]{0,3}(?:[1-9]\d{1,2}|\*)|0\d{1,2}|[-+#]{1,2}\d{1,2}|[+#]{1,2}`;
const conversion = new RegExp(
  String.raw`%(?:(?=${variable})|(?:${width})?(?:${precision})?|\d${precision}|'(?=l{0,2}[diu])|I(?=l{0,2}[diu]))${type}`,
  'y',
);
const narrow = new RegExp(`%[2-9]${type}`, 'y');
const surrounded = /%[A-Za-z_][\w.-]{2,40}%(?![A-Za-z])/y;
const qt = /%(?:L?\d{1,2}|n(?![A-Za-z]))/y;
// "%nSome files" begins with a line break, and "%BInstall%b" is formatting; neither contains a name.
const percentName = /%(?![a-z][A-Z])[a-z_]\w{2,40}/y;
/** `$US10` is an amount of money. */
const dollarName = /\$(?!(?:US|CAN?|AU|NZ|HK|SG)\d)[A-Za-z_]\w{0,60}\$?/y;
const dollarNumber = /\$[1-9](?![\d.,]?\d)/y;
const at = /@[a-z_][\w-]{1,40}/y;
const colon = /:(?:[A-Za-z_][A-Za-z0-9_]{2,40}|[a-z]{2})(?![\w:(])/y;
/** Vue and slang: a text of another key, `@:menu.open`, `@.lower:menu.open` and `@:.open`. */
const linked = /@(?:\.[a-z]{1,20})?:(?:\([\w.-]{1,80}\)|\.?\w[\w.-]{0,80}(?<=\w))/y;
/** i18next: a text of another key, with options. */
const nested = /\$t\([^()\n\0]{1,200}\)/y;
const make = /\$\([A-Za-z_]\w{0,60}\)/y;
const swift = /\\\([A-Za-z_][\w.]{0,60}\)/y;
/** Tags of templates: ERB and EJS, Jinja and Liquid, Template Toolkit. None contains another one, so each character is read once. */
const templateTag =
  /<%(?:(?!%>|<%)[^\0]){1,300}%>|\{%(?:(?!%\}|\{%)[^\0]){1,300}%\}|\[%(?:(?!%\]|\[%)[^\0]){1,300}%\]/y;
const bbCode = /\[\/?(?:b|i|u|s|url|img|quote|code|color|size|list)(?:=[^\]\n\0]{0,100})?\]/iy;
const doubleSquare = /\[\[[a-z_]\w{0,40}\]\]/y;
const underscored = /__[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){0,10}__/y;
const exclaimed = /![a-z_]\w{1,40}(?!\w)/y;
const hashed = /#[A-Za-z_]\w{0,40}#/y;
const emoji = /:[a-z][a-z0-9_+-]{1,40}:/y;
/** The numbers for which Laravel and Symfony use a plural form: `[2,5]`, and without an end `[2,*]` and `]1,Inf[`. */
const range = String.raw`[[\]]\d{1,9},\s?\d{1,9}[[\]]`;
const endless = String.raw`[[\]]\s?(?:(?:-Inf|\*)\s?,\s?-?\d{1,9}|-?\d{1,9}\s?,\s?(?:\+?Inf|\*))\s?[[\]]`;
const numbersOfForm = new RegExp(
  String.raw`${endless}|(?:(?<=\|)|(?<=^\s{0,4})(?=[^|]{1,500}\|\s{0,4}[{[\]]))${range}`,
  'y',
);
/** Bars between plural forms: `||||` of Polyglot, and a bar before the numbers of a form, as in `|{1}` and `|[2,*]`. */
const barOfForm = new RegExp(String.raw`\|{4}(?!\|)|\|(?=\{\d{1,4}\}|${range}|\s{0,4}${endless})`, 'y');

const latin = /[A-Za-z]/;
const mayTouchLetters = /^#@|^(?:l{0,2}|h{1,2}|z)[dsf@]$|^(?:l{1,2}|z)[iux]$/;
/** Digits, and letters of scripts that put spaces between words. */
const spacedWord = /[\p{N}_]|(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])\p{L}/u;
const opensWord = /[\s("'«“„‘>]/;

interface Reading {
  text: string;
  /** Whether the percent sign precedes the number, as in Turkish `%50`. */
  percentFirst: boolean;
  /** End offset of the previous placeholder. */
  done: number;
  /** For a translation: the keys of the likely placeholders in its source. */
  known: ReadonlySet<string> | undefined;
  /** For a translation: whether its source is a printf format. */
  isFormat: boolean;
  isQt: boolean;
  /** Whether the text is the help text of a command and lists options. */
  isUsage: boolean;
  /** Whether the text has a closing tag of BBCode. */
  hasClosingTag: boolean;
  out: Placeholders;
}

function matchAt(pattern: RegExp, text: string, i: number): RegExpExecArray | null {
  pattern.lastIndex = i;
  return pattern.exec(text);
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');

function piece(match: RegExpExecArray, key: string): Found {
  return { key, span: match[0], start: match.index, end: match.index + match[0].length };
}

function likely({ known, out }: Reading, match: RegExpExecArray | null, key = match?.[0]): Found | undefined {
  if (match === null || key === undefined || known?.has(key) === false) return undefined;
  const found = piece(match, key);
  out.likely.push(found);
  return found;
}

/** Returns the placeholder of a pattern that matches nothing else. */
function certain({ text, out }: Reading, pattern: RegExp, i: number): Found | undefined {
  const match = matchAt(pattern, text, i);
  if (match === null) return undefined;
  const found = piece(match, squeezed(match[0]));
  out.certain.push(found);
  return found;
}

function square(reading: Reading, i: number): Found | undefined {
  return (
    certain(reading, templateTag, i) ??
    // Without a closing tag, `[quote]` is a word for the reader to replace.
    (reading.hasClosingTag ? certain(reading, bbCode, i) : undefined) ??
    certain(reading, numbersOfForm, i) ??
    likely(reading, matchAt(doubleSquare, reading.text, i))
  );
}

/** Returns a placeholder that begins a word in the source. */
function wordwise(reading: Reading, pattern: RegExp, i: number): Found | undefined {
  if (i > 0 && reading.known === undefined && !opensWord.test(reading.text[i - 1]!)) return undefined;
  return likely(reading, matchAt(pattern, reading.text, i));
}

function brace(reading: Reading, i: number): Found | undefined {
  const { text, out } = reading;
  const tag = certain(reading, templateTag, i);
  if (tag) return tag;
  const twice = matchAt(double, text, i);
  if (twice !== null) {
    const found = piece(twice, squeezed(twice[0]));
    out.certain.push(found);
    return found;
  }
  const once = matchAt(single, text, i);
  if (once === null) return undefined;
  // `%d {}` and `function () {}`: empty braces are a placeholder in some formats, and code in prose.
  if (once[1] === undefined && once[0].length > 2) return undefined;
  const found = piece(once, `{${once[1] ?? ''}}`);
  out.certain.push(found);
  return found;
}

function isPercentOfNumber({ text, done }: Reading, i: number): boolean {
  return i > done && /\p{Nd}/u.test(text[i - 1]!);
}

/** Returns one spelling for conversion types that accept the same values and differ only in letter case. */
const alike = (conversionType: string): string =>
  conversionType.replace(/[XEGFi]$/, (letter) => (letter === 'i' ? 'd' : letter.toLowerCase()));

function printfConversion(reading: Reading, i: number): Found | undefined {
  const { text, out } = reading;
  if (!reading.isFormat) return undefined;
  const match = matchAt(conversion, text, i) ?? (reading.isQt ? null : matchAt(narrow, text, i));
  if (match === null) return undefined;
  const next = text[i + match[0].length] ?? '';
  // "%dpx" and "%sfile" contain conversions; "%count" is a name; "100%sure" and "100%d'huile" are prose.
  if (latin.test(next) && !mayTouchLetters.test(match[1]!)) {
    out.loose.add(`%${alike(match[1]!)}`);
    return undefined;
  }
  if (isPercentOfNumber(reading, i) && /[\p{L}'’]/u.test(next)) return undefined;
  const found = { ...piece(match, `%${alike(match[1]!)}`), position: undefined, type: alike(match[1]!) };
  out.conversions.push(found);
  return found;
}

/** Returns a placeholder of the form `%name%`, but not the `%s…%` in `%s…%s` or in `%ld.%d`. */
function percentPair(reading: Reading, i: number): Found | undefined {
  const { text } = reading;
  const match = matchAt(surrounded, text, i);
  if (match === null) return undefined;
  const first = matchAt(conversion, text, i);
  if (first !== null && !latin.test(text[i + first[0].length]!)) return undefined;
  const last = matchAt(conversion, text, i + match[0].length - 1);
  if (first !== null && last !== null && mayTouchLetters.test(first[1]!)) return undefined;
  return likely(reading, match);
}

function percent(reading: Reading, i: number): Found | undefined {
  const { text, out } = reading;
  if (text[i + 1] === '%') {
    const found = { key: '%%', span: '%%', start: i, end: i + 2 };
    out.percents.push(found);
    return found;
  }
  const py = matchAt(python, text, i);
  const named = py ?? matchAt(ruby, text, i);
  if (named) {
    const found = piece(named, py ? `%(${py[1]})${named[0].at(-1)}` : squeezed(named[0]));
    out.certain.push(found);
    return found;
  }
  const byPosition = matchAt(positional, text, i);
  if (byPosition !== null) {
    const position = Number(byPosition[1]);
    const type = alike(byPosition[2]!);
    const found = { ...piece(byPosition, `%${position}$${type}`), position, type };
    out.conversions.push(found);
    return found;
  }
  const afterNumber = isPercentOfNumber(reading, i);
  if (!afterNumber) {
    const between = percentPair(reading, i);
    if (between) return between;
  }
  const format = printfConversion(reading, i);
  if (format !== undefined || afterNumber) return format;
  if (!(reading.percentFirst && reading.known === undefined && /\d/.test(text[i + 1] ?? ''))) {
    const numbered = likely(reading, matchAt(qt, text, i));
    if (numbered) return numbered;
  }
  return likely(reading, matchAt(percentName, text, i));
}

function dollar(reading: Reading, i: number): Found | undefined {
  const { text } = reading;
  const found = certain(reading, shell, i) ?? certain(reading, nested, i) ?? certain(reading, make, i);
  if (found) return found;
  if (text[i] === '#') return likely(reading, matchAt(hashed, text, i));
  // "US$5" has no argument. "从$1" has one, and so has "a$1" in a translation whose source has `$1`.
  if (i > 0 && reading.known === undefined && spacedWord.test(text[i - 1]!)) return undefined;
  return likely(reading, matchAt(dollarName, text, i)) ?? likely(reading, matchAt(dollarNumber, text, i));
}

function prefixed(reading: Reading, i: number): Found | undefined {
  const { text } = reading;
  const link = text[i] === '@' ? certain(reading, linked, i) : undefined;
  if (link) return link;
  const pattern = text[i] === '@' ? at : colon;
  // `:DETAIL` is a word in a command's usage, not a placeholder.
  if (reading.known === undefined && /[A-Z]/.test(text[i + 1] ?? '')) return undefined;
  // In a translation, marks of another language can precede a placeholder: `（:kbd:`, `、:name`.
  const isKnown = reading.known !== undefined && !spacedWord.test(text[i - 1] ?? ' ');
  if (i > 0 && !opensWord.test(text[i - 1]!) && !isKnown) return undefined;
  // `:option` is not a placeholder if the text has `--option`.
  if (pattern === colon && reading.isUsage) return undefined;
  const match = matchAt(pattern, text, i) ?? (pattern === colon ? matchAt(emoji, text, i) : null);
  // Laravel capitalizes the value in the same way as the placeholder's name, so letter case does not count.
  return likely(reading, match, pattern === colon ? match?.[0].toLowerCase() : match?.[0]);
}

const readers: Record<string, (reading: Reading, i: number) => Found | undefined> = {
  '{': brace,
  '%': percent,
  $: dollar,
  '#': dollar,
  '@': prefixed,
  ':': prefixed,
  '[': square,
  ']': (reading, i) => certain(reading, numbersOfForm, i),
  '|': (reading, i) => certain(reading, barOfForm, i),
  '<': (reading, i) => certain(reading, templateTag, i),
  '\\': (reading, i) => wordwise(reading, swift, i),
  _: (reading, i) => wordwise(reading, underscored, i),
  '!': (reading, i) => wordwise(reading, exclaimed, i),
};
const starts = /[{%$#@:[\]|<\\_!]/g;

/** Whether a text such as "%Y-%m-%d %H:%M" is a date format. Date formats differ between languages. */
function isDateFormat(text: string): boolean {
  const fields = text.match(/%[-_EO^#]?[YyHIMBbAmjZTSp]/g) ?? [];
  return fields.length > 1 && fields.some((field) => /[YyHI]$/.test(field));
}

/**
 * Returns the placeholders of a text, found in one pass.
 * @param text with markup, links and email addresses blanked out
 * @param source for a translation: the placeholders of its source. In the translation, a likely placeholder counts only
 *   if the source has it too; otherwise it is prose, and its digits are numbers.
 */
export function findPlaceholders(text: string, lang: string, source?: Placeholders): Placeholders {
  const icu = findIcu(text);
  const wiki = findWikiForms(text, icu.pairs);
  const fields = (source === undefined ? dateFields(text) : undefined) ?? [];
  const out: Placeholders = {
    certain: [...icu.formatted],
    likely: [],
    conversions: [],
    loose: new Set(),
    isQt: source?.isQt ?? /%L?1(?![\d$])/.test(text),
    percents: [],
    choices: [
      ...icu.choices,
      ...wiki.forms
        .filter(({ isGrammar }) => !isGrammar)
        .map(
          ({ argument, head: { span } }): Choice => ({
            key: argument,
            head: span,
            type: 'plural',
            selectors: [],
            hash: false,
          }),
        ),
    ],
    arguments: new Set(wiki.forms.map(({ argument }) => argument)),
    dateFields: fields,
    bracesMatch: icu.bracesMatch,
    openBraces: text.match(/\{/g)?.length ?? 0,
    ranges: [...icu.syntax, ...wiki.syntax],
  };
  const syntax = new Set<number>();
  for (const { start } of icu.syntax) syntax.add(start);
  for (const { end } of icu.syntax) if (text[end - 1] === '{') syntax.add(end - 1);
  for (const { start, end } of wiki.syntax) for (let i = start; i < end; i += 1) syntax.add(i);
  const reading: Reading = {
    text,
    percentFirst: lang === 'tr',
    done: 0,
    known: source && new Set(source.likely.map(({ key }) => key)),
    isQt: out.isQt,
    isUsage: /(?:^|\s)--[a-z]/.test(text),
    hasClosingTag: text.includes('[/'),
    isFormat:
      source === undefined ? fields.length === 0 && !isDateFormat(text) : source.conversions.length > 0,
    out,
  };
  for (const { index } of text.matchAll(starts)) {
    if (index < reading.done || syntax.has(index)) continue;
    const found = readers[text[index]!]!(reading, index);
    if (found === undefined) continue;
    reading.done = found.end;
    out.ranges.push({ start: found.start, end: found.end });
  }
  // "$1" alone is an amount of money as often as an argument; an amount is a number.
  const dollars = new Set(out.likely.filter(({ key }) => /^\$\d$/.test(key)).map(({ key }) => key));
  const isArgument = [...dollars].some((key) => out.arguments.has(key));
  for (const { key } of out.likely) out.arguments.add(key);
  const isTranslation = source !== undefined;
  if (
    !isTranslation &&
    !isArgument &&
    dollars.size > 0 &&
    !(dollars.size > 1 && [...dollars].every((_, i) => dollars.has(`$${i + 1}`)))
  ) {
    const money = new Set(out.likely.filter(({ key }) => dollars.has(key)).map(({ start }) => start));
    out.likely = out.likely.filter(({ start }) => !money.has(start));
    out.ranges = out.ranges.filter(({ start }) => !money.has(start));
  }
  return out;
}

/** One conversion of a printf format. The key is `%s`, without width and precision; for a numbered argument, `%2$s`. */
export interface Conversion extends Found {
  /** The number of the argument, from 1; undefined if the conversion takes the next argument. */
  position: number | undefined;
  /** Length modifier and type: `s`, `ld`. */
  type: string;
}
