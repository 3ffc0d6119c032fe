import { expect, test } from 'vitest';
import { translation } from '#test/fakes/openai.ts';
import { plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();

test.each([
  ['7', -3],
  [1.5, null],
  [1e300, {}],
])('invalid counts, such as %j and %j, count as no tokens', async (prompt_tokens, completion_tokens) => {
  upstream.fake.enqueue(translation('Hallo', { usage: { prompt_tokens, completion_tokens } as never }));
  const answer = await upstream.engine().translate(plain, scope);
  expect(answer).toMatchObject({ value: ['Hallo'], inputTokens: 0, outputTokens: 0 });
});
