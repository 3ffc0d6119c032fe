import { dateFields } from './date-formats.ts';
import type { Found, Range } from './found.ts';
import { type Choice, findIcu, findWikiForms } from './message-syntax.ts';

export interface Placeholders {
  /** `{name}`, `{{x}}`, `${x}`, `%{x}`, `%(name)s` and the like: always placeholders. */
  certain: Found[];
  /** `%1`, `$1`, `@name`, `:name`, `%name`: placeholders in one project, prose in another. */
  likely: Found[];
  conversions: Conversion[];
  /** Keys that would be conversions, but begin a word. */
  loose: Set<string>;
  /** Whether `%1` is an argument, so that `%2s` is `%2` and an s. */
  isQt: boolean;
  /** `%%`, the percent sign of a format. */
  percents: Found[];
  choices: Choice[];
  /** Everything that could be an argument: `$1` is money on its own and an argument in a choice. */
  arguments: Set<string>;
  /** The fields of a source that is a date and time format. */
  dateFields: Found[];
  bracesMatch: boolean;
  /** The number of opening braces in the text, in placeholders or not. */
  openBraces: number;
  /** Everything above and the syntax of ICU messages. */
  ranges: Range[];
}

// Every pattern is anchored to the character it starts with and bounded in length.
const double = /\{\{([^{}\n\0]{1,200})\}\}/y;
const single =
  /\{\s{0,8}([\p{L}_$@][\p{L}\p{M}\p{N}_$.[\]-]{0,80}|\d{1,4})?(?:!r|!s|:[^{}\s\0]{0,20})?\s{0,8}\}/uy;
const python = /%\(([\p{L}_][^()%\n\0]{0,60})\)[-+0#]{0,3}\d{0,3}(?:\.\d{1,3})?[diouxXeEfFgGcrsa]/uy;
const ruby = /%(?:\{[^{}%\n\0]{1,60}\}|<\w{1,60}>[-+0-9.]{0,8}[a-zA-Z])/y;
const shell = /[$#]\{[^{}\n\0]{1,100}\}/y;
const type = '((?:hh|h|ll|l|L|q|j|z|t|I64|I32)?[diouxXeEfFgGcrsp@])';
const precision = String.raw`\.(?:\d{1,3}|\*(?:\d{1,2}\$)?)`;
const positional = new RegExp(
  String.raw`%(\d{1,2})\$[-+0#']{0,3}(?:\d{1,3}|\*\d{1,2}\$)?(?:${precision})?${type}`,
  'y',
);
// A minus sign without a width is a suffix: Hungarian writes "50%-os". A space is prose: "100 % sure". An apostrophe groups
// only the digits of whole numbers. One digit without a precision is Qt's `%1`.
const width = String.raw`[-+0#]{0,3}(?:[1-9]\d{1,2}|\*)|0\d{1,2}|[-+#]{1,2}\d{1,2}|[+#]{1,2}`;
const conversion = new RegExp(
  String.raw`%(?:(?:${width})?(?:${precision})?|\d${precision}|'(?=l{0,2}[diu]))${type}`,
  'y',
);
const narrow = new RegExp(`%[2-9]${type}`, 'y');
const surrounded = /%[A-Za-z_][\w.-]{2,40}%(?![A-Za-z])/y;
const qt = /%(?:L?\d{1,2}|n(?![A-Za-z]))/y;
// "%nSome files" has a line break, and "%BInstall%b" formatting; neither is a name.
const percentName = /%(?![a-z][A-Z])[a-z_]\w{2,40}/y;
const dollarName = /\$[A-Za-z_]\w{0,60}\$?/y;
const dollarNumber = /\$[1-9](?![\d.,]?\d)/y;
const at = /@[a-z_][\w-]{1,40}/y;
const colon = /:[A-Za-z_][A-Za-z0-9_]{2,40}(?![\w:(])/y;

const latin = /[A-Za-z]/;
const mayTouchLetters = /^(?:l{0,2}|h{1,2}|z)[dsf@]$|^(?:l{1,2}|z)[iux]$/;
/** Letters of scripts that put spaces between words, and digits. */
const spacedWord = /[\p{N}_]|(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])\p{L}/u;
const opensWord = /[\s("'«“„‘>]/;

interface Reading {
  text: string;
  /** In Turkish `%50`, the sign precedes the number. */
  percentFirst: boolean;
  /** End of the previous placeholder. */
  done: number;
  /** For a translation: the likely placeholders of its source. */
  known: ReadonlySet<string> | undefined;
  /** For a translation: whether its source is a printf format. */
  isFormat: boolean;
  isQt: boolean;
  /** Whether the text is the help of a command, with its options. */
  isUsage: boolean;
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

function brace({ text, out }: Reading, i: number): Found | undefined {
  const twice = matchAt(double, text, i);
  if (twice !== null) {
    const found = piece(twice, `{{${squeezed(twice[1]!)}}}`);
    out.certain.push(found);
    return found;
  }
  const once = matchAt(single, text, i);
  if (once === null) return undefined;
  // `%d {}` and `function () {}`: empty braces are a placeholder of some formats and code in prose.
  if (once[1] === undefined && once[0].length > 2) return undefined;
  const found = piece(once, `{${once[1] ?? ''}}`);
  out.certain.push(found);
  return found;
}

function isPercentOfNumber({ text, done }: Reading, i: number): boolean {
  return i > done && /\p{Nd}/u.test(text[i - 1]!);
}

/** One spelling for the types that accept the same values and differ only in the case of letters. */
const alike = (conversionType: string): string =>
  conversionType.replace(/[XEGFi]$/, (letter) => (letter === 'i' ? 'd' : letter.toLowerCase()));

function printfConversion(reading: Reading, i: number): Found | undefined {
  const { text, out } = reading;
  if (!reading.isFormat) return undefined;
  const match = matchAt(conversion, text, i) ?? (reading.isQt ? null : matchAt(narrow, text, i));
  if (match === null) return undefined;
  const next = text[i + match[0].length] ?? '';
  // "%dpx" and "%sfile" have conversions; "%count" is a name, "100%sure" and "100%d'huile" are prose.
  if (latin.test(next) && !mayTouchLetters.test(match[1]!)) {
    out.loose.add(`%${alike(match[1]!)}`);
    return undefined;
  }
  if (isPercentOfNumber(reading, i) && /[\p{L}'’]/u.test(next)) return undefined;
  const found = { ...piece(match, `%${alike(match[1]!)}`), position: undefined, type: alike(match[1]!) };
  out.conversions.push(found);
  return found;
}

/** `%name%`, but not the `%s…%` of `%s…%s` or `%ld.%d`. */
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
  const named = py === null ? matchAt(ruby, text, i) : undefined;
  const certain = py ?? named;
  if (certain) {
    const found = piece(certain, py ? `%(${py[1]})${certain[0].at(-1)}` : squeezed(certain[0]));
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
  const { text, out } = reading;
  const certain = matchAt(shell, text, i);
  if (certain !== null) {
    const found = piece(certain, squeezed(certain[0]));
    out.certain.push(found);
    return found;
  }
  if (text[i] === '#') return undefined;
  // "US$5" has no argument; "从$1" has one, and so has the "a$1" of a translation whose source has `$1`.
  if (i > 0 && reading.known === undefined && spacedWord.test(text[i - 1]!)) return undefined;
  return likely(reading, matchAt(dollarName, text, i)) ?? likely(reading, matchAt(dollarNumber, text, i));
}

function prefixed(reading: Reading, i: number): Found | undefined {
  const { text } = reading;
  const pattern = text[i] === '@' ? at : colon;
  // `:DETAIL` is a word of a command's usage.
  if (reading.known === undefined && /[A-Z]/.test(text[i + 1] ?? '')) return undefined;
  if (i > 0 && !opensWord.test(text[i - 1]!)) return undefined;
  // Nor is `:option`, if the text has `--option`.
  if (pattern === colon && reading.isUsage) return undefined;
  const match = matchAt(pattern, text, i);
  // Laravel capitalizes the value like the name.
  return likely(reading, match, pattern === colon ? match?.[0].toLowerCase() : match?.[0]);
}

const readers: Record<string, (reading: Reading, i: number) => Found | undefined> = {
  '{': brace,
  '%': percent,
  $: dollar,
  '#': dollar,
  '@': prefixed,
  ':': prefixed,
};
const starts = /[{%$#@:]/g;

/** "%Y-%m-%d %H:%M" is a date format, which differs by language. */
function isDateFormat(text: string): boolean {
  const fields = text.match(/%[-_EO^#]?[YyHIMBbAmjZTSp]/g) ?? [];
  return fields.length > 1 && fields.some((field) => /[YyHI]$/.test(field));
}

/**
 * The placeholders of a text, in one pass.
 * @param text with markup, links and email addresses blanked out
 * @param source for a translation: the placeholders of its source. A likely placeholder is one in the translation only if
 * the source has it; otherwise it is prose, and its digits are numbers.
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
  // "$1" on its own is money as often as an argument; as money it is a number.
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

/** One conversion of a printf format. Its key is `%s` without width and precision, or `%2$s` with a numbered argument. */
export interface Conversion extends Found {
  /** The number of its argument, from 1; undefined if it takes the next one. */
  position: number | undefined;
  /** Length and type: `s`, `ld`. */
  type: string;
}
