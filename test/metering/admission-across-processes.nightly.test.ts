import { afterAll, beforeEach, expect, test } from 'vitest';
import { useProcesses } from '#test/factories/processes.ts';
import { askedOf, startFakeOpenAi } from '#test/fakes/openai.ts';
import type { Signup } from '#test/setup/app.ts';
import { cat, good } from '#test/translations/live.ts';

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
