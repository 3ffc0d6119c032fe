import { smallNumberWords, spelledNumbers } from './number-words.ts';
import { centuryEnding, exponentsOf, findNumbers, type NumberMatch } from './numbers.ts';
import { otherNumerals, readings, withAsciiDigits } from './numerals.ts';

const convert: [unit: RegExp, factors: number[], offset?: number][] = [
  [/^miles?\b|^mi\b|^mph\b/i, [1.609344]],
  [/^(?:kilomet(?:er|re)s?|km)\b/i, [0.621371]],
  [/^(?:feet|foot|ft)\b/i, [0.3048, 30.48]],
  [/^(?:inch(?:es)?|in\.)/i, [2.54, 25.4]],
  [/^yards?\b/i, [0.9144]],
  [/^(?:pounds?|lbs?)\b/i, [0.453592]],
  [/^(?:ounces?|oz)\b/i, [28.3495, 29.5735]],
  [/^gallons?\b/i, [3.78541]],
  [/^acres?\b/i, [0.404686]],
  [/^(?:°\s?F|degrees Fahrenheit)/i, [5 / 9], -32],
];
const tolerance = 0.06;
const maxValues = 200;

/**
 * Whether one of the target's values is the source's number converted to another unit. The source's unit follows the
 * number.
 */
function convertedFrom(number: NumberMatch, source: string, present: Iterable<string>): boolean {
  const after = source.slice(number.end, number.end + 24).replace(/^[\s-]/, '');
  const unit = convert.find(([pattern]) => pattern.test(after));
  const value = Number(number.values[0]);
  if (unit === undefined || !Number.isFinite(value)) return false;
  const expected = unit[1].map((factor) => (value + (unit[2] ?? 0)) * factor);
  let seen = 0;
  for (const candidate of present) {
    seen += 1;
    if (seen > maxValues) return false;
    if (expected.some((one) => Math.abs(Number(candidate) - one) <= Math.abs(one) * tolerance)) return true;
  }
  return false;
}

export interface NumberLoss {
  number: NumberMatch;
  /**
   * `rarer`: the target has the number, but less often. `converted`: the target has the measure in another unit, such
   * as 8 km for 5 miles.
   */
  kind: 'lost' | 'rarer' | 'converted';
}

const direction = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f]/;

/** The number of occurrences of each value in a text. */
class Values {
  readonly #counts = new Map<string, number>();

  add(values: readonly string[]): void {
    for (const value of values.length > 1 ? new Set(values) : values) {
      this.#counts.set(value, this.count(value) + 1);
    }
  }

  count(value: string): number {
    return this.#counts.get(value) ?? 0;
  }

  get all(): IterableIterator<string> {
    return this.#counts.keys();
  }
}

/**
 * Returns the values of a target. Everything that may be a number counts: any run of digits, numerals of any kind,
 * fractions such as ½.
 */
function valuesOf(target: string, found: readonly NumberMatch[]): Values {
  const values = new Values();
  // "1,2,3" counts as three numbers, and so do the parts of a date.
  for (const { values: meanings, parts, hours = [] } of found)
    values.add(meanings.length === 0 ? [...parts, ...hours] : meanings);
  const inNumbers = new Set(found.map(({ start }) => start));
  // In a name such as "v5.5", the number and its parts count.
  for (const { index, 0: run } of withAsciiDigits(target).matchAll(/\d+(?:[.,]\d+)*/g)) {
    if (inNumbers.has(index)) continue;
    const parts = run.split(/\D/).map((part) => part.replace(/^0+(?=\d)/, ''));
    values.add([run, ...parts, ...readings(run)]);
  }
  // ½ counts as 1 and as 2, 2³² as 2 and as 32.
  for (const [signs] of target.matchAll(/\p{No}{1,10}/gu)) {
    values.add([...signs, signs].flatMap((own) => own.normalize('NFKC').split(/\D/)).filter(Boolean));
  }
  for (const value of otherNumerals(target)) values.add([value]);
  return values;
}

/** The difference between the Buddhist year, which Thai dates use, and the Gregorian year. */
const buddhistEra = 543;

/** English words that follow a number which does not count anything: "from 1 to 9", "a value of 0 will". */
const countsNothing = /^\s(?:to|and|or|if|is|are|will|for|means|when|as|in|on)\s/;

function countsSomething({ end }: NumberMatch, source: string): boolean {
  const after = source.slice(end, end + 12);
  return /^[\s-]?\p{L}/u.test(after) && !countsNothing.test(after);
}

const arabicDual = /(?:ان|ين|تا|تي)(?!\p{L})/u;

const monthsByLanguage = new Map<string, string[][]>();

/** Returns the names of each month: long and short, alone and as in a date. */
function monthNames(lang: string): string[][] {
  const known = monthsByLanguage.get(lang);
  if (known !== undefined) return known;
  const formats = (['long', 'short'] as const).flatMap((month) =>
    [{ month }, { month, day: 'numeric' as const }].map(
      (style) => new Intl.DateTimeFormat(`${lang}-u-ca-gregory`, { ...style, timeZone: 'UTC' }),
    ),
  );
  const names = Array.from({ length: 12 }, (_, month) => {
    const parts = formats.flatMap((format) => format.formatToParts(Date.UTC(2024, month, 15)));
    const own = parts.filter(({ type, value }) => type === 'month' && /\p{L}{2}/u.test(value));
    return [...new Set(own.map(({ value }) => value.toLowerCase().replace(/\.$/, '')))];
  });
  monthsByLanguage.set(lang, names);
  return names;
}

/**
 * Returns the centuries that a text names, each by its first year: 1600-talet, 1600-luvulla and the 1600s are the 17th
 * century.
 */
function centuriesOf(target: string): Set<string> {
  const years = [...withAsciiDigits(target).matchAll(/(?<!\d)(\d{1,2})00(?!\d)/g)].filter(
    ({ index, 0: { length } }) => centuryEnding.test(target.slice(index + length, index + length + 24)),
  );
  return new Set(years.map(([, hundreds]) => String(Number(hundreds) + 1)));
}

/** Returns `text` without direction marks, and the original offset of each remaining character. */
function withoutDirection(text: string): { text: string; offsets: number[] | undefined } {
  if (!direction.test(text)) return { text, offsets: undefined };
  const offsets: number[] = [];
  for (let i = 0; i < text.length; i += 1) if (!direction.test(text[i]!)) offsets.push(i);
  return { text: offsets.map((i) => text[i]).join(''), offsets };
}

/**
 * Returns the numbers of `source` that `target` does not contain in any spelling: with other grouping, in other digits,
 * in words up to twelve, in tens of thousands, on the other clock. Each number once.
 * @param source and target: with everything except prose blanked out
 */
export function lostNumbers(source: string, target: string, targetLang: string): NumberLoss[] {
  const plain = withoutDirection(source);
  const losses = lossesIn(plain.text, withoutDirection(target).text, targetLang);
  const { offsets } = plain;
  if (offsets === undefined) return losses;
  return losses.map(({ number, kind }) => {
    const [start, end] = [offsets[number.start]!, offsets[number.end - 1]! + 1];
    return { number: { ...number, span: source.slice(start, end), start, end }, kind };
  });
}

function lossesIn(source: string, target: string, targetLang: string): NumberLoss[] {
  const numbers = findNumbers(source);
  if (numbers.length === 0) return [];
  const found = findNumbers(target);
  const present = valuesOf(target, found);
  // What is a number with separators in one language may be a date or a time in another.
  const parts = new Set(found.flatMap((own) => own.parts));
  const inLists = new Set(found.filter(({ span }) => /[,،，]/.test(span)).flatMap((own) => own.parts));
  const inWords = smallNumberWords(target, targetLang);
  let centuries: Set<string> | undefined;
  const lower = target.toLowerCase();
  const namesMonth = (part: string): boolean =>
    (monthNames(targetLang)[Number(part) - 1] ?? []).some((name) => lower.includes(name));
  let hasDimension: boolean | undefined;
  let spelled: Set<number> | undefined;
  const isInWords = (value: string, counts: boolean): boolean => {
    if (!/^\d{1,3}$/.test(value)) return false;
    if (Number(value) <= 12) return inWords(Number(value), counts);
    spelled ??= spelledNumbers(target, targetLang);
    return spelled.has(Number(value));
  };
  const has = (value: string, isWord: (value: string) => boolean): boolean => {
    if (present.count(value) > 0) return true;
    if (
      targetLang === 'th' &&
      /^[12]\d{3}$/.test(value) &&
      present.count(String(Number(value) + buddhistEra)) > 0
    ) {
      return true;
    }
    if (isWord(value)) return true;
    centuries ??= centuriesOf(target);
    return centuries.has(value);
  };
  /** "1.0" is never written in words, and the "1" in "Step 1" cannot become an article. */
  const wordsFor = (number: NumberMatch): ((value: string) => boolean) => {
    if (/[.,]/.test(number.span)) return () => false;
    const counts = countsSomething(number, source);
    return (value) => isInWords(value, counts);
  };
  /** "3億" may be "three hundred million": such words are not read, so one word for a power of ten is enough. */
  let hasScaleWord: boolean | undefined;
  const isSpelledOut = ({ isScaled }: NumberMatch): boolean => {
    if (!isScaled) return false;
    hasScaleWord ??= [...lower.matchAll(/(?<![\d.,][\s-]?)(?<![\p{L}\p{M}])[\p{L}\p{M}]{3,24}/gu)].some(
      ([word]) => exponentsOf(word).length > 0,
    );
    return hasScaleWord;
  };
  const survives = (number: NumberMatch): boolean => {
    const { span, values, parts: own, inDate, inTime, hours = values, idle, inList, isDimension } = number;
    const isWord = wordsFor(number);
    if (idle || values.some((value) => has(value, isWord)) || isSpelledOut(number)) return true;
    // Arabic needs no number for one or two of a thing: the noun has its own forms.
    if (targetLang === 'ar' && (span === '1' || (span === '2' && arabicDual.test(target)))) {
      if (countsSomething(number, source)) return true;
    }
    const isHere = (part: string, index: number): boolean =>
      parts.has(part) ||
      (inDate && namesMonth(part)) ||
      (inTime && index === 0 && hours.some((hour) => parts.has(hour)));
    if ((inDate || inTime) && own.every(isHere)) return true;
    if (inList && own.every((part) => inLists.has(part) || (own.length > 1 && has(part, isWord))))
      return true;
    if (isDimension) {
      // "3D" may be written as the word 立體; there is no such word for "2D".
      hasDimension ??= found.some((other) => other.isDimension);
      if (!hasDimension) return true;
    }
    const isApart = values.length === 0 || /\s/.test(span);
    return isApart && own.every((part) => has(part, isWord) || parts.has(part));
  };
  const losses = new Map<string, NumberLoss>();
  const wanted = new Map<string, number>();
  for (const number of numbers) {
    const key = number.values[0] ?? number.span;
    const occurrence = (wanted.get(key) ?? 0) + 1;
    wanted.set(key, occurrence);
    if (losses.has(key)) continue;
    if (!survives(number)) {
      losses.set(key, { number, kind: convertedFrom(number, source, present.all) ? 'converted' : 'lost' });
      continue;
    }
    const times = number.values.reduce((most, value) => Math.max(most, present.count(value)), 0);
    // The occurrences of a number are not counted if it may be written as a word or in parts.
    const isFewer = times > 0 && times < occurrence && !number.idle;
    if (isFewer && !number.values.some(wordsFor(number))) losses.set(key, { number, kind: 'rarer' });
  }
  return [...losses.values()];
}
