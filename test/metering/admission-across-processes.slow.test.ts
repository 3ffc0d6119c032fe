import { afterAll, beforeEach, expect, test } from 'vitest';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { poll } from '#test/setup/poll.ts';
import { askedRoles, good, heldReply } from '#test/translations/live.ts';
import { type App, doneExactly, statuses, submit, useProcesses, weight } from './admission-processes.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(good);
});

const processes = useProcesses(fake.baseUrl);
const room = 37;

async function two(env?: Record<string, string>): Promise<[App, App]> {
  return Promise.all([processes.start(env), processes.start(env)]);
}

/** A tenant whose monthly allowance is enough for exactly 37 of the text. */
function tenant(app: App) {
  return app.signUp({ monthly_char_limit: room * weight });
}

test('A 8.2 rule 1: 100 parallel submissions over two processes, allowance for 37: 37 are done, 63 are 429', async () => {
  const apps = await two();
  const mine = await tenant(apps[0]);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => submit(apps[at % 2] as App, mine)),
  );
  expect(statuses(answers)).toEqual({ 200: room, 429: 100 - room });
  for (const { status, body } of answers)
    if (status === 429) expect(body).toEqual({ detail: 'tenant usage limit exceeded' });
  // A refused submission leaves no job and calls no model.
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(room), jobs: room });
  expect(askedRoles(fake).translation).toBe(room);
});

test('one process is killed in the middle: after the stale time and a sweep nothing is reserved, and nothing is billed twice', async () => {
  // Long enough that a run which is only slow, on a busy machine, is not taken for one whose process died.
  const times = { STALE_PENDING_SECONDS: '6', SWEEP_INTERVAL_SECONDS: '1' };
  const doomed = await processes.start(times);
  const other = await processes.start(times, []);
  const mine = await tenant(doomed);
  const { held } = heldReply();
  fake.otherwise(held);
  // Half of them have a key, so that they can be sent again.
  const lost = Array.from({ length: room }, (_, at) =>
    submit(doomed, mine, at % 2 === 0 ? `key ${at}` : undefined).catch(() => 'lost'),
  );
  const admin = { authorization: `Bearer ${mine.accessToken}` };
  const reserved = async () => {
    const { body } = await other.json('GET', `/api/tenants/${mine.tenantId}/billing`, { headers: admin });
    return body.allowance as Record<string, number>;
  };
  await poll(async () => (await reserved())['reserved'] === room * weight);
  expect((await submit(other, mine)).status).toBe(429);
  await doomed.service.stop('SIGKILL');
  expect(new Set(await Promise.all(lost))).toEqual(new Set(['lost']));
  fake.otherwise(good);
  expect((await submit(other, mine)).status).toBe(429);

  await poll(async () => (await reserved())['reserved'] === 0);
  expect(await reserved()).toMatchObject({ used: 0, remaining: room * weight });
  const again = await Promise.all(
    Array.from({ length: room }, (_, at) => submit(other, mine, at % 2 === 0 ? `key ${at}` : `second ${at}`)),
  );
  expect(statuses(again)).toEqual({ 200: room });
  // The odd ones without a key stay as failed jobs.
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(room), jobs: room + 18 });
  expect((await submit(other, mine)).status).toBe(429);
  expect(await reserved()).toMatchObject({ used: room * weight, reserved: 0, remaining: 0 });
});
