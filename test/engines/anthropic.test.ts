import { describe, expect, it, vi } from 'vitest';
import { openAnthropicModes } from '#server/platform/engines/anthropic/anthropic-engine.ts';
import type { AnthropicRequest } from '#test/fakes/anthropic.ts';
import { agreeable, completion, failure, type Reply, raw } from '#test/fakes/openai.ts';
import { eachRole, failed, key, plain, scope, useFakeUpstream } from './live-engine.ts';

/* Rules of the API of Anthropic. The other files of this directory test the rules of all endpoints. */

const upstream = useFakeUpstream('anthropic');
const received = (index = 0) => upstream.fake.requests[index]!.received as AnthropicRequest;
const textOf = (request: AnthropicRequest) => request.system.map(({ text }) => text).join('');

describe('the request', () => {
  it.each(eachRole)('to %s has a schema, a limit, and instructions to cache', async (_, call) => {
    upstream.fake.otherwise(agreeable);
    await call(upstream.engine());
    const { method, path, headers } = upstream.fake.requests[0]!;
    expect([method, path]).toEqual(['POST', '/v1/messages']);
    expect(headers).toMatchObject({
      authorization: `Bearer ${key}`,
      'anthropic-version': expect.any(String),
    });
    const { model: _model, system, messages, ...rest } = received();
    expect(system.at(-1)!.cache_control).toEqual({ type: 'ephemeral' });
    expect(messages.map(({ role }) => role)).toEqual(['user']);
    expect(rest).toEqual({
      max_tokens: 16_000,
      output_config: { format: { type: 'json_schema', schema: expect.any(Object) } },
    });
    expect(rest.output_config!.format.schema).not.toHaveProperty('$schema');
  });

  it('begins with what the requests of a document share, which is cached', async () => {
    upstream.fake.otherwise(agreeable);
    const rules = ['Never translate “Loop”.'];
    const style = { rules, quotationMarks: null, spacing: null, formality: null, forbiddenWords: [] };
    for (const text of ['one', 'two'])
      await upstream.engine().translate({ ...plain, style, tone: 'formal', segments: [text] }, scope);
    const [first, second] = [0, 1].map((at) => [
      ...received(at).system,
      ...received(at).messages[0]!.content,
    ]);
    expect(first!.map((block) => block.cache_control !== undefined)).toEqual([true, true, false]);
    expect(second!.slice(0, 2)).toEqual(first!.slice(0, 2));
    expect(first![1]!.text).toContain('Loop');
    expect(second![2]).not.toEqual(first![2]);
  });

  it('goes to Anthropic if no URL is set, and reads nothing from the environment', async () => {
    vi.stubEnv('ANTHROPIC_BASE_URL', upstream.fake.baseUrl);
    vi.stubEnv('ANTHROPIC_API_KEY', 'key-of-the-shell');
    vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'token-of-the-shell');
    vi.stubEnv('ANTHROPIC_LOG', 'debug');
    const spies = (['error', 'warn', 'info', 'log', 'debug'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(() => {}),
    );
    const fetched: [string, unknown][] = [];
    vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
      fetched.push([url, [...new Headers(init.headers)]]);
      expect(init.redirect).toBe('error');
      return Response.json({ type: 'error', error: { type: 'not_found_error' } }, { status: 404 });
    });
    // The package warns about this model, which is at its end.
    const engine = upstream.engine({ OPENAI_BASE_URL: undefined, OPENAI_MODEL: 'claude-opus-4-1-20250805' });
    await failed(engine.translate(plain, scope));
    expect(fetched.map(([url]) => url)).toEqual(['https://api.anthropic.com/v1/messages']);
    expect(JSON.stringify(fetched)).not.toContain('of-the-shell');
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    expect(upstream.fake.requests).toEqual([]);
  });
});

describe('the response', () => {
  const message = (content: unknown[], usage: object): Reply =>
    raw(200, JSON.stringify({ type: 'message', model: 'claude-1', content, stop_reason: 'end_turn', usage }));

  it('is its text without the thinking, and counts cached tokens as input', async () => {
    const text = (part: string) => ({ type: 'text', text: part });
    const thinking = { type: 'thinking', thinking: '{"translations":[]}', signature: 'x' };
    const usage = {
      input_tokens: 5,
      cache_creation_input_tokens: 700,
      cache_read_input_tokens: 40,
      output_tokens: 9,
    };
    upstream.fake.enqueue(
      message([thinking, text('{"translations":[{"id":1,'), text('"text":"Die Katze."}]}')], usage),
    );
    expect(await upstream.engine().translate(plain, scope)).toEqual({
      value: ['Die Katze.'],
      models: ['claude-1'],
      prompts: 4,
      inputTokens: 745,
      outputTokens: 9,
    });
  });

  it.each([
    [
      'a stop that is not documented',
      completion({ content: { translations: [] }, finishReason: 'pause_turn' }),
    ],
    ['an error inside of a 200', raw(200, '{"type":"error","error":{"type":"api_error"}}')],
    ['content that is no list', raw(200, '{"type":"message","content":"Hallo","stop_reason":"end_turn"}')],
    ['null', raw(200, 'null')],
  ])('is retried if it is %s', async (_, reply) => {
    upstream.fake.enqueue(reply, agreeable);
    expect((await upstream.engine().translate(plain, scope)).value).toEqual(['«de» The cat sat on the mat.']);
  });
});

describe('a model without structured outputs', () => {
  it.each([
    ['that has no parameter', 'output_config.format: Extra inputs are not permitted'],
    ['that refuses it', "'claude-3-haiku-20240307' does not support output format."],
    ['whose grammar is too large', 'The compiled grammar is too large.'],
  ])('%s gets the schema in the instructions, once', async (_, words) => {
    const refusal = failure(400, { message: words });
    upstream.fake.otherwise((response, request) =>
      ((request.received as AnthropicRequest).output_config ? refusal : agreeable)(response, request),
    );
    const modes = openAnthropicModes();
    const engine = upstream.engine({}, { modes });
    for (let call = 0; call < 2; call++) await engine.translate(plain, scope);
    expect(upstream.fake.requests).toHaveLength(3);
    expect(textOf(received(1))).toMatch(/JSON Schema, called "translation"/);
    expect(received(2).system).toEqual(received(1).system);
    expect(modes.modeOf('translator-1')).toBe('instructions');
  });

  it('is not suspected if a text with such words is too long', async () => {
    const words = `prompt is too long: 210000 tokens > 200000 maximum. ${'x'.repeat(200)} json_schema`;
    upstream.fake.otherwise(failure(400, { message: words }));
    expect((await failed(upstream.engine().translate(plain, scope))).code).toBe('service_unavailable');
    expect(upstream.fake.requests).toHaveLength(1);
  });
});

it('waits as long as the API asks for', async () => {
  upstream.fake.enqueue(
    failure(429, {}, { 'retry-after': '17' }),
    failure(529, {}, { 'retry-after': '3' }),
    agreeable,
  );
  await upstream.engine().translate(plain, scope);
  expect(upstream.waits).toHaveLength(2);
  expect(upstream.waits[0]).toBeGreaterThanOrEqual(17_000);
  expect(upstream.waits[1]).toBeGreaterThanOrEqual(3000);
  expect(upstream.waits[1]).toBeLessThan(5000);
});
