import { afterAll, beforeEach, expect, test } from 'vitest';
import { askedOf, failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { poll } from '#test/setup/poll.ts';
import { askedRoles, good, heldReply } from '#test/translations/live.ts';
import {
  type App,
  doneExactly,
  statuses,
  submit,
  text,
  useProcesses,
  weight,
} from './admission-processes.ts';

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

test('C 7: 30 parallel batches of 5 over two processes: 7 are admitted whole, and 2 single jobs fill the rest', async () => {
  const apps = await two();
  const mine = await tenant(apps[0]);
  const batch = { inputs: Array.from({ length: 5 }, () => ({ Text: text, Targets: [{ Language: 'de' }] })) };
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, at) =>
      (apps[at % 2] as App).json('POST', '/api/translations', { headers: mine.headers, body: batch }),
    ),
  );
  expect(statuses(answers)).toEqual({ 200: 7, 429: 23 });
  for (const { status, body } of answers) if (status === 200) expect(body).toHaveLength(5);
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(35), jobs: 35 });
  const rest = await Promise.all(Array.from({ length: 4 }, (_, at) => submit(apps[at % 2] as App, mine)));
  expect(statuses(rest)).toEqual({ 200: 2, 429: 2 });
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(room), jobs: room });
});

test('a model that fails in between: failed work frees its reservation, and 37 in all are done and billed', async () => {
  const apps = await two();
  const mine = await tenant(apps[0]);
  let asked = 0;
  fake.otherwise((response, request) => {
    asked += 1;
    // The roles are called in sequence: some failing calls of each role make runs fail at each step.
    return (asked % 4 === 0 ? failure(500) : good)(response, request);
  });
  let done = 0;
  let failed = 0;
  await poll(async () => {
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, at) => submit(apps[at % 2] as App, mine)),
    );
    const counted = statuses(answers);
    expect(Object.keys(counted).filter((status) => !['200', '429', '503'].includes(status))).toEqual([]);
    done += counted[200] ?? 0;
    failed += counted[503] ?? 0;
    expect(done).toBeLessThanOrEqual(room);
    return done === room;
  });
  expect(failed).toBeGreaterThan(0);
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(room), jobs: room + failed });
  expect((await submit(apps[1], mine)).status).toBe(429);
});

test('a batch whose item fails frees what it reserved for itself and for the rest', async () => {
  const [app] = await two();
  const mine = await tenant(app);
  const many = (count: number) => ({
    // Equally long, and all different: the memory would serve a text that comes again.
    inputs: Array.from({ length: count }, (_, at) => ({
      Text: `${text.slice(0, -3)}${String(at).padStart(3, '0')}`,
      Targets: [{ Language: 'de' }],
    })),
  });
  const send = (count: number) =>
    app.json('POST', '/api/translations', { headers: mine.headers, body: many(count) });
  let translations = 0;
  const { held, reached, letGo } = heldReply(failure(500));
  fake.otherwise((response, request) => {
    const translates = askedOf(request).role === 'translation';
    if (translates) translations += 1;
    return (translates && translations === 3 ? held : good)(response, request);
  });
  const failing = send(30);
  await reached;
  // Two are billed, and 28 are reserved: 7 of 37 are left, in either process.
  expect((await send(8)).status).toBe(429);
  expect((await send(7)).status).toBe(200);
  letGo();
  expect((await failing).status).toBe(503);
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(9), jobs: 10 });
  expect((await send(28)).status).toBe(200);
  expect(await processes.ledger(mine)).toEqual({ ...doneExactly(room), jobs: 38 });
  expect((await submit(app, mine)).status).toBe(429);
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
