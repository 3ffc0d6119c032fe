import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  agreeable,
  completion,
  failure,
  hang,
  hangInBody,
  type Reply,
  raw,
  reset,
  resetInBody,
  translation,
} from '#test/fakes/openai.ts';
import { chatKinds, eachRole, failed, key, plain, scope, useFakeUpstream } from './live-engine.ts';

/** The failures that only one kind of endpoint has. */
const own: Record<
  (typeof chatKinds)[number],
  {
    passing: [string, Reply, string][];
    staying: [string, Reply][];
    filtered: [string, Reply][];
    code: string;
  }
> = {
  openai: {
    passing: [
      [
        '429 inside of a 200, as routers send it',
        raw(200, '{"error":{"code":429,"message":"busy"}}'),
        'rate_limit',
      ],
    ],
    staying: [
      ['402 inside of a 200', raw(200, '{"error":{"code":402,"message":"no credit"},"choices":[]}')],
      ['429 of a spent account', failure(429, { code: 'insufficient_quota' }, { 'retry-after': '5' })],
      ['429 of a closed account', failure(429, { code: 'billing_not_active' })],
    ],
    filtered: [
      ['400 content_filter', failure(400, { code: 'content_filter' }, { 'retry-after': '5' })],
      ['400 invalid_prompt', failure(400, { code: 'invalid_prompt', type: 'invalid_request_error' })],
    ],
    code: 'invalid_api_key',
  },
  anthropic: {
    passing: [
      ['529 while the service is overloaded', failure(529), 'rate_limit'],
      ['504 of a request that took too long', failure(504), 'transient_error'],
    ],
    staying: [
      ['402 of an account without credit', failure(402)],
      ['404 of an unknown model', failure(404, { message: 'model: claude-json_schema-1' })],
      ['413 of a text that is too long', failure(413)],
      [
        '429 of a spent account',
        failure(429, { code: 'enforced_spend_limit_reached' }, { 'retry-after': '5' }),
      ],
    ],
    filtered: [
      ['400 of the filter', failure(400, { message: 'Output blocked by content filtering policy' })],
    ],
    code: 'authentication_error',
  },
};

describe.each(chatKinds)('%s', (kind) => {
  const upstream = useFakeUpstream(kind);

  /** Calls the role that translates. The other roles send requests and read responses in the same way. */
  const translate = (more: Parameters<typeof upstream.engine>[0] = {}) =>
    upstream.engine(more).translate(plain, scope);

  it.each(eachRole)('to %s: the failures of each kind end as their own error', async (_, call) => {
    for (const [reply, code, requests] of [
      [completion({ content: 'Die Katze.' }), 'transient_error', 3],
      [failure(500), 'transient_error', 3],
      [failure(429), 'rate_limit', 3],
      [failure(401), 'service_unavailable', 1],
      [completion({ refusal: 'I cannot help with that.' }), 'content_filtered', 1],
    ] as const) {
      upstream.fake.requests.length = 0;
      upstream.fake.otherwise(reply);
      expect((await failed(call(upstream.engine()))).code).toBe(code);
      expect(upstream.fake.requests).toHaveLength(requests);
    }
  });

  describe('a malformed response', () => {
    it.each<[string, Reply, { tokens: boolean }]>([
      ['no JSON in the content', completion({ content: 'Die Katze.' }), { tokens: true }],
      ['a content of another shape', completion({ content: { text: 'Die Katze.' } }), { tokens: true }],
      ['a stop at the length limit', translation('Die', { finishReason: 'length' }), { tokens: true }],
      ['no content', completion(), { tokens: true }],
      ['an error without a status', raw(200, '{"error":{"message":"upstream"}}'), { tokens: false }],
      ['a body that is no JSON', raw(200, '{"id":'), { tokens: false }],
    ])('with %s is retried, and its tokens count', async (_, reply, { tokens }) => {
      const usage = { prompt_tokens: 7, completion_tokens: 3 };
      upstream.fake.enqueue(reply, translation('Die Katze.', { usage }));
      const answer = await translate();
      expect(answer.value).toEqual(['Die Katze.']);
      expect([answer.inputTokens, answer.outputTokens]).toEqual(tokens ? [107, 13] : [7, 3]);
      expect(upstream.sent(1).body).toEqual(upstream.sent(0).body);

      upstream.fake.otherwise(reply);
      const error = await failed(translate());
      expect([error.code, error.status, error.retryAfter]).toEqual(['transient_error', 503, 5]);
      expect(error.message).toBe('the translation model returned no usable response; try again later');
      expect(upstream.fake.requests).toHaveLength(5);
    });

    const two = { ...plain, segments: ['one', 'two'] };
    const eins = { id: 1, text: 'eins' };
    const zwei = { id: 2, text: 'zwei' };
    const misfits: [string, unknown[]][] = [
      ['a segment left out', [eins]],
      ['an id twice next to the right ones', [eins, zwei, zwei]],
      ['a blank translation', [eins, { ...zwei, text: ' \n\t' }]],
      ['a NUL in a text', [eins, { ...zwei, text: 'zw\0i' }]],
    ];
    it.each(misfits)('with %s is retried, in translation and repair', async (_, translations) => {
      const right = completion({ content: { translations: [eins, zwei] } });
      upstream.fake.enqueue(completion({ content: { translations } }), right);
      expect((await upstream.engine().translate(two, scope)).value).toEqual(['eins', 'zwei']);
      upstream.fake.enqueue(completion({ content: { translations } }), right);
      expect((await upstream.engine().repair(two, ['un', 'deux'], [], scope)).value).toEqual([
        'eins',
        'zwei',
      ]);
      expect(upstream.fake.requests).toHaveLength(4);
    });

    it.each([0, 3, 1.5])('of a comparison that names no candidate (%j) is retried', async (winner) => {
      const rationale = 'it reads best';
      upstream.fake.enqueue(completion({ content: { rationale, winner } }), agreeable);
      const { value } = await upstream.engine().compare(plain, [['b'], ['a']], scope);
      expect(value).toEqual({ winner: 1, rationale });
      expect(upstream.fake.requests).toHaveLength(2);
    });

    const judged = { issues: [], summary: 'fine', score: 90 };
    const minor = { severity: 'minor', category: 'style', span: null, explanation: 'x', suggestion: null };
    it.each([
      ['an unknown severity', { ...judged, issues: [{ ...minor, severity: 'fatal' }] }],
      [
        'an issue without a field',
        { ...judged, issues: [{ severity: 'minor', category: 'style', explanation: 'x' }] },
      ],
    ])('of a judge, with %s, is retried', async (_, content) => {
      upstream.fake.enqueue(completion({ content }), completion({ content: judged }));
      expect((await upstream.engine().assess(plain, ['x'], scope)).value).toEqual(judged);
      expect(upstream.fake.requests).toHaveLength(2);
    });
  });

  describe('a failure that may pass', () => {
    it.each<[string, Reply, string]>([
      ['429 without a body', raw(429, ''), 'rate_limit'],
      ...own[kind].passing,
      ['502 with a page', raw(502, '<html>Bad gateway</html>', 'text/html'), 'transient_error'],
      ['a dropped connection', reset, 'transient_error'],
      ['a body that breaks off', resetInBody, 'transient_error'],
    ])('%s is retried, and ends as its own error if it persists', async (_, reply, code) => {
      upstream.fake.enqueue(reply, agreeable);
      await translate();
      expect(upstream.waits).toHaveLength(1);
      upstream.fake.otherwise(reply);
      const error = await failed(translate());
      expect([error.code, error.retryAfter]).toEqual([code, code === 'rate_limit' ? undefined : 5]);
      expect(upstream.fake.requests).toHaveLength(5);
    });

    const hangInError = hangInBody(500);
    it.each([
      ['without an answer', hang],
      ['in the middle of an error', hangInError],
    ])('silence %s is cut off at OPENAI_TIMEOUT_SECONDS and retried', async (_, reply) => {
      upstream.fake.enqueue(reply, translation('Die Katze.'));
      // The setting allows fractions of milliseconds.
      const patient = upstream.engine({ OPENAI_TIMEOUT_SECONDS: 0.3005, OPENAI_MAX_RETRIES: 1 });
      expect((await patient.translate(plain, scope)).value).toEqual(['Die Katze.']);
      upstream.fake.otherwise(reply);
      const began = performance.now();
      const error = await failed(patient.translate(plain, scope));
      expect(error.code).toBe('transient_error');
      if (reply !== hangInError)
        expect((error.cause as Error).message).toBe('outage: the endpoint did not respond in time');
      expect(performance.now() - began).toBeGreaterThan(2 * 295);
      expect(upstream.fake.requests).toHaveLength(4);
    });

    it('is not reported early when the timeout exceeds the longest timer', async () => {
      upstream.fake.enqueue(translation('Die Katze.'));
      const answer = await upstream
        .engine({ OPENAI_TIMEOUT_SECONDS: 1e9, OPENAI_MAX_RETRIES: 0 })
        .translate(plain, scope);
      expect(answer.value).toEqual(['Die Katze.']);
    });

    it.each([0, 4])('is retried OPENAI_MAX_RETRIES times: %d', async (retries) => {
      upstream.fake.otherwise(failure(500));
      await failed(upstream.engine({ OPENAI_MAX_RETRIES: retries }).translate(plain, scope));
      expect(upstream.fake.requests).toHaveLength(1 + retries);
      expect(upstream.waits).toHaveLength(retries);
    });
  });

  describe('a failure that stays', () => {
    it.each<[string, Reply]>([
      ['400', failure(400, { type: 'invalid_request_error' })],
      ['403', failure(403, {}, { 'retry-after': '5' })],
      ...own[kind].staying,
    ])('%s is service_unavailable, without a retry', async (_, reply) => {
      upstream.fake.otherwise(reply);
      const error = await failed(translate());
      expect([error.code, error.status, error.retryAfter]).toEqual(['service_unavailable', 503, 60]);
      expect(error.message).toBe('the translation model of this service is not available');
      expect(upstream.fake.requests).toHaveLength(1);
    });

    it.each(['sk-→-5ecret', 'sk-\n-5ecret'])(
      'to form the request is one too, and hides the key %j',
      async (odd) => {
        const error = await failed(upstream.engine({ OPENAI_API_KEY: odd }).translate(plain, scope));
        expect(error.code).toBe('service_unavailable');
        expect(inspect(error, { depth: 9 })).not.toContain('5ecret');
        expect(upstream.fake.requests).toEqual([]);
      },
    );
  });

  describe('a content policy', () => {
    it.each<[string, Reply]>([
      ...own[kind].filtered,
      ['finish_reason content_filter with a part', translation('Die', { finishReason: 'content_filter' })],
      ['a refusal cut short', completion({ refusal: 'I cannot', finishReason: 'length' })],
    ])('signalled by %s is content_filtered, without a retry', async (_, reply) => {
      upstream.fake.otherwise(reply);
      const error = await failed(translate());
      expect([error.code, error.status, error.retryAfter]).toEqual(['content_filtered', 422, undefined]);
      expect(upstream.fake.requests).toHaveLength(1);
    });

    it('is not signalled by an empty refusal', async () => {
      upstream.fake.enqueue(translation('Die Katze.', { refusal: '' }));
      expect((await translate()).value).toEqual(['Die Katze.']);
    });
  });

  describe('an error', () => {
    const quoted = `key ${key}, text ${plain.segments[0]}, and what the upstream-body says`;
    const error = { message: quoted, type: quoted, code: quoted };
    it.each<[string, Reply]>([
      ['401', failure(401, error, { 'x-request-id': quoted })],
      ['502 in plain text', raw(502, quoted, 'text/plain')],
      ['a refusal', completion({ refusal: quoted })],
      ['a wrong shape', completion({ content: { wrong: quoted } })],
      ['a stop at the length limit', translation(quoted, { finishReason: 'length' })],
    ])('after %s quotes nothing, not even in the log', async (_, reply) => {
      upstream.fake.otherwise(reply);
      const shown = inspect(await failed(upstream.engine().translate(plain, scope)), {
        depth: 9,
        showHidden: true,
      });
      expect(shown).not.toContain('5ecret');
      expect(shown).not.toContain('cat sat');
      expect(shown).not.toContain('upstream-body');
    });

    it('logs the facts', async () => {
      const { code } = own[kind];
      upstream.fake.otherwise(
        failure(401, kind === 'openai' ? { code } : {}, {
          'x-request-id': 'req_123',
          'request-id': 'req_123',
        }),
      );
      const { cause } = await failed(upstream.engine().translate(plain, scope));
      expect(cause).toMatchObject({ name: 'UpstreamFailure', code });
      expect((cause as Error).message).toMatch(
        new RegExp(`misconfigured.*status 401, code ${code}, requestId req_123`),
      );
    });
  });
});
