import { type SQLWrapper, sql } from 'drizzle-orm';
import { AppError, type ErrorName } from '#server/errors.ts';
import { hasLanguageModel } from '#server/settings/environment.ts';
import type { Settings } from '#server/settings.ts';

/**
 * Limits the tokens that a tenant's model calls may cost on one day in UTC (tokens_per_day of WORKSPACE_LIMITS). The cost of work is
 * known only after the work is completed. So work is admitted while the tokens used today and the tokens expected for
 * work in progress are together below the limit. Admitted work always runs to its end. So a day costs at most the
 * limit, plus one more submission, plus the tokens that work in progress uses beyond the expected ones.
 */
export interface TokenUsage {
  /** Tokens used today, including those of failed work and of embeddings; null if tokens are not limited. */
  tokensSpent: number | null;
  /** Tokens that work in progress is expected to use; null if tokens are not limited. */
  tokensExpected: number | null;
}

/**
 * Tokens that a job is expected to use: `perJob` for the instructions of three calls (translation, assessment,
 * verification) and one repair, and an amount for each weighted character, which these calls read and write several
 * times.
 */
const perJob = 4000;
const perChar = 3;

/** The expected tokens of `jobs` jobs that have `chars` weighted characters in total, in SQL. */
export const expectedTokens = (chars: SQLWrapper, jobs: SQLWrapper) =>
  sql`(${sql.raw(String(perChar))} * ${chars} + ${sql.raw(String(perJob))} * ${jobs})`;

type Limit = Pick<Settings, 'WORKSPACE_LIMITS' | 'OPENAI_API_KEY' | 'ENGINES'>;

/** Tokens that one tenant may use on a day; null if tokens are not limited. Only language models use tokens. */
export function tokenLimitOf(settings: Limit): number | null {
  const { tokens_per_day: max } = settings.WORKSPACE_LIMITS;
  return max === 0 || !hasLanguageModel(settings) ? null : max;
}

/**
 * Retry-After in seconds if only expected tokens exceed the limit: by then, work in progress may have ended and used
 * less than expected.
 */
const retrySoon = 10;

/**
 * The error for a tenant whose model calls have reached today's limit; null for other tenants. The message contains no
 * figure, because only the operator sees tokens.
 * @param now milliseconds since the epoch
 */
export function refuseByTokens(
  limit: number | null,
  { tokensSpent, tokensExpected }: TokenUsage,
  now: number,
): AppError | null {
  if (limit === null || tokensSpent === null || tokensExpected === null) return null;
  if (tokensSpent >= limit) {
    const midnight = new Date(now).setUTCHours(24, 0, 0, 0);
    return refusal(
      'quota_exceeded',
      'the limit of model tokens a day is reached; it resets at 00:00 UTC',
      (midnight - now) / 1000,
    );
  }
  if (tokensSpent + tokensExpected < limit) return null;
  return refusal(
    'too_many_requests',
    'jobs in progress may use the remaining model tokens of the day; try again when they have ended',
    retrySoon,
  );
}

/** Returns the error in the form of a rejection by the monthly allowance. */
function refusal(code: ErrorName, reason: string, seconds: number): AppError {
  return new AppError(code, `tenant usage limit exceeded: ${reason}`, {
    retryAfter: Math.max(1, Math.ceil(seconds)),
  });
}
