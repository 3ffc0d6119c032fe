import type { FieldProblem } from './errors.ts';

/** Deeper than any real request; shallow enough for every recursive reader behind it. */
const maximumDepth = 64;

/** Copying loses the first; superjson refuses to carry any of them back to the SDK. */
const refusedKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

type Path = (string | number)[];

/**
 * What in an input could not be stored faithfully: NUL characters and lone surrogates, which PostgreSQL's text
 * does not hold; keys that reach for an object's prototype; nesting past 64 levels. Undefined where all is well.
 */
export function findUnstorable(value: unknown): FieldProblem | undefined {
  return look(value, []);
}

/** `path` is one array, pushed to and popped from: an input may have millions of places. */
function look(value: unknown, path: Path): FieldProblem | undefined {
  if (typeof value === 'string') return lookAtText(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= maximumDepth)
    return { loc: path.slice(0, 4), msg: `nested deeper than ${maximumDepth} levels`, type: 'too_deep' };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const problem = lookInside(value[i], i, path);
      if (problem) return problem;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    if (refusedKeys.has(key))
      return { loc: [...path], msg: `the key ${key} is not allowed`, type: 'invalid_key' };
    const problem = lookAtText(key, path) ?? lookInside((value as Record<string, unknown>)[key], key, path);
    if (problem) return problem;
  }
  return undefined;
}

function lookInside(value: unknown, key: string | number, path: Path): FieldProblem | undefined {
  path.push(key);
  const problem = look(value, path);
  path.pop();
  return problem;
}

function lookAtText(text: string, path: Path): FieldProblem | undefined {
  if (text.includes('\0'))
    return { loc: [...path], msg: 'must not contain NUL characters', type: 'invalid_string' };
  if (!text.isWellFormed())
    return { loc: [...path], msg: 'must not contain lone surrogates', type: 'invalid_string' };
  return undefined;
}
