import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHealth } from '#server/platform/engines/chat/fallback.ts';
import type { OpenAiSettings } from '#server/platform/engines/openai/openai-engine.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { readSettings, SettingsError } from '#server/settings.ts';
import {
  agreeable,
  completion,
  type FakeOpenAi,
  failure,
  hang,
  startFakeOpenAi,
  translation,
} from '#test/fakes/openai.ts';
import { eachRole, failed, plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();
let second: FakeOpenAi;
beforeEach(async () => {
  second = await startFakeOpenAi();
  second.otherwise(agreeable);
});
afterEach(() => second.close());

const secondOf = (fields: Record<string, unknown>) =>
  readSettings({ OPENAI_FALLBACK: JSON.stringify(fields) }).OPENAI_FALLBACK;
const engine = (more: Partial<OpenAiSettings> = {}, fields: Record<string, unknown> = {}) =>
  upstream.engine({
    OPENAI_FALLBACK: secondOf({
      base_url: second.baseUrl,
      api_key: 'sk-second',
      model: 'second-translator',
      refiner_model: 'second-judge',
      ...fields,
    }),
    ...more,
  });
const asked = () => [upstream.fake.requests.length, second.requests.length];

describe('the second endpoint', () => {
  test.each(eachRole)(
    'gets %s after an outage of the first one, with its own key and model',
    async (role, call) => {
      upstream.fake.otherwise(failure(503));
      const { models } = await call(engine());
      // One retry of the first endpoint.
      expect(asked()).toEqual([2, 1]);
      const [request] = second.requests;
      expect(request?.headers.authorization).toBe('Bearer sk-second');
      const model = role === 'translate' ? 'second-translator' : 'second-judge';
      expect([request?.body.model, models]).toEqual([model, [model]]);
      expect(
        upstream.fake.requests.every(({ headers }) => headers.authorization !== 'Bearer sk-second'),
      ).toBe(true);
    },
  );

  test('is not asked while the first one works', async () => {
    upstream.fake.otherwise(agreeable);
    for (const [, call] of eachRole) await call(engine());
    expect(asked()).toEqual([eachRole.length, 0]);
  });

  test.each([
    ['a rate limit', failure(429), 2],
    ['a long Retry-After', failure(429, {}, { 'retry-after': '30' }), 1],
    ['a server error', failure(500), 2],
    ['a wrong key', failure(401), 1],
    ['an unknown model', failure(404), 1],
    ['a spent account', failure(429, { code: 'insufficient_quota' }), 1],
    ['a response that is cut off', completion({ finishReason: 'length', content: '{' }), 2],
  ])('is asked after %s', async (_what, reply, requests) => {
    upstream.fake.otherwise(reply);
    await engine().translate(plain, scope);
    expect(asked()).toEqual([requests, 1]);
  });

  test('is asked after a timeout, without a retry', async () => {
    upstream.fake.otherwise(hang);
    await engine({ OPENAI_TIMEOUT_SECONDS: 0.2 }).translate(plain, scope);
    expect(asked()).toEqual([1, 1]);
  });

  const filtered = failure(400, { code: 'content_filter' });

  test('is not asked after a rejection by content policy, unless the setting names it', async () => {
    upstream.fake.otherwise(filtered);
    expect((await failed(engine().translate(plain, scope))).code).toBe('content_filtered');
    expect(asked()).toEqual([1, 0]);
    await engine({}, { on: ['content_filtered'] }).translate(plain, scope);
    expect(asked()).toEqual([2, 1]);
  });

  test('is asked only after the failures that the setting names', async () => {
    upstream.fake.otherwise(failure(503));
    expect((await failed(engine({}, { on: ['rate_limit'] }).translate(plain, scope))).code).toBe(
      'transient_error',
    );
    expect(second.requests).toEqual([]);
  });

  test('is not asked for a model that the caller has named', async () => {
    upstream.fake.otherwise(failure(503));
    await failed(engine().translate(plain, scope, 'of-the-caller'));
    // All retries, as without a second endpoint.
    expect(asked()).toEqual([3, 0]);
  });

  test('without a URL and key, the first endpoint gets the other model', async () => {
    upstream.fake.enqueue(failure(429), failure(429), translation('Autre'));
    const { value, models } = await upstream
      .engine({ OPENAI_FALLBACK: secondOf({ model: 'smaller' }) })
      .translate(plain, scope);
    expect([value, models]).toEqual([['Autre'], ['smaller']]);
    expect(upstream.fake.requests.map(({ body }) => body.model)).toEqual([
      'translator-1',
      'translator-1',
      'smaller',
    ]);
  });

  test('the tokens of unusable responses of the first endpoint count', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 500 };
    upstream.fake.otherwise(completion({ content: '{', finishReason: 'length', usage }));
    const { inputTokens, outputTokens } = await engine().translate(plain, scope);
    expect([inputTokens, outputTokens]).toEqual([2100, 1010]);
  });

  test('if both fail, the error is one that a repeat may remove', async () => {
    upstream.fake.otherwise(failure(429));
    second.otherwise(failure(401));
    expect((await failed(engine().translate(plain, scope))).code).toBe('rate_limit');
    second.otherwise(failure(503));
    expect((await failed(engine().translate(plain, scope))).code).toBe('transient_error');
  });

  test('a stopped call does not ask it', async () => {
    const stop = new AbortController();
    upstream.fake.otherwise(hang);
    const call = engine().translate(plain, { ...scope, signal: stop.signal });
    await expect.poll(() => upstream.fake.requests.length).toBe(1);
    stop.abort();
    await failed(call);
    expect(second.requests).toEqual([]);
  });
});

describe('an endpoint that keeps failing', () => {
  test('is left out after three failures, and tried again when it works', async () => {
    upstream.fake.otherwise(failure(503));
    const one = engine({ OPENAI_MAX_RETRIES: 0 });
    for (let call = 0; call < 5; call++) await one.translate(plain, scope);
    expect(asked()).toEqual([3, 5]);
  });

  test('is tried by one call after each pause of 30 s', () => {
    let now = 0;
    const health = createHealth(() => now);
    for (let failures = 0; failures < 3; failures++) {
      expect(health.mayTry()).toBe(true);
      health.failed();
    }
    expect(health.mayTry()).toBe(false);
    now = 29_999;
    expect(health.mayTry()).toBe(false);
    now = 30_000;
    expect([health.mayTry(), health.mayTry()]).toEqual([true, false]);
    health.failed();
    now = 59_999;
    expect(health.mayTry()).toBe(false);
    now = 60_000;
    expect(health.mayTry()).toBe(true);
    health.works();
    expect([health.mayTry(), health.mayTry()]).toEqual([true, true]);
  });

  test('texts that it cannot translate do not count', async () => {
    upstream.fake.otherwise(completion({ content: '{', finishReason: 'length' }));
    const one = engine({ OPENAI_MAX_RETRIES: 0 });
    for (let call = 0; call < 5; call++) await one.translate(plain, scope);
    expect(asked()).toEqual([5, 5]);
  });
});

describe('the settings of the second endpoint', () => {
  const refusal = (env: Record<string, string>) => {
    try {
      refuseContradictions(readSettings({ OPENAI_API_KEY: 'sk-1', ...env }), { api: true });
    } catch (error) {
      expect(error).toBeInstanceOf(SettingsError);
      return (error as Error).message;
    }
    return null;
  };

  test.each([
    [{ model: 'm' }, null],
    [{ model: 'm', base_url: 'https://a.example/v1', api_key: 'k' }, null],
    [{ base_url: 'https://a.example/v1' }, 'model: is required'],
    [
      { model: 'm', base_url: 'https://a.example/v1' },
      'api_key: is required with base_url (any text, if the endpoint needs no key)',
    ],
    [{ model: 'm', key: 'k' }, 'unknown field key'],
    [
      { model: 'm', on: ['outage', 'storm'] },
      'on.1: must be one of rate_limit, outage, unusable, misconfigured, content_filtered',
    ],
  ])('OPENAI_FALLBACK %j: %s', (fields, expected) => {
    expect(refusal({ OPENAI_FALLBACK: JSON.stringify(fields) })).toBe(
      expected &&
        `OPENAI_FALLBACK: must be JSON like {"model":"a-model","refiner_model":"another"}; ${expected}`,
    );
  });

  test('requires a first one', () => {
    expect(refusal({ OPENAI_API_KEY: '', OPENAI_FALLBACK: '{"model":"m"}' })).toBe(
      'OPENAI_FALLBACK: requires OPENAI_API_KEY',
    );
  });
});
