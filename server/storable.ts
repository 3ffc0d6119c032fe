import type { FieldProblem } from './errors.ts';

/** Deeper than any real request; shallow enough for every recursive reader behind it. */
const maximumDepth = 64;

/** Copying loses the first; superjson refuses to carry any of them back to the SDK. */
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * What in an input could not be stored faithfully: NUL characters and lone surrogates, which PostgreSQL's text
 * does not hold; keys that reach for an object's prototype; nesting past 64 levels. Undefined where all is well.
 */
export function findUnstorable(value: unknown, path: (string | number)[] = []): FieldProblem | undefined {
  if (typeof value === 'string') return findUnstorableText(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= maximumDepth)
    return { loc: path.slice(0, 4), msg: `nested deeper than ${maximumDepth} levels`, type: 'too_deep' };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = findUnstorable(value[i], [...path, i]);
      if (problem) return problem;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (refusedKeys.has(key)) return { loc: path, msg: `the key ${key} is not allowed`, type: 'invalid_key' };
    const problem =
      findUnstorableText(key, path) ??
      findUnstorable((value as Record<string, unknown>)[key], [...path, key]);
    if (problem) return problem;
  }
  return undefined;
}

function findUnstorableText(text: string, path: (string | number)[]): FieldProblem | undefined {
  if (text.includes('\0'))
    return { loc: path, msg: 'must not contain NUL characters', type: 'invalid_string' };
  if (!text.isWellFormed())
    return { loc: path, msg: 'must not contain lone surrogates', type: 'invalid_string' };
  return undefined;
}
