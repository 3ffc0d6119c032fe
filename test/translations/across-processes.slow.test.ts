import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { useProcesses } from '#test/factories/processes.ts';
import { startFakeOpenAi } from '#test/fakes/openai.ts';
import { poll } from '#test/setup/poll.ts';
import { askedRoles, cat, german, good } from './live.ts';
import { keyed, PATH } from './workspace.ts';

const fake = await startFakeOpenAi();
afterAll(() => fake.close());

const { sql, start } = useProcesses(fake);
beforeEach(() => {
  fake.requests.length = 0;
  fake.otherwise(good);
});

const usageOf = async (tenantId: string) =>
  sql()`select job_id from usage_records where tenant_id = ${tenantId}`;

test('a process that dies between the model’s response and the commit: run again elsewhere, billed once', async () => {
  const doomed = await start({ STALE_PENDING_SECONDS: '1' });
  const other = await start({ STALE_PENDING_SECONDS: '1' });
  const { headers, tenantId } = await doomed.signUp();
  const submit = (at: typeof other) =>
    at.json('POST', PATH, {
      headers: { ...headers, ...keyed('k') },
      body: { source_text: cat, target_lang: 'de' },
    });

  // The row is locked as soon as it exists, so that the result cannot be stored.
  const locker = sql();
  const held = await locker.reserve();
  const lost = submit(doomed).catch(() => 'lost');
  const id = await poll(async () => {
    await held`begin`;
    const [row] = await held`select job_id from translation_jobs where tenant_id = ${tenantId} for update`;
    if (!row) await held`rollback`;
    return row?.['job_id'] as string | undefined;
  });
  onTestFinished(() => held.release());
  await poll(async () => askedRoles(fake).verification === 1);
  await doomed.service.stop('SIGKILL');
  expect(await lost).toBe('lost');
  await held`rollback`;
  expect(await usageOf(tenantId)).toEqual([]);

  const again = await poll(async () => {
    const answer = await submit(other);
    expect([answer.status, answer.body.id]).toEqual([200, id]);
    return answer.body.status !== 'pending' && answer;
  });
  expect(again.body).toMatchObject({ id, status: 'published', final_translation: german[cat] });
  expect(askedRoles(fake).translation).toBe(2);
  expect(await usageOf(tenantId)).toHaveLength(1);
});
