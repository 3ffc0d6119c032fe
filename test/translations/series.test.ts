import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { poll } from '#test/setup/poll.ts';

/** Texts whose translation waits until the test releases it. All other texts are translated immediately. */
const held = new Map<string, () => void>();
const asked: string[] = [];
const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false' },
  engine: engineOf(async ({ segments: [text = ''] }) => {
    asked.push(text);
    if (text.startsWith('broken')) throw new Error('broken');
    if (text.startsWith('held')) await new Promise<void>((resolve) => held.set(text, resolve));
    return answered([`«${text}»`]);
  }),
});

let tenant: Signup;
beforeEach(async () => {
  asked.length = 0;
  tenant = await app.signUp();
});
afterEach(() => {
  for (const letGo of held.values()) letGo();
  held.clear();
});

function sendBatch(texts: string[], key = 'batch') {
  return app.json('POST', '/api/translations', {
    headers: { ...tenant.headers, 'idempotency-key': key },
    body: { inputs: texts.map((Text) => ({ Text, Targets: [{ Language: 'fr' }] })) },
  });
}

async function stored() {
  const sql = openSuperuser(app.superuserUrl);
  const jobs = await sql`
    select j.job_id, j.idempotency_key, j.status, u.job_id is not null as billed
    from translation_jobs j left join usage_records u using (tenant_id, job_id)
    where j.tenant_id = ${tenant.tenantId} order by j.idempotency_key`;
  return jobs.map(({ idempotency_key, status, billed }) => [idempotency_key, status, billed]);
}

const heldText = (text: string) => poll(async () => held.get(text));

test('a series with a job that cannot be inserted leaves nothing, and the process lives on', async () => {
  const sql = openSuperuser(app.superuserUrl);
  await sql.unsafe(`
    create function refuse_job() returns trigger language plpgsql as $$
    begin raise exception 'no more jobs'; end $$;
    create trigger refuse_job before insert on translation_jobs for each row
      when (new.request->>'source_text' = 'refused') execute function refuse_job()`);
  try {
    const { status, body } = await sendBatch(['one', 'refused', 'three']);
    expect([status, body.error_code]).toEqual([500, 'internal_error']);
    expect(await stored()).toEqual([]);
    expect(asked).toEqual([]);
  } finally {
    await sql.unsafe('drop trigger refuse_job on translation_jobs; drop function refuse_job()');
  }
  const { status, body } = await sendBatch(['one', 'refused', 'three']);
  expect([status, body.length]).toEqual([200, 3]);
  expect((await stored()).map(([, , billed]) => billed)).toEqual([true, true, true]);
});

test('a job that is deleted while it runs ends its series, and leaves no job pending', async () => {
  const answer = sendBatch(['held one', 'two']);
  const letGo = await heldText('held one');
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from translation_jobs where tenant_id = ${tenant.tenantId}`;
  letGo();
  expect((await answer).status).toBe(404);
  expect(await stored()).toEqual([]);
});

test('two submissions of one series at once store and bill each item once', async () => {
  const first = sendBatch(['held one', 'two', 'three']);
  const letGo = await heldText('held one');
  const second = await sendBatch(['held one', 'two', 'three']);
  expect(second.status).toBe(200);
  expect(second.body.map(({ status }: { status: string }) => status)).toEqual([
    'pending',
    'pending',
    'pending',
  ]);
  letGo();
  expect((await first).body.map(({ status }: { status: string }) => status)).toEqual([
    'published',
    'published',
    'published',
  ]);
  expect(asked.toSorted()).toEqual(['held one', 'three', 'two']);
  expect((await stored()).map(([, , billed]) => billed)).toEqual([true, true, true]);
});

test('a process that stops ends a series behind the item it is at', async () => {
  const answer = sendBatch(['held one', 'two']);
  const letGo = await heldText('held one');
  const closing = vi.spyOn(app.services.backgroundWork, 'closing', 'get').mockReturnValue(true);
  onTestFinished(() => closing.mockRestore());
  letGo();
  const { status, body } = await answer;
  expect([status, body.error_code]).toEqual([503, 'transient_error']);
  expect(await stored()).toEqual([['batch:0', 'published', true]]);
});

test('if an item fails, later jobs vanish without an event, and one of an earlier request fails again', async () => {
  const list = (cursor?: string) =>
    viaRpc(app, { path: 'events.list', type: 'query' }, { input: { cursor }, headers: tenant.headers });
  const failing = await app.json('POST', '/api/translations', {
    headers: { ...tenant.headers, 'idempotency-key': 'batch:2' },
    body: { source_text: 'broken three', target_lang: 'fr' },
  });
  expect(failing.status).toBe(500);
  let cursor: string | undefined;
  // A feed does not start while another test has an older transaction.
  await expect.poll(async () => (cursor = (await list()).body.next_cursor)).toEqual(expect.any(String));
  const answer = sendBatch(['held one', 'broken two', 'broken three', 'held four']);
  const letGo = await heldText('held one');
  expect(await stored()).toEqual([0, 1, 2, 3].map((index) => [`batch:${index}`, 'pending', false]));
  letGo();
  expect((await answer).status).toBe(500);
  expect(await stored()).toEqual([
    ['batch:0', 'published', true],
    ['batch:1', 'failed', false],
    ['batch:2', 'failed', false],
  ]);
  const sql = openSuperuser(app.superuserUrl);
  const [again] = await sql`select attempt, agent_run->>'error' as error from translation_jobs
    where tenant_id = ${tenant.tenantId} and idempotency_key = 'batch:2'`;
  expect(again).toEqual({ attempt: 2, error: 'an earlier item of the request failed' });
  const { body } = await list(cursor);
  expect(body.events.map(({ type }: { type: string }) => type).toSorted()).toEqual([
    'translation.failed',
    'translation.failed',
    'translation.published',
  ]);
});
