import { afterAll, beforeEach, expect, test } from 'vitest';
import { useProcesses } from '#test/factories/processes.ts';
import { askedOf, startFakeOpenAi } from '#test/fakes/openai.ts';
import type { Signup } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { cat, good, heldReply } from '#test/translations/live.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(good);
});

const processes = useProcesses(fake);
const { start } = processes;
type App = Awaited<ReturnType<typeof start>>;

/** The number of texts for which the monthly allowance of the tenant is sufficient. */
const room = 37;
const weight = cat.length;
const tenant = (app: App) => app.signUp({ monthly_char_limit: room * weight });
const submit = (app: App, { headers }: Signup, key?: string) =>
  app.json('POST', '/api/translations', {
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    body: { source_text: cat, target_lang: 'de' },
  });
const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).toSorted();

/** The characters in the usage records and in their totals, and the number of jobs of the tenant. */
async function ledger({ tenantId }: Signup) {
  const [row] = await processes.sql()`
    select (select coalesce(sum(billable_chars), 0)::int from usage_records where tenant_id = ${tenantId}) as records,
      (select coalesce(sum(billable_chars), 0)::int from usage_totals where tenant_id = ${tenantId}) as totals,
      (select count(*)::int from translation_jobs where tenant_id = ${tenantId}) as jobs`;
  return { ...row };
}
const full = { records: room * weight, totals: room * weight };

test('of 100 submissions to two processes as many are done as the allowance is enough for', async () => {
  const apps = await Promise.all([start(), start()]);
  const mine = await tenant(apps[0]);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => submit(apps[at % 2] as App, mine)),
  );
  expect(statuses(answers)).toEqual([...Array(room).fill(200), ...Array(100 - room).fill(429)]);
  // A rejected submission creates no job and calls no model.
  expect(await ledger(mine)).toEqual({ ...full, jobs: room });
  expect(fake.requests.filter((one) => askedOf(one).role === 'translation')).toHaveLength(room);
});

test('the reservations of a killed process are free after the stale time, and nothing is billed twice', async () => {
  // Long enough that a run that is slow on a busy machine does not count as the run of a process that has died.
  const times = { STALE_PENDING_SECONDS: '6', SWEEP_INTERVAL_SECONDS: '1' };
  const doomed = await start(times);
  const other = await start(times, []);
  const mine = await tenant(doomed);
  fake.otherwise(heldReply().held);
  // Half of the requests have an idempotency key, so that they can be repeated.
  const keyOf = (at: number) => (at % 2 === 0 ? `key ${at}` : undefined);
  const lost = Array.from({ length: room }, (_, at) => submit(doomed, mine, keyOf(at)).catch(() => 'lost'));
  const admin = { authorization: `Bearer ${mine.accessToken}` };
  const allowance = async () =>
    (await other.json('GET', `/api/tenants/${mine.tenantId}/billing`, { headers: admin })).body.allowance;
  await poll(async () => (await allowance()).reserved === room * weight);
  await doomed.service.stop('SIGKILL');
  expect(new Set(await Promise.all(lost))).toEqual(new Set(['lost']));
  fake.otherwise(good);
  expect((await submit(other, mine)).status).toBe(429);

  await poll(async () => (await allowance()).reserved === 0);
  expect(await allowance()).toMatchObject({ used: 0, remaining: room * weight });
  const again = await Promise.all(
    Array.from({ length: room }, (_, at) => submit(other, mine, keyOf(at) ?? `second ${at}`)),
  );
  expect(statuses(again)).toEqual(Array(room).fill(200));
  // The requests without a key have left failed jobs.
  expect(await ledger(mine)).toEqual({ ...full, jobs: room + 18 });
  expect((await submit(other, mine)).status).toBe(429);
});
