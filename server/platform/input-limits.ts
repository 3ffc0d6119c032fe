import { z } from 'zod';
import { AppError, type FieldProblem, tooLarge } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';

/**
 * Maximum nesting of an input: more than any real request needs, but few enough levels for recursive functions that
 * read it.
 */
const maximumDepth = 64;

/**
 * Maximum values in the input of a procedure: more than any real request has, but few enough to check in a few
 * milliseconds. In a large body, the values are counted before it is parsed.
 */
const maximumValues = 100_000;

/** Keys that are rejected: copying an object loses `__proto__`, and superjson cannot return any of these to the SDK. */
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A time with a time zone, ISO 8601, in a year from 1000 to 9999 of UTC: PostgreSQL can read neither the year 0 nor the
 * years of more than four digits that JavaScript writes. PostgreSQL reads offsets of less than 16 hours only.
 */
export const moment = z.iso
  .datetime({ offset: true })
  .refine((value) => {
    const date = new Date(value);
    // The format check reports invalid times.
    return Number.isNaN(date.getTime()) || /^[1-9]\d{3}-/.test(date.toISOString());
  }, 'must have a year of four digits')
  .refine((value) => !/[+-](1[6-9]|2\d):\d\d$/.test(value), 'must have an offset of less than 16 hours');

type Path = (string | number)[];

/**
 * Finds a value that cannot be stored unchanged: a NUL character or half of a surrogate pair, which PostgreSQL's text
 * type rejects; a number that is not finite; a key that changes an object's prototype; nesting of more than 64 levels.
 * Returns undefined if all values can be stored.
 */
export function findUnstorable(value: unknown): FieldProblem | undefined {
  return look(value, { path: [], left: maximumValues });
}

interface Walk {
  /** The path of the current value. One array is used for the whole input, because an input has many paths. */
  path: Path;
  left: number;
}

function look(value: unknown, walk: Walk): FieldProblem | undefined {
  const { path } = walk;
  if (typeof value === 'string') return checkText(value, path);
  // JSON.parse reads a number above 1.8e308 as Infinity, and JSON.stringify would write that as null. The schema of an
  // input has its own message for its fields.
  if (typeof value === 'number' && !Number.isFinite(value) && path.length > 1)
    return { loc: [...path], msg: 'must be a finite number', type: 'invalid_type' };
  // Skip the bytes of a file: the reader of the file checks them.
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  if (path.length >= maximumDepth)
    return { loc: path.slice(0, 4), msg: `nested deeper than ${maximumDepth} levels`, type: 'too_deep' };
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
  for (const key of keys) {
    walk.left -= 1;
    if (walk.left < 0)
      return { loc: path.slice(0, 4), msg: `more than ${maximumValues} values`, type: 'too_many_values' };
    if (refusedKeys.has(String(key)))
      return { loc: [...path], msg: `the key ${key} is not allowed`, type: 'invalid_key' };
    const problem = typeof key === 'string' ? checkText(key, path) : undefined;
    if (problem) return problem;
    path.push(key);
    const inside = look((value as Record<string | number, unknown>)[key], walk);
    path.pop();
    if (inside) return inside;
  }
  return undefined;
}

function checkText(text: string, path: Path): FieldProblem | undefined {
  if (text.includes('\0'))
    return { loc: [...path], msg: 'must not contain NUL characters', type: 'invalid_string' };
  if (!text.isWellFormed())
    return { loc: [...path], msg: 'must not contain unpaired UTF-16 surrogates', type: 'invalid_string' };
  return undefined;
}

/**
 * Maximum bytes of a body whose values are not counted before parsing: so small a body has too few values to matter.
 */
const uncheckedBytes = 1_000_000;

const quote = 0x22;
const backslash = 0x5c;
const separators: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/**
 * Rejects a JSON body with far too many values before it is parsed: to parse 30 MB of small values blocks the process
 * for seconds, but to scan the bytes takes only some milliseconds per MB.
 * @throws AppError 422
 */
export function refuseManyValues(json: Uint8Array): void {
  if (json.length > uncheckedBytes && countValues(json) > maximumValues)
    throw new AppError('invalid_fields', [
      { loc: ['body'], msg: `more than ${maximumValues} values`, type: 'too_many_values' },
    ]);
}

/**
 * Returns the approximate number of values in a JSON text: the number of commas and opening brackets outside of
 * strings.
 */
function countValues(json: Uint8Array): number {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  let count = 0;
  for (let i = 0; i < bytes.length && count <= maximumValues; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) i = endOfString(bytes, i + 1);
    else if (separators.has(byte)) count += 1;
  }
  return count;
}

/** Bytes of a string that are compared one by one. Most strings are no longer than this. */
const shortString = 64;

/**
 * Returns the end of the string whose content begins at `from`: the index of the closing quote, or the length of the
 * text if the closing quote is missing.
 */
function endOfString(bytes: Buffer, from: number): number {
  let i = from;
  for (;;) {
    for (const near = Math.min(i + shortString, bytes.length); i < near; i++) {
      const byte = bytes[i] as number;
      if (byte === quote) return i;
      if (byte === backslash) i += 1;
    }
    // In the rest of a long string, `indexOf` finds the next quote many times faster.
    const next = bytes.indexOf(quote, i);
    if (next < 0) return bytes.length;
    let escapes = 0;
    while (next - 1 - escapes >= i && bytes[next - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return next;
    i = next + 1;
  }
}

/**
 * Requires that a text has at most `limit` characters (code points). A character has one or two UTF-16 units, so the
 * characters of most texts need not be counted.
 * @throws AppError 413
 */
export function requireLength(message: string, text: string, limit: number): void {
  if (text.length <= limit) return;
  const actual = countCodePoints(text);
  if (actual > limit) throw tooLarge(message, { limit, actual, unit: 'characters' });
}
