import { expect, test } from 'vitest';
import { completion, translation } from '#test/fakes/openai.ts';
import { plain, scope, useFakeUpstream } from './live-engine.ts';

const upstream = useFakeUpstream();

test('the tokens of an unusable response are counted too: they were paid for', async () => {
  upstream.fake.enqueue(
    completion({ content: '{', usage: { prompt_tokens: 100, completion_tokens: 10 } }),
    translation('Hallo', { usage: { prompt_tokens: 30, completion_tokens: 3 } }),
  );
  const answer = await upstream.engine().translate(plain, scope);
  expect(answer).toMatchObject({ value: ['Hallo'], inputTokens: 130, outputTokens: 13 });
});

test.each([
  ['7', -3],
  [1.5, null],
  [1e300, {}],
])('invalid counts, such as %j and %j, count as no tokens', async (prompt_tokens, completion_tokens) => {
  upstream.fake.enqueue(translation('Hallo', { usage: { prompt_tokens, completion_tokens } as never }));
  const answer = await upstream.engine().translate(plain, scope);
  expect(answer).toMatchObject({ value: ['Hallo'], inputTokens: 0, outputTokens: 0 });
});
