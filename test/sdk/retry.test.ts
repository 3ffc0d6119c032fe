import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConnectionError, type Failure, type LinguaLoopError, TimeoutError } from '#sdk/errors.ts';
import { errorOfStatus } from '#sdk/failed-response.ts';
import { delayBeforeRetry } from '#sdk/retry.ts';

const backoff = { firstMs: 500, maxMs: 8000 };

function answer(status: number, fields: Partial<Omit<Failure, 'status'>> = {}): LinguaLoopError {
  return errorOfStatus({ status, detail: 'x', answeredBy: 'service', ...fields });
}

function isRetried(error: LinguaLoopError, repeatable: boolean, retries = 0): boolean {
  return delayBeforeRetry(error, { repeatable, retries, maxRetries: 2 }, backoff) !== null;
}

const unsent = new ConnectionError('refused', { maybeSent: false });
const broken = new ConnectionError('reset', { maybeSent: true });

describe('B 7: which calls are sent again', () => {
  test.each<[what: string, error: LinguaLoopError, keyed: boolean, unkeyed: boolean]>([
    ['connection never made', unsent, true, true],
    ['connection broken', broken, true, false],
    ['rule 8: no answer in time', new TimeoutError('x', 1), true, false],
    ['408', answer(408), true, false],
    ['rule 1: 429 with Retry-After', answer(429, { retryAfter: 1 }), true, true],
    ['429 rate_limit', answer(429, { code: 'rate_limit' }), true, false],
    [
      'rule 2: 429 allowance',
      answer(429, { code: 'quota_exceeded', detail: 'tenant usage limit exceeded: 5 of 5', retryAfter: 1 }),
      false,
      false,
    ],
    ['rule 7: 500', answer(500, { code: 'internal_error' }), true, false],
    ['rule 3: 503 transient_error', answer(503, { code: 'transient_error' }), true, false],
    [
      'rule 3: 503 switched off',
      answer(503, { detail: 'translation is temporarily disabled' }),
      false,
      false,
    ],
    ['rule 4: 422 content_filtered', answer(422, { code: 'content_filtered' }), false, false],
    [
      'rule 5: 409 storage_binding_not_verified',
      answer(409, { code: 'storage_binding_not_verified' }),
      false,
      false,
    ],
    ['rule 5: 502 persistence_failed', answer(502, { code: 'persistence_failed' }), false, false],
    ['rule 6: 504 stage_timeout', answer(504, { code: 'stage_timeout' }), false, false],
    ["a proxy's 503", answer(503, { answeredBy: 'other', retryAfter: 1 }), true, false],
    ['success that is not ours', answer(200, { answeredBy: 'other' }), false, false],
    ...[400, 401, 402, 403, 404, 405, 409, 413, 415, 418, 422].map(
      (status): [string, LinguaLoopError, boolean, boolean] => [
        `rule 9: ${status}`,
        answer(status),
        false,
        false,
      ],
    ),
  ])('%s', (_, error, keyed, unkeyed) => {
    expect(isRetried(error, true)).toBe(keyed);
    expect(isRetried(error, false)).toBe(unkeyed);
  });

  test('as often as the client allows, rule 7: a 500 once', () => {
    expect(isRetried(broken, true, 1)).toBe(true);
    expect(isRetried(broken, true, 2)).toBe(false);
    expect(isRetried(answer(500), true, 1)).toBe(false);
    expect(delayBeforeRetry(unsent, { repeatable: true, retries: 0, maxRetries: 0 }, backoff)).toBe(null);
  });
});

describe('the wait before a retry', () => {
  const state = { repeatable: true, maxRetries: 100 };

  test('doubles each time, up to the maximum, with jitter from half of it to all of it', () => {
    const delays = (random: number) =>
      [0, 1, 2, 3, 4, 5].map((retries) =>
        delayBeforeRetry(broken, { ...state, retries }, backoff, () => random),
      );
    expect(delays(0)).toEqual([250, 500, 1000, 2000, 4000, 4000]);
    expect(delays(1)).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  test('is never less than Retry-After, and little more', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 60, noNaN: true }), fc.nat(99), (retryAfter, retries) => {
        const delay = delayBeforeRetry(answer(429, { retryAfter }), { ...state, retries }, backoff)!;
        expect(delay).toBeGreaterThanOrEqual(retryAfter * 1000);
        expect(delay).toBeLessThanOrEqual(retryAfter * 1000 + backoff.firstMs);
      }),
    );
  });

  test('does not happen if Retry-After is longer than a minute: the caller decides', () => {
    expect(delayBeforeRetry(answer(429, { retryAfter: 61 }), { ...state, retries: 0 }, backoff)).toBe(null);
  });
});
