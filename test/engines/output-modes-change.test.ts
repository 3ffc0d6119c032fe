import { describe, expect, it } from 'vitest';
import {
  type OutputMode,
  type OutputModes,
  openOutputModes,
  recheckMs,
} from '#server/platform/engines/chat/output-modes.ts';
import { UpstreamFailure } from '#server/platform/engines/chat/upstream-failure.ts';
import { agreeable } from '#test/fakes/openai.ts';
import { answersAs, endpoints, ignoresAllBut, modeOf } from '#test/fakes/openai-endpoints.ts';
import { failed, plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();
const modes = (): OutputMode[] => upstream.fake.requests.map(({ body }) => modeOf(body));
const deepSeek = endpoints.find(({ name }) => name === 'DeepSeek')!;

describe('an endpoint that changes', () => {
  let clock = 0;
  const engineOf = () => upstream.engine({ OPENAI_MAX_RETRIES: 0 }, { modes: openOutputModes(() => clock) });
  const translate = (engine: ReturnType<typeof engineOf>) => engine.translate(plain, scope);

  it('is asked by schema again after an hour, by one call, and from then on if it answers', async () => {
    const engine = engineOf();
    upstream.fake.otherwise(answersAs(deepSeek));
    await translate(engine);
    clock += recheckMs - 1;
    await translate(engine);
    expect(modes()).toEqual(['json_schema', 'json_object', 'json_object']);

    clock += 1;
    upstream.fake.requests.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => translate(engine)));
    expect(modes().filter((mode) => mode === 'json_schema')).toHaveLength(1);
    expect(upstream.fake.requests).toHaveLength(11);

    clock += recheckMs;
    upstream.fake.requests.length = 0;
    upstream.fake.otherwise(agreeable);
    for (let call = 0; call < 3; call++) await translate(engine);
    expect(modes()).toEqual(['json_schema', 'json_schema', 'json_schema']);
  });

  it('keeps the way that works where the schema is still refused and the next way ignored', async () => {
    const engine = engineOf();
    const { refuses } = deepSeek;
    upstream.fake.otherwise(answersAs({ refuses }, ignoresAllBut('instructions')));
    for (const code of ['transient_error', 'transient_error'])
      expect((await failed(translate(engine))).code).toBe(code);
    await translate(engine);
    for (let hour = 0; hour < 2; hour++) {
      clock += recheckMs;
      upstream.fake.requests.length = 0;
      for (let call = 0; call < 3; call++) await translate(engine);
      expect(modes()).toEqual(['json_schema', 'instructions', 'instructions', 'instructions']);
    }
  });
});

describe('a call that ends after others have moved its model', () => {
  const unstructured = () => Promise.reject(new UpstreamFailure('unstructured', 'prose'));
  const refused = () => Promise.reject(new UpstreamFailure('unsupported', 'refused'));

  /** Starts a call that does not end in the output mode `mode`, and that the endpoint rejects in all earlier modes. */
  function slowCall(known: OutputModes, mode: OutputMode) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const done = known.run('m', (asked) => (asked === mode ? promise : refused())).catch(() => {});
    const end = (settle: () => void) => {
      settle();
      return done;
    };
    return {
      answer: () => end(resolve),
      miss: () => end(() => reject(new UpstreamFailure('unstructured', 'prose'))),
    };
  }

  const twice = async (known: OutputModes) => {
    for (let call = 0; call < 2; call++) await expect(known.run('m', unstructured)).rejects.toThrow('prose');
  };

  it.each(['answer', 'miss'] as const)('leaves it where it is: schema, %s', async (end) => {
    const known = openOutputModes();
    const slow = [slowCall(known, 'json_schema'), slowCall(known, 'json_schema')];
    await twice(known);
    expect(known.modeOf('m')).toBe('json_object');
    for (const call of slow) await call[end]();
    expect(known.modeOf('m')).toBe('json_object');
  });
});
