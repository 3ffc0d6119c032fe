import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHealth } from '#server/platform/engines/chat/upstream-failure.ts';
import type { OpenAiSettings } from '#server/platform/engines/openai/openai-engine.ts';
import { createRoutedEngine } from '#server/platform/engines/routes.ts';
import { selectModels } from '#server/platform/engines/select.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { readSettings } from '#server/settings.ts';
import {
  agreeable,
  completion,
  type FakeOpenAi,
  failure,
  hang,
  startFakeOpenAi,
} from '#test/fakes/openai.ts';
import { eachRole, failed, plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();
let second: FakeOpenAi;
beforeEach(async () => {
  second = await startFakeOpenAi();
  second.otherwise(agreeable);
});
afterEach(() => second.close());

/** An engine whose route has two endpoints. */
function engine(more: Partial<OpenAiSettings> = {}) {
  const models = {
    openai: upstream.engine(more, { isHurried: true }),
    second: upstream.engine({
      OPENAI_BASE_URL: second.baseUrl,
      OPENAI_API_KEY: 'sk-second',
      OPENAI_MODEL: 'second-translator',
      OPENAI_REFINER_MODEL: 'second-judge',
      OPENAI_MAX_RETRIES: 0,
    }),
  };
  return createRoutedEngine({
    engines: Object.entries(models).map(([name, model]) => ({ name, model, translate: model.translate })),
    routes: [{ domain: 'own', use: ['openai'] }, { use: ['openai', 'second'] }],
    ...{ judge: 'openai', without_judge: 'review' },
  });
}
const asked = () => [upstream.fake.requests.length, second.requests.length];

describe('the second endpoint of a route', () => {
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
    ['a wrong key', failure(401), 1],
    ['a spent account', failure(429, { code: 'insufficient_quota' }), 1],
    ['a rejection by content policy', failure(400, { code: 'content_filter' }), 1],
    ['a response that is cut off', completion({ finishReason: 'length', content: '{' }), 2],
  ])('is asked after %s', async (_what, reply, requests) => {
    upstream.fake.otherwise(reply);
    await engine().verify(plain, ['Le chat.'], scope);
    expect(asked()).toEqual([requests, 1]);
  });

  test('is asked after a timeout, without a retry', async () => {
    upstream.fake.otherwise(hang);
    await engine({ OPENAI_TIMEOUT_SECONDS: 0.2 }).translate(plain, scope);
    expect(asked()).toEqual([1, 1]);
  });

  test('judges no text whose route does not name it', async () => {
    upstream.fake.otherwise(failure(503));
    const one = engine();
    for (const [, call] of eachRole)
      expect((await failed(call(one, { ...plain, domain: 'own' }))).code).toBe('transient_error');
    expect(second.requests).toEqual([]);
  });

  test('is not asked for a model that the caller has named', async () => {
    upstream.fake.otherwise(failure(503));
    await failed(engine().translate(plain, scope, 'of-the-caller'));
    expect(second.requests).toEqual([]);
  });

  test('a stopped call does not ask it', async () => {
    const stop = new AbortController();
    upstream.fake.otherwise(hang);
    const call = engine().assess(plain, ['Le chat.'], { ...scope, signal: stop.signal });
    await expect.poll(() => upstream.fake.requests.length).toBe(1);
    stop.abort();
    await failed(call);
    expect(second.requests).toEqual([]);
  });
});

test('a route of ENGINES has the engine openai of OPENAI_API_KEY and a second one, which also judges', async () => {
  const routed = {
    engines: { second: { kind: 'openai', api_key: 'sk-second', url: second.baseUrl, model: 'm' } },
    routes: [{ use: ['openai', 'second'] }],
  };
  const settings = readSettings({
    ...{ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: upstream.fake.baseUrl, OPENAI_MAX_RETRIES: '0' },
    ENGINES: JSON.stringify(routed),
  });
  refuseContradictions(settings, { api: true });
  const { engine: opened } = await selectModels(settings);
  upstream.fake.otherwise(failure(503));
  for (const [, call] of eachRole) expect((await call(opened)).models).toEqual(['m']);
  // The first endpoint is left out after three failures, whatever was asked.
  expect(asked()).toEqual([3, eachRole.length]);
});

describe('an endpoint that keeps failing', () => {
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
