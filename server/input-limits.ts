import { AppError, type FieldProblem } from './errors.ts';

/** Deeper than any real request; shallow enough for every recursive reader behind it. */
const maximumDepth = 64;

/** More values than any real request has; few enough to be looked at in a few milliseconds. */
const maximumValues = 100_000;

/** Copying loses the first; superjson refuses to carry any of them back to the SDK. */
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

type Path = (string | number)[];

/**
 * What in an input could not be stored faithfully: NUL characters and lone surrogates, which PostgreSQL's text
 * does not hold; keys that reach for an object's prototype; nesting past 64 levels. Undefined where all is well.
 */
export function findUnstorable(value: unknown): FieldProblem | undefined {
  return look(value, { path: [], left: maximumValues });
}

interface Walk {
  /** One array, pushed to and popped from: an input has many places. */
  path: Path;
  left: number;
}

function look(value: unknown, walk: Walk): FieldProblem | undefined {
  const { path } = walk;
  if (typeof value === 'string') return lookAtText(value, path);
  // The bytes of a file are looked at by whoever reads it.
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
    const problem = typeof key === 'string' ? lookAtText(key, path) : undefined;
    if (problem) return problem;
    path.push(key);
    const inside = look((value as Record<string | number, unknown>)[key], walk);
    path.pop();
    if (inside) return inside;
  }
  return undefined;
}

function lookAtText(text: string, path: Path): FieldProblem | undefined {
  if (text.includes('\0'))
    return { loc: [...path], msg: 'must not contain NUL characters', type: 'invalid_string' };
  if (!text.isWellFormed())
    return { loc: [...path], msg: 'must not contain lone surrogates', type: 'invalid_string' };
  return undefined;
}

/** As many values as a procedure's input may have; a larger body is counted before it is made into objects. */
const mostValues = 100_000;
/** Bytes; a smaller body holds too few values to matter. */
const bytesLookedInto = 1_000_000;

const quote = 0x22;
const backslash = 0x5c;
const separators: ReadonlySet<number> = new Set([0x2c, 0x5b, 0x7b]);

/**
 * Refuses a JSON body of far too many values before it is parsed: making objects of 30 MB of small values blocks the
 * process for seconds, looking at the bytes takes some milliseconds for each MB.
 * @throws AppError 422
 */
export function refuseManyValues(json: Uint8Array): void {
  if (json.length > bytesLookedInto && countValues(json) > mostValues)
    throw new AppError('invalid_fields', [
      { loc: ['body'], msg: `more than ${mostValues} values`, type: 'too_many_values' },
    ]);
}

/** About how many values a JSON text has: its commas and opening brackets outside of strings. */
function countValues(json: Uint8Array): number {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  let count = 0;
  for (let i = 0; i < bytes.length && count <= mostValues; i++) {
    const byte = bytes[i] as number;
    if (byte === quote) i = endOfString(bytes, i + 1);
    else if (separators.has(byte)) count += 1;
  }
  return count;
}

/** Bytes of a string that are looked at one by one; most strings are no longer. */
const shortString = 64;

/** Where the string ends whose inside begins at `from`: the place of its closing quote, or the end of all. */
function endOfString(bytes: Buffer, from: number): number {
  let i = from;
  for (;;) {
    for (const near = Math.min(i + shortString, bytes.length); i < near; i++) {
      const byte = bytes[i] as number;
      if (byte === quote) return i;
      if (byte === backslash) i += 1;
    }
    // A long text, as it may be: the next quote is found many times faster.
    const next = bytes.indexOf(quote, i);
    if (next < 0) return bytes.length;
    let escapes = 0;
    while (next - 1 - escapes >= i && bytes[next - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return next;
    i = next + 1;
  }
}
