import type { NumberFound } from './numbers.ts';

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
const mostValues = 200;

/** Whether one of the target's values is the source's number in the unit that stands after it, converted. */
export function convertedFrom(number: NumberFound, source: string, present: Iterable<string>): boolean {
  const after = source.slice(number.end, number.end + 24).replace(/^[\s-]/, '');
  const unit = convert.find(([pattern]) => pattern.test(after));
  const value = Number(number.values[0]);
  if (unit === undefined || !Number.isFinite(value)) return false;
  const expected = unit[1].map((factor) => (value + (unit[2] ?? 0)) * factor);
  let seen = 0;
  for (const candidate of present) {
    seen += 1;
    if (seen > mostValues) return false;
    if (expected.some((one) => Math.abs(Number(candidate) - one) <= Math.abs(one) * tolerance)) return true;
  }
  return false;
}
