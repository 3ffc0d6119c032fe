import { otherNumerals, withAsciiDigits } from './digits.ts';
import { smallNumberWords } from './number-words.ts';
import { findNumbers, type NumberFound } from './numbers.ts';
import { convertedFrom } from './units.ts';

export interface NumberLoss {
  number: NumberFound;
  /**
   * `rarer`: the target has the number, but less often. `converted`: it has the measure in another unit, 8 km for
   * 5 miles.
   */
  kind: 'lost' | 'rarer' | 'converted';
}

/** How often a text has each value. */
class Values {
  readonly #counts = new Map<string, number>();

  add(values: Iterable<string>): void {
    for (const value of new Set(values)) this.#counts.set(value, this.count(value) + 1);
  }

  count(value: string): number {
    return this.#counts.get(value) ?? 0;
  }

  get all(): IterableIterator<string> {
    return this.#counts.keys();
  }
}

/** Generous, other than what is asked of it: any run of digits, numerals of any kind, fractions such as ½. */
function valuesOf(target: string, found: readonly NumberFound[]): Values {
  const values = new Values();
  for (const { values: meanings } of found) values.add(meanings);
  const inNumbers = new Set(found.map(({ start }) => start));
  for (const { index, 0: run } of withAsciiDigits(target).matchAll(/\d+/g)) {
    if (!inNumbers.has(index)) values.add([run.replace(/^0+(?=\d)/, '')]);
  }
  for (const [sign] of target.matchAll(/\p{No}/gu))
    values.add(sign.normalize('NFKC').split(/\D/).filter(Boolean));
  for (const value of otherNumerals(target)) values.add([value]);
  return values;
}

/** The Buddhist era, in which Thai dates are given. */
const buddhistEra = 543;

/**
 * The numbers of `source` that `target` lacks in any spelling: regrouped, in other digits, in words up to twelve, in
 * tens of thousands, on another clock. Each number once.
 * @param source and target: with everything that is no prose blanked out
 */
export function lostNumbers(source: string, target: string, targetLang: string): NumberLoss[] {
  const numbers = findNumbers(source);
  if (numbers.length === 0) return [];
  const found = findNumbers(target);
  const present = valuesOf(target, found);
  // What is a number with separators in one language is a date or a time in the next.
  const parts = new Set(found.flatMap((own) => own.parts));
  const inWords = smallNumberWords(target, targetLang);
  const isInWords = (value: string): boolean => /^\d{1,2}$/.test(value) && inWords(Number(value));
  const has = (value: string): boolean => {
    if (present.count(value) > 0) return true;
    if (
      targetLang === 'th' &&
      /^[12]\d{3}$/.test(value) &&
      present.count(String(Number(value) + buddhistEra)) > 0
    ) {
      return true;
    }
    return isInWords(value);
  };
  const survives = ({ span, end, values, parts: own, inDate, inTime, idle }: NumberFound): boolean => {
    if (idle || values.some(has)) return true;
    // Arabic has a form of the noun for one and one for two.
    if (targetLang === 'ar' && /^[12]$/.test(span) && /^\s\p{L}/u.test(source.slice(end, end + 2)))
      return true;
    if ((inDate || inTime) && own.every((part) => parts.has(part) || (inDate && Number(part) <= 12)))
      return true;
    const isApart = values.length === 0 || /\s/.test(span);
    return isApart && own.every((part) => has(part) || parts.has(part));
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
    const times = Math.max(0, ...number.values.map((value) => present.count(value)));
    // What survives otherwise, as a word or in parts, is not counted.
    const counted = times > 0 && !number.values.some(isInWords);
    if (counted && times < occurrence && !number.idle) losses.set(key, { number, kind: 'rarer' });
  }
  return [...losses.values()];
}
