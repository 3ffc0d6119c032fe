import { afterAll, beforeEach, expect, test } from 'vitest';
import { askedOf, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import type { Signup } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { heldReply, sentences, translate } from '#test/translations/live.ts';
import { statuses, submit, useProcesses, weight } from './admission-processes.ts';

/** Three calls cost a little less than what is expected of such a job. */
const usage = { prompt_tokens: 1000, completion_tokens: 380 };
const perCall = 1380;
const cost = 3 * perCall;
const expected = 4000 + 3 * weight;
const limit = 43_000;
const env = { MAX_TOKENS_PER_DAY: String(limit) };

const good = translatingReply({ translate, usage });
const fake = await startFakeOpenAi();
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(good);
});

const processes = useProcesses(fake.baseUrl);

const spent = async ({ tenantId }: Signup) => processes.tokens(tenantId);

test('60 submissions at once over two processes cost at most the limit and one job; a restart forgets nothing', async () => {
  expect(cost).toBeLessThanOrEqual(expected);
  const [one, two] = await Promise.all([processes.start(env), processes.start(env)]);
  const mine = await one.signUp();
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, at) => submit(at % 2 ? one : two, mine, `key ${at}`)),
  );
  const done = statuses(answers)[200] ?? 0;
  // Work in flight counts as expected until it has ended, beside what it has cost already.
  expect(done).toBeGreaterThanOrEqual(limit / (expected + cost));
  expect(statuses(answers)).toEqual({ 200: done, 429: 60 - done });
  expect(await spent(mine)).toBe(perCall * fake.requests.length);
  expect(await spent(mine)).toBeLessThan(limit + cost);
  for (const { status, headers } of answers)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);

  // One after the other, the rest is used up. The memory has the text by now, so others are sent.
  let next = 0;
  await poll(async () => {
    next += 1;
    const body = { source_text: `${sentences[next]}`, target_lang: 'de' };
    return (await one.json('POST', '/api/translations', { headers: mine.headers, body })).status === 429;
  });
  const total = await spent(mine);
  expect(total).toBeGreaterThanOrEqual(limit);
  expect(total).toBeLessThan(limit + cost);

  await Promise.all([one.service.stop(), two.service.stop()]);
  const again = await processes.start(env);
  expect((await submit(again, mine, 'new')).status).toBe(429);
  expect((await submit(again, mine, 'key 0')).status).toBe(answers[0]?.status);
  expect(await spent(mine)).toBe(total);
});

test('a process that is killed has stored what every answer that it used has cost', async () => {
  const doomed = await processes.start(env);
  const mine = await doomed.signUp();
  const { held, reached } = heldReply(good);
  fake.otherwise((response, request) =>
    (askedOf(request).role === 'verification' ? held : good)(response, request),
  );
  const lost = submit(doomed, mine).catch(() => 'lost');
  await reached;
  await doomed.service.stop('SIGKILL');
  expect(await lost).toBe('lost');
  expect(await spent(mine)).toBe(2 * perCall);
});
