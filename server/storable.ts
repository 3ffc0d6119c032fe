import type { FieldProblem } from './errors.ts';

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
