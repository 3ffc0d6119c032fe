import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AppError } from '#server/errors.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import {
  delayBeforeRetry,
  readRetryAfter,
  type Sleep,
  sleep,
} from '#server/platform/engines/chat/rate-limit-retry-after.ts';
import { agreeable, failure, hang } from '#test/fakes/openai.ts';
import { eachRole, failed, plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();

describe('Retry-After', () => {
  it.each([['1.5', 1500]])('of %s seconds is waited out', async (seconds, ms) => {
    upstream.fake.enqueue(failure(429, {}, { 'retry-after': seconds }), agreeable);
    await upstream.engine().translate(plain, scope);
    expect(upstream.waits).toHaveLength(1);
    expect(upstream.waits[0]).toBeGreaterThanOrEqual(ms);
    expect(upstream.waits[0]).toBeLessThanOrEqual(ms + 250);
  });

  it('above a minute ends the retries at once, and is passed on', async () => {
    upstream.fake.otherwise(failure(429, {}, { 'retry-after': '61' }));
    const error = await failed(upstream.engine().translate(plain, scope));
    expect([error.code, error.retryAfter]).toEqual(['rate_limit', 61]);
    expect(upstream.fake.requests).toHaveLength(1);
    expect(upstream.waits).toEqual([]);
  });

  it('is passed on from the last response, in whole seconds, never 0', async () => {
    const first = failure(429, {}, { 'retry-after': '9' });
    upstream.fake.enqueue(first, failure(429, {}, { 'retry-after-ms': '1200' }));
    upstream.fake.enqueue(first, failure(429, {}, { 'retry-after': '0' }));
    upstream.fake.enqueue(first, failure(429));
    const impatient = upstream.engine({ OPENAI_MAX_RETRIES: 1 });
    const handedOn: (number | undefined)[] = [];
    for (let i = 0; i < 3; i++) handedOn.push((await failed(impatient.translate(plain, scope))).retryAfter);
    expect(handedOn).toEqual([2, 1, undefined]);
  });

  const now = Date.parse('2026-11-20T10:00:00Z');
  it.each([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 10:00:25 GMT' }, 25_000],
    [{ 'retry-after': 'Fri, 20 Nov 2026 09:59:00 GMT' }, 0],
    [{ 'retry-after': '30', 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '-5' }, undefined],
    [{}, undefined],
  ])('%j is %s ms', (headers, ms) => {
    expect(readRetryAfter(new Headers(headers), now)).toBe(ms);
  });
});

describe('the wait before a retry', () => {
  it('doubles up to 8 s, half of it at random', () => {
    const retries = [0, 1, 2, 3, 4, 5, 20];
    const most = retries.map((retry) => delayBeforeRetry(retry, undefined, () => 1));
    const least = retries.map((retry) => delayBeforeRetry(retry, undefined, () => 0));
    expect(most).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
    expect(least).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
  });

  it('is never shorter than the upstream’s Retry-After, nor than the backoff', () => {
    expect(delayBeforeRetry(0, 10_000, () => 0)).toBe(10_000);
    expect(delayBeforeRetry(0, 10_000, () => 1)).toBe(10_250);
    expect(delayBeforeRetry(3, 0, () => 0)).toBe(2000);
    expect(delayBeforeRetry(0, 60_000, () => 0)).toBe(60_000);
    expect(delayBeforeRetry(0, 60_001)).toBeUndefined();
  });
});

describe('the end of a run', () => {
  const gone = new Error('the client went away');

  describe.each(eachRole)('to %s', (_role, call) => {
    it('ends the request under way', async () => {
      const run = new AbortController();
      upstream.fake.otherwise(() => run.abort(gone));
      const error = await failed(call(upstream.engine(), plain, { ...scope, signal: run.signal }));
      expect([error.code, error.message]).toEqual([
        'transient_error',
        'the translation was interrupted; try again later',
      ]);
      expect(upstream.fake.requests).toHaveLength(1);
      expect(upstream.waits).toEqual([]);
    });

    it('ends the wait before a retry', async () => {
      upstream.fake.otherwise(failure(429, {}, { 'retry-after': '60' }));
      const run = new AbortController();
      const sleeping: Sleep = (ms, signal) => {
        setImmediate(() => run.abort(gone));
        return sleep(ms, signal);
      };
      const engine = upstream.engine({}, { sleep: sleeping });
      const error = await failed(call(engine, plain, { ...scope, signal: run.signal }));
      expect(error.code).toBe('transient_error');
      expect(upstream.fake.requests).toHaveLength(1);
    });

    it('ends the wait for a slot', async () => {
      const concurrencyLimit = createConcurrencyLimit({ slots: 1 });
      const run = new AbortController();
      upstream.fake.otherwise(hang);
      const holding = new AbortController();
      const held = failed(
        concurrencyLimit.run(
          scope,
          () =>
            new Promise((_, reject) => {
              holding.signal.addEventListener('abort', () => reject(new AppError('transient_error', 'over')));
            }),
        ),
      );
      const waiting = failed(
        call(upstream.engine({}, { concurrencyLimit }), plain, { ...scope, signal: run.signal }),
      );
      run.abort(gone);
      expect((await waiting).code).toBe('transient_error');
      expect(upstream.fake.requests).toEqual([]);
      holding.abort();
      await held;
    });
  });

  it('drops the connection of the request in flight, long before its timeout', async () => {
    const run = new AbortController();
    const dropped = Promise.withResolvers<void>();
    upstream.fake.otherwise((response) => {
      response.once('close', dropped.resolve);
      run.abort(gone);
    });
    const engine = upstream.engine({ OPENAI_TIMEOUT_SECONDS: 3600 });
    const error = await failed(engine.translate(plain, { ...scope, signal: run.signal }));
    expect(error.message).toMatch(/interrupted/);
    await dropped.promise;
  });

  it('leaves no listener on its signal after a call', async () => {
    upstream.fake.otherwise(agreeable);
    const { signal } = new AbortController();
    for (const [, call] of eachRole) await call(upstream.engine(), plain, { ...scope, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
