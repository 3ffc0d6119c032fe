import type { Found } from './found.ts';

/**
 * Meanings of the fields of strftime, by letter. Languages write the same time with different fields: `%l:%M %p`
 * becomes `%H:%M` in most languages.
 */
const meanings: Record<string, string[]> = {
  a: ['weekday'],
  A: ['weekday'],
  u: ['weekday'],
  w: ['weekday'],
  d: ['day'],
  e: ['day'],
  j: ['day', 'month'],
  b: ['month'],
  B: ['month'],
  h: ['month'],
  m: ['month'],
  y: ['year'],
  Y: ['year'],
  C: ['year'],
  G: ['year'],
  g: ['year'],
  U: ['week'],
  V: ['week'],
  W: ['week'],
  H: ['hour'],
  k: ['hour'],
  I: ['hour of half a day'],
  l: ['hour of half a day'],
  M: ['minute'],
  S: ['second'],
  p: ['half of the day'],
  P: ['half of the day'],
  Z: ['zone'],
  z: ['zone'],
  D: ['day', 'month', 'year'],
  F: ['day', 'month', 'year'],
  x: ['day', 'month', 'year', 'weekday'],
  R: ['hour', 'minute'],
  T: ['hour', 'minute', 'second'],
  r: ['hour', 'minute', 'second'],
  X: ['hour', 'minute', 'second'],
  c: ['weekday', 'day', 'month', 'year', 'hour', 'minute', 'second', 'zone'],
};
const field = /%[-_^#0]?[EO]?([A-Za-z])(?![A-Za-z])/g;
/** Matches the conversions that only printf has, and those with a width, a precision or a position. */
const printfOnly = /%(?:[1-9]|0\d|\.|\*|\+|[hlqjzt]{1,2}[diouxX]|[sioufEGn@](?![A-Za-z])|[(<{])/;
/** Letters of conversions that only strftime has. */
const strftimeOnly = /^[YyHIMBbAmjklSTDRZzVWUCPh]$/;
const maxTextLength = 300;

/**
 * Returns the fields of a date and time format, such as "%Y-%m-%d %H:%M"; undefined for any other text. A text counts
 * as a format if it is short and contains no other conversions.
 */
export function dateFields(text: string): Found[] | undefined {
  if (text.length > maxTextLength || printfOnly.test(text)) return undefined;
  const found: Found[] = [];
  for (const { 0: span, 1: letter, index: start } of text.matchAll(field)) {
    found.push({ key: letter!, span, start, end: start + span.length });
  }
  const known = found.length > 1 && found.every(({ key }) => key in meanings);
  return known && found.some(({ key }) => strftimeOnly.test(key)) ? found : undefined;
}

/**
 * Returns the fields of `source` whose meaning is missing from the translation. If the translation uses a 24-hour
 * clock, AM or PM may be missing.
 */
export function lostFields(source: readonly Found[], translation: string): Found[] {
  const fields = translation.matchAll(/%[-_^#0]?[EO]?([A-Za-z])/g);
  const said = new Set([...fields].flatMap(([, letter]) => meanings[letter!] ?? []));
  if (said.has('hour')) {
    said.add('half of the day');
    said.add('hour of half a day');
  }
  if (said.has('hour of half a day')) said.add('hour');
  return source.filter(({ key }) => meanings[key]!.some((what) => !said.has(what)));
}
