import { compilePattern } from '#server/matching/patterns/compile.ts';
import { serveThread } from '#server/platform/threads/threads.ts';
import { findPersonalData, type SearchedTexts } from './entities.ts';
import type { Entity } from './numbers.ts';

/** The tasks of a thread. */
const work = {
  find: (searched: SearchedTexts) => findPersonalData(searched, finderOf(searched.rules.patterns)),
};

/**
 * Returns a function that yields the matches of the workspace's own patterns. Patterns from before there was a limit still
 * run, until the deadline of the thread: without them, the values that they find would be sent.
 */
function finderOf(patterns: readonly string[]): ((text: string) => Iterable<Entity>) | undefined {
  if (patterns.length === 0) return undefined;
  const joined = patterns.map((pattern) => `(?:${pattern})`).join('|');
  const compiled = compilePattern(joined, 'redaction.patterns', { isOld: true });
  return function* (text) {
    const matcher = compiled.matcher(text);
    while (matcher.find())
      if (matcher.end() > matcher.start())
        yield { kind: 'patterns', start: matcher.start(), end: matcher.end() };
  };
}

export type RedactionWork = typeof work;

serveThread(work);
