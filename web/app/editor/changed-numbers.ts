import type { QualityIssue } from '#sdk/types.ts';
import { findNumbers, type NumberMatch } from '#server/translation/integrity/numbers.ts';
import { withAsciiDigits } from '#server/translation/integrity/numerals.ts';
import type { Languages } from './marks.ts';

/** UTF-16 units around a number that may change its meaning. */
const around = 40;

/** Whether an issue is about a number of the source that the translation lacks. */
export function isLostNumber({ span }: QualityIssue, source: string, target: string): boolean {
  return (
    span !== null && source.includes(span) && !target.includes(span) && findNumbers(span)[0]?.span === span
  );
}

/** The numbers of a translation that the source does not have. They stand for the lost ones. */
export function numbersInstead(source: string, target: string): NumberMatch[] {
  const values = new Set(findNumbers(source).flatMap(valuesOf));
  return findNumbers(target).filter((number) => valuesOf(number).length > 0 && !sharesValue(number, values));
}

/**
 * For each lost number, determines the number of the translation that stands for it, in the order of both texts, and
 * the text that restores it.
 * @param spans the lost numbers, as in the source
 */
export function numberCorrections(
  spans: readonly string[],
  { source, target, languages }: { source: string; target: string; languages: Languages },
): Map<string, { start: number; end: number; text: string }> {
  if (spans.length === 0) return new Map();
  const lost = findNumbers(source).filter(({ span }) => spans.includes(span));
  const others = numbersInstead(source, target);
  const corrections = new Map<string, { start: number; end: number; text: string }>();
  for (const [index, number] of lost.entries()) {
    const other = others[index];
    if (!other || corrections.has(number.span)) continue;
    const { start, end } = other;
    const values = new Set(valuesOf(number));
    const before = target.slice(Math.max(0, start - around), start);
    const restores = (text: string) =>
      findNumbers(before + text + target.slice(end, end + around)).some(
        (found) => found.start === before.length && sharesValue(found, values),
      );
    const text = [inFormatOf(number, other, languages), number.span].find((one) => one && restores(one));
    corrections.set(number.span, { start, end, text: text ?? number.span });
  }
  return corrections;
}

/** The values of a number. A time that is written with a point has its readings on both clocks. */
function valuesOf({ values, inTime, hours = [], parts }: NumberMatch): string[] {
  return values.length > 0 || !inTime ? values : hours.map((hour) => [hour, ...parts.slice(1)].join(':'));
}

function sharesValue(number: NumberMatch, others: ReadonlySet<string>): boolean {
  return valuesOf(number).some((value) => others.has(value));
}

/**
 * A number of the source with the separators of the target language, and the digits of the number that it replaces.
 * @returns undefined for dates, times, numbers that are not in the format of the source language, and fractions that the
 *   translation writes as the source does
 */
function inFormatOf(
  { span, inDate, inTime }: NumberMatch,
  replaced: NumberMatch,
  languages: Languages,
): string | undefined {
  const from = separatorsOf(languages.source, 'latn');
  const [group, decimal] = [from.group, from.decimal].map((sign) => withAsciiDigits(sign)) as [
    string,
    string,
  ];
  // The translation writes it as the source does, such as a section or a time: 6.05 p.m.
  const isSame = span.includes(decimal) && shapeOf(span) === shapeOf(replaced.span);
  if (inDate || inTime || isSame) return undefined;
  const [whole = '', ...fraction] = withAsciiDigits(span).split(decimal);
  const groups = whole.split(group);
  const isNumber = [...groups, ...fraction].every((digits) => /^\d+$/.test(digits));
  const isGrouped = groups.length === 1 || groups.slice(1).every(({ length }) => length === 3);
  if (!isNumber || !isGrouped || fraction.length > 1) return undefined;
  const zero = zeroOf(replaced.span);
  const to = separatorsOf(languages.target, numberingSystems[zero] ?? 'latn');
  return [groups.join(to.group), ...fraction]
    .join(to.decimal)
    .replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)));
}

/** A number with `0` in place of its digits: `0.0` for `6.05`. */
const shapeOf = (number: string) => number.replace(/\p{Nd}+/gu, '0');

/** Numbering systems that have their own separators, by the code point of their zero. */
const numberingSystems: Record<number, string> = { 1632: 'arab', 1776: 'arabext' };

/** The code point of the digit zero that a number uses. */
function zeroOf(number: string): number {
  const digit = /\p{Nd}/u.exec(number)?.[0] ?? '0';
  return (digit.codePointAt(0) as number) - Number(withAsciiDigits(digit));
}

function separatorsOf(language: string, numberingSystem: string): { group: string; decimal: string } {
  const parts = new Intl.NumberFormat(language, { numberingSystem }).formatToParts(12_345.5);
  const signOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value;
  return { group: signOf('group') ?? ',', decimal: signOf('decimal') ?? '.' };
}
