import { type SQLWrapper, sql } from 'drizzle-orm';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

/**
 * Limits the tokens that a tenant's model calls may cost on one day in UTC (MAX_TOKENS_PER_DAY). The cost of work is
 * known only when it is done, so work is admitted while the tokens of the day and the expected tokens of work in
 * progress are below the limit. Work that was admitted is finished. So a day costs at most the limit, the cost of one
 * more submission, and the cost of work in progress beyond the expectation.
 */
export interface TokenUsage {
  /** Tokens of today, of failed work and of embeddings too; null if they are not limited. */
  tokensSpent: number | null;
  /** The expected cost of work in progress; null if tokens are not limited. */
  tokensExpected: number | null;
}

/**
 * Tokens that a job is expected to cost: for its instructions in three calls (translation, assessment, verification) and one
 * repair, and for each weighted character, which these calls read and write several times.
 */
const perJob = 4000;
const perChar = 3;

/** The expected tokens of `jobs` jobs with `chars` weighted characters together, in SQL. */
export const expectedTokens = (chars: SQLWrapper, jobs: SQLWrapper) =>
  sql`(${sql.raw(String(perChar))} * ${chars} + ${sql.raw(String(perJob))} * ${jobs})`;

type Limit = Pick<Settings, 'MAX_TOKENS_PER_DAY' | 'OPENAI_API_KEY'>;

/** Tokens of one tenant and day; null if they are not limited. The stub engine costs none. */
export function tokenLimitOf({ MAX_TOKENS_PER_DAY: max, OPENAI_API_KEY: key }: Limit): number | null {
  return max === 0 || key === undefined ? null : max;
}

/** Seconds after which work in progress may have ended, and cost less than expected. */
const retrySoon = 10;

/**
 * The rejection of a tenant whose models have reached today's limit; null for any other. It names no figure, since
 * only the operator sees tokens.
 * @param now milliseconds
 */
export function refuseByTokens(
  limit: number | null,
  { tokensSpent, tokensExpected }: TokenUsage,
  now: number,
): AppError | null {
  if (limit === null || tokensSpent === null || tokensExpected === null) return null;
  if (tokensSpent >= limit) {
    const midnight = new Date(now).setUTCHours(24, 0, 0, 0);
    return refusal('the daily limit is reached; it resets at 00:00 UTC', (midnight - now) / 1000);
  }
  if (tokensSpent + tokensExpected < limit) return null;
  return refusal('work in progress may reach the daily limit; try again when it has ended', retrySoon);
}

/** In the form of a rejection by the monthly allowance. */
function refusal(reason: string, seconds: number): AppError {
  return new AppError('too_many_requests', `tenant usage limit exceeded: ${reason}`, {
    retryAfter: Math.max(1, Math.ceil(seconds)),
  });
}
