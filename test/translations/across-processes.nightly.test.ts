import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { useProcesses } from '#test/factories/processes.ts';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { poll } from '#test/setup/poll.ts';
import {
  about,
  askedRoles,
  cat,
  german,
  good,
  heldReply,
  sentences,
  train,
  translate,
  when,
} from './live.ts';
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

describe('a process that dies in the middle of a batch', () => {
  const texts = sentences.slice(0, 6);
  const submitTo = (at: Awaited<ReturnType<typeof start>>, headers: Record<string, string>) =>
    at.json('POST', PATH, {
      headers: { ...headers, ...keyed('k') },
      body: { inputs: texts.map((Text) => ({ Text, Targets: [{ Language: 'de' }] })) },
    });
  const jobsOf = (tenantId: string) => sql()`
    select j.job_id, j.status, u.job_id is not null as billed
    from translation_jobs j left join usage_records u using (tenant_id, job_id)
    where j.tenant_id = ${tenantId} order by j.idempotency_key`;

  async function expectCompleted(
    at: Awaited<ReturnType<typeof start>>,
    { headers, tenantId }: { headers: Record<string, string>; tenantId: string },
  ) {
    const { body } = await poll(async () => {
      const answer = await submitTo(at, headers);
      expect(answer.status).toBe(200);
      return answer.body.every(({ status }: { status: string }) => status === 'published') && answer;
    });
    expect(body.map((job: { final_translation: string }) => job.final_translation)).toEqual(
      texts.map((text) => german[text]),
    );
    const jobs = await jobsOf(tenantId);
    expect(jobs.map(({ billed }) => billed)).toEqual(texts.map(() => true));
    expect(await usageOf(tenantId)).toHaveLength(texts.length);
    return body;
  }

  test('leaves stored items and pending ones; a repeat completes it, each item billed once', async () => {
    const doomed = await start({ STALE_PENDING_SECONDS: '1' });
    const other = await start({ STALE_PENDING_SECONDS: '1' });
    const mine = await doomed.signUp();
    const gate = heldReply();
    fake.otherwise(when(about(train), gate.held));
    const lost = submitTo(doomed, mine.headers).catch(() => 'lost');
    await poll(async () => askedRoles(fake).verification === texts.length - 1);
    await poll(async () => (await usageOf(mine.tenantId)).length === 2);
    await doomed.service.stop('SIGKILL');
    expect(await lost).toBe('lost');
    const left = await jobsOf(mine.tenantId);
    expect(left.map(({ status, billed }) => [status, billed])).toEqual([
      ...Array(2).fill(['published', true]),
      ...Array(4).fill(['pending', false]),
    ]);
    fake.otherwise(good);
    gate.letGo();
    const body = await expectCompleted(other, mine);
    expect(body.map(({ id }: { id: string }) => id)).toEqual(left.map(({ job_id }) => job_id));
  });

  test('at any moment: all jobs exist or none, and a repeat completes the batch', async () => {
    const other = await start({ STALE_PENDING_SECONDS: '1' });
    fake.otherwise(translatingReply({ translate, latencyMs: 20 }));
    for (const delay of [0, 30, 60, 75, 90, 105, 120]) {
      const doomed = await start({ STALE_PENDING_SECONDS: '1' });
      const mine = await doomed.signUp();
      const lost = submitTo(doomed, mine.headers).catch(() => 'lost');
      await setTimeout(delay);
      await doomed.service.stop('SIGKILL');
      await lost;
      const left = await jobsOf(mine.tenantId);
      const published = left.filter(({ status }) => status === 'published');
      expect(left.slice(0, published.length)).toEqual(published);
      expect([0, texts.length]).toContain(left.length);
      expect(left.map(({ billed }) => billed)).toEqual(left.map(({ status }) => status === 'published'));
      await expectCompleted(other, mine);
    }
  });
});
