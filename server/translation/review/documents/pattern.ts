import { RE2JS } from 're2js';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import { createSharedThreads } from '#server/platform/threads/threads.ts';
import type { PatternWork, SearchedTexts } from './pattern-thread.ts';

/** A regular expression. RE2 has no backreferences and lookarounds, so each search takes linear time. */
export const searchPattern = z
  .string()
  .min(1)
  .max(200)
  .refine(isPattern, 'invalid regular expression; the syntax is that of RE2')
  .meta({
    description:
      'Only segments in which this regular expression matches, without case. The syntax is that of RE2, without backreferences and lookarounds.',
  });

function isPattern(pattern: string): boolean {
  try {
    RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);
    return true;
  } catch {
    return false;
  }
}

/** Maximum UTF-16 units of the texts of one search. */
export const maxSearchedUnits = 10_000_000;

const runOnThread = createSharedThreads<PatternWork>(
  new URL('./pattern-thread.ts', import.meta.url),
  'searches with regular expressions',
  {
    deadlineMs: 5000,
    maxWaiting: 200,
    refusal: 'too many searches with regular expressions are running; try again later',
  },
);

/**
 * Returns the positions of the segments in which a pattern matches. It runs on a thread, because a document has many
 * segments; tenants get the threads in turn.
 * @throws AppError 422 if the search does not end in time; rate_limit if too many searches are queued
 */
export async function findPattern(
  pattern: string,
  segments: readonly SearchedTexts[],
  scope: SlotScope,
): Promise<number[]> {
  if (segments.length === 0) return [];
  return runOnThread('find', { pattern, segments }, scope, () => {
    throw unsearchable('the search takes too long');
  });
}

/** The error of a search that other filters have to narrow first. */
export function unsearchable(what: string): AppError {
  return new AppError('invalid_fields', [
    { loc: ['body', 'pattern'], msg: `${what}; filter by page or kind, too`, type: 'pattern_too_slow' },
  ]);
}
