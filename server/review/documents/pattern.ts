import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { problemOfSize } from '#server/matching/patterns/index.ts';
import type { SlotScope } from '#server/platform/concurrency-limit.ts';
import type { SearchedTexts } from '#server/platform/patterns/pattern-thread.ts';
import { onPatternThread } from '#server/platform/patterns/pattern-threads.ts';

const withoutCase = { ignoreCase: true };

/** A regular expression. Only its size is checked here; a thread compiles it (`findPattern`). */
export const searchPattern = z
  .string()
  .min(1)
  .max(200)
  .refine((pattern) => problemOfSize([pattern], withoutCase) === undefined, {
    error: ({ input }) => problemOfSize([String(input)], withoutCase),
  })
  .meta({
    description:
      'Only segments in which this regular expression matches, without case. The syntax is that of RE2, without backreferences and lookarounds. Repetitions count as often as they repeat, a Unicode class counts as 10 characters, and a range such as `[\\x{4e00}-\\x{9fff}]` as one for every 100 of its characters; 4000 or fewer are allowed.',
  });

/** Maximum UTF-16 units of the texts of one search. */
export const maxSearchedUnits = 10_000_000;

/**
 * Returns the positions of the segments in which a pattern matches.
 * @throws AppError 422 if the pattern is invalid or does not end in time; rate_limit if too many searches are queued
 */
export async function findPattern(
  pattern: string,
  segments: readonly SearchedTexts[],
  scope: SlotScope,
): Promise<number[]> {
  const result = await onPatternThread('find', { pattern, segments }, scope, () => {
    throw unsearchable('the search takes too long');
  });
  if ('found' in result) return result.found;
  throw new AppError('invalid_fields', [
    {
      loc: ['body', 'pattern'],
      msg: 'invalid regular expression; the syntax is that of RE2',
      type: 'custom',
    },
  ]);
}

/** The error of a search that other filters have to narrow first. */
export function unsearchable(what: string): AppError {
  return new AppError('invalid_fields', [
    { loc: ['body', 'pattern'], msg: `${what}; filter by page or kind, too`, type: 'pattern_too_slow' },
  ]);
}
