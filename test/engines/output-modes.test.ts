import { afterEach, describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';
import type { OutputMode } from '#server/platform/engines/chat/output-modes.ts';
import { sendMeasurements } from '#server/platform/telemetry.ts';
import {
  agreeable,
  type CompletionOptions,
  completion,
  failure,
  type Reply,
  raw,
  translation,
} from '#test/fakes/openai.ts';
import { answersAs, endpoints, ignoresAllBut, modeOf } from '#test/fakes/openai-endpoints.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';
import { failed, plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();
const modes = (): OutputMode[] => upstream.fake.requests.map(({ body }) => modeOf(body));
const deepSeek = endpoints.find(({ name }) => name === 'DeepSeek')!;

describe('an endpoint that refuses a way to ask for JSON', () => {
  it.each(endpoints)('$name is asked in another way, once', async ({ answersIn, refuses, ...endpoint }) => {
    upstream.fake.otherwise(answersAs({ ...endpoint, refuses }));
    const engine = upstream.engine({ OPENAI_MAX_RETRIES: 0 });
    for (let call = 0; call < 2; call++)
      expect((await engine.translate(plain, scope)).value).toEqual(['«de» The cat sat on the mat.']);
    expect(modes()).toEqual([...Object.keys(refuses), answersIn, answersIn]);
    expect(upstream.waits).toEqual([]);
  });

  it('gets the schema in the instructions, and the text where it always is', async () => {
    upstream.fake.otherwise(answersAs(deepSeek));
    await upstream.engine().translate(plain, scope);
    const [refused, asked] = [upstream.sent(0), upstream.sent(1)];
    expect(asked.data).toEqual(refused.data);
    expect(asked.body.response_format).toEqual({ type: 'json_object' });
    expect(asked.system.startsWith(`${refused.system}\n`)).toBe(true);
    const schema = JSON.stringify(refused.body.response_format!.json_schema!.schema);
    const added = asked.system.slice(refused.system.length);
    expect(added).toContain(schema);
    // OpenAI and other endpoints accept JSON mode only if the messages contain the word "JSON".
    expect(added.replace(schema, '')).toMatch(/JSON.*json/);
  });

  it('that refuses all of them is service_unavailable, and is asked for all of them again', async () => {
    upstream.fake.otherwise(failure(400, { message: 'response_format is not supported' }));
    const engine = upstream.engine();
    for (const asked of [3, 6]) {
      const error = await failed(engine.translate(plain, scope));
      expect([error.code, error.status]).toEqual(['service_unavailable', 503]);
      expect(upstream.fake.requests).toHaveLength(asked);
    }
    expect(modes().slice(3)).toEqual(['json_schema', 'json_object', 'instructions']);
  });

  it('is remembered for its model only', async () => {
    upstream.fake.otherwise((response, request) =>
      (request.body.model === 'old' ? answersAs(deepSeek) : agreeable)(response, request),
    );
    const engine = upstream.engine();
    for (const model of ['old', 'new', 'old', 'new']) await engine.translate(plain, scope, model);
    expect(modes()).toEqual(['json_schema', 'json_object', 'json_schema', 'json_object', 'json_schema']);
  });

  it('is asked again within the slot that the call has', async () => {
    upstream.fake.otherwise(answersAs(deepSeek));
    const engine = upstream.engine({}, { concurrencyLimit: createConcurrencyLimit({ slots: 1 }) });
    await Promise.all([engine.translate(plain, scope), engine.translate(plain, scope)]);
    expect(modes()).toEqual(['json_schema', 'json_object', 'json_object']);
    expect(upstream.fake.peak).toBe(1);
  });
});

describe('a refusal of something else', () => {
  const others: [string, Reply][] = [
    ['a text too long, at vLLM', vllm("This model's maximum context length is 4096 tokens.")],
    [
      'an unknown model',
      failure(404, { message: 'model "json_schema:7b" not found, try pulling it first', code: null }),
    ],
    ['a wrong key', failure(401, { message: 'this key has no access to response_format' })],
    ['a forbidden region', failure(403, { message: 'json_schema is not available in your region' })],
  ];
  it.each(others)('is not asked again: %s', async (_, reply) => {
    upstream.fake.otherwise(reply);
    const error = await failed(upstream.engine().translate(plain, scope));
    expect(error.code).toBe('service_unavailable');
    expect(modes()).toEqual(['json_schema']);
  });

  const down = (status: number) =>
    failure(status, { message: 'the grammar service is down' }, { 'retry-after': '17' });

  it.each([500, 501])('is an outage where every way gets it: %d', async (status) => {
    upstream.fake.enqueue(down(status), down(status), down(status));
    upstream.fake.otherwise(agreeable);
    await upstream.engine().translate(plain, scope);
    expect(modes()).toEqual(['json_schema', 'json_object', 'instructions', 'json_schema']);
    expect(upstream.waits).toHaveLength(1);
    expect(upstream.waits[0]).toBeGreaterThanOrEqual(17_000);

    upstream.fake.otherwise(down(status));
    const error = await failed(upstream.engine().translate(plain, scope));
    expect([error.code, error.retryAfter]).toEqual(['transient_error', 17]);
    expect((error.cause as Error).message).toContain(
      `outage: the endpoint rejected every response format, status ${status}`,
    );
  });
});

describe('an endpoint that ignores how it is asked', () => {
  it.each<[OutputMode, OutputMode[]]>([
    ['json_object', ['json_schema', 'json_schema', 'json_object', 'json_object']],
    [
      'instructions',
      ['json_schema', 'json_schema', 'json_object', 'json_object', 'instructions', 'instructions'],
    ],
  ])('is asked by %s after two remarks in a row', async (mode, expected) => {
    upstream.fake.otherwise(ignoresAllBut(mode));
    const engine = upstream.engine({ OPENAI_MAX_RETRIES: 4 });
    const { inputTokens } = await engine.translate(plain, scope);
    await engine.translate(plain, scope);
    expect(modes()).toEqual(expected);
    // A response that is not JSON costs tokens, too.
    expect(inputTokens).toBe(100 * (expected.length - 1));
  });

  it('moves on over several calls where no call has a retry', async () => {
    upstream.fake.otherwise(ignoresAllBut('json_object'));
    const engine = upstream.engine({ OPENAI_MAX_RETRIES: 0 });
    for (const code of ['transient_error', 'transient_error'])
      expect((await failed(engine.translate(plain, scope))).code).toBe(code);
    await engine.translate(plain, scope);
    expect(modes()).toEqual(['json_schema', 'json_schema', 'json_object']);
  });

  it.each<[string, CompletionOptions]>([
    ['one remark among answers', { content: 'Gern!' }],
    ['empty translations', { content: { translations: [{ id: 1, text: ' ' }] } }],
    ['stops at the length limit', { content: '{"translations', finishReason: 'length' }],
  ])('is not suspected for %s', async (name, options) => {
    const engine = upstream.engine({ OPENAI_MAX_RETRIES: 0 });
    for (let round = 0; round < 3; round++) {
      upstream.fake.enqueue(completion(options));
      await failed(engine.translate(plain, scope));
      if (!name.startsWith('one')) continue;
      upstream.fake.enqueue(agreeable);
      await engine.translate(plain, scope);
    }
    expect(new Set(modes())).toEqual(new Set(['json_schema']));
  });

  it('is read where it refuses its model’s own JSON, as Groq does, and then asked in another way', async () => {
    const groq = failure(400, {
      code: 'json_validate_failed',
      message: "Failed to validate JSON. See 'failed_generation' for more details.",
    });
    upstream.fake.enqueue(groq, groq);
    upstream.fake.otherwise(agreeable);
    await upstream.engine().translate(plain, scope);
    expect(modes()).toEqual(['json_schema', 'json_schema', 'json_object']);
    expect(upstream.waits).toHaveLength(2);
  });
});

describe('what surrounds the JSON of an answer', () => {
  const json = '{"translations":[{"id":1,"text":"Die ``` Katze."}]}';
  it.each([
    ['a code fence', `\`\`\`json\n${json}\n\`\`\``],
    ['a fence on one line', `\`\`\`JSON ${json} \`\`\``],
    ['reasoning', `<think>\nThe cat, she … {"translations": []}\n</think>\n\n${json}`],
  ])('is left out: %s', async (_, content) => {
    upstream.fake.otherwise(completion({ content }));
    expect((await upstream.engine().translate(plain, scope)).value).toEqual(['Die ``` Katze.']);
    expect(modes()).toEqual(['json_schema']);
  });

  it.each([
    ['a remark before it', `Here you are: ${json}`],
    ['a text that has JSON in its source', `Das Beispiel:\n\n\`\`\`json\n${json}\n\`\`\`\nEnde`],
    ['reasoning that does not end', `<think>${json}`],
    ['blanks, as DeepSeek sends where its model wrote no JSON', '      '],
  ])('makes it unusable in every mode: %s', async (_, content) => {
    upstream.fake.otherwise(completion({ content }));
    const error = await failed(upstream.engine({ OPENAI_MAX_RETRIES: 5 }).translate(plain, scope));
    expect(error.code).toBe('transient_error');
    expect(new Set(modes())).toEqual(new Set(['json_schema', 'json_object', 'instructions']));
  });

  it('is stripped in time that grows with its length', async () => {
    upstream.fake.otherwise(completion({ content: `\`\`\`json${' '.repeat(3_000_000)}x\`\`\`` }));
    const engine = upstream.engine({ OPENAI_MAX_RETRIES: 0 });
    expect(await cpuTime(() => failed(engine.translate(plain, scope)))).toBeLessThan(5_000);
  });
});

describe('what an operator sees', () => {
  afterEach(() => sendMeasurements(undefined));

  it('is each refusal and each remark among the retries, by its reason', async () => {
    const counted: string[] = [];
    let tokens = 0;
    sendMeasurements({
      duration: () => {},
      documentWait: () => {},
      count: (what, label) => void counted.push(`${what} ${label}`),
      tokens(_direction, _model, by) {
        tokens += by;
      },
    });
    upstream.fake.otherwise(answersAs(deepSeek));
    await upstream.engine().translate(plain, scope);
    upstream.fake.enqueue(completion({ content: 'Gern!' }), translation('Die Katze.'));
    await upstream.engine().translate(plain, scope);
    expect(counted).toEqual(['engine_retries unsupported', 'engine_retries unstructured']);
    // A response that is not JSON costs tokens, but an error does not.
    expect(tokens).toBe(3 * 110);
  });
});

/** An error in the format of vLLM before version 0.10. */
function vllm(message: string): Reply {
  return raw(400, JSON.stringify({ object: 'error', message, type: 'BadRequestError', code: 400 }));
}
