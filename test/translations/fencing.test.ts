import { afterEach, describe, expect, test } from 'vitest';
import { AppError } from '#server/errors.ts';
import type { TranslationTask } from '#server/platform/engines/engine.ts';
import { failStaleJobsOfTenant } from '#server/texts/stale-sweep.ts';
import { type Signup, type TestApp, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import { poll } from '#test/setup/poll.ts';

/** A run that is held until the test determines the response of its model. */
interface HeldRun {
  task: TranslationTask;
  succeed(translation: string): void;
  fail(error: Error): void;
}

const waiting: HeldRun[] = [];
const held: HeldRun[] = [];
const heldEngine = engineOf(
  (task) =>
    new Promise((resolve, reject) => {
      const run = {
        task,
        succeed: (text: string) => resolve(answered([text], text.length)),
        fail: reject,
      };
      waiting.push(run);
      held.push(run);
    }),
);
const nextRun = () => poll(async () => waiting.shift());

const staleSeconds = 600;
const app = useTestApp({
  engine: heldEngine,
  env: { STALE_PENDING_SECONDS: String(staleSeconds), AUTH_RATE_LIMIT_ENABLED: 'false' },
});

let tenant: Signup;
// A failed test must leave no run, because the server would wait for that run when it stops.
afterEach(() => {
  waiting.length = 0;
  for (const run of held.splice(0)) run.fail(new Error('the test is over'));
});

function submit(fields: Record<string, unknown> = {}, from: TestApp = app) {
  return from.json('POST', '/api/translations', {
    headers: tenant.headers,
    body: { source_text: 'The first text', target_lang: 'fr', idempotency_key: 'k', ...fields },
  });
}

/** The stored fields of the tenant's only job, and its usage records. */
async function stored(from: TestApp = app) {
  const sql = openSuperuser(from.superuserUrl);
  const jobs = await sql`
    select *, updated_at::text as touched from translation_jobs where tenant_id = ${tenant.tenantId}`;
  const usage = await sql`select * from usage_records where tenant_id = ${tenant.tenantId}`;
  expect(jobs).toHaveLength(1);
  return { job: { ...jobs[0] } as Record<string, unknown>, usage: usage.map((row) => ({ ...row })) };
}

async function makeStale(): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`
    update translation_jobs set updated_at = now() - make_interval(secs => ${staleSeconds + 1})
    where tenant_id = ${tenant.tenantId}`;
}

const sweep = (seconds = staleSeconds, from: TestApp = app) =>
  failStaleJobsOfTenant(from.database, tenant.tenantId, seconds);

/**
 * Creates a job whose run became stale and was replaced by the run of a repeated request. Both runs still wait for
 * their model.
 */
async function takenOver() {
  tenant = await app.signUp();
  const slow = submit();
  const run1 = await nextRun();
  await makeStale();
  const resend = submit();
  const run2 = await nextRun();
  return { slow, run1, resend, run2 };
}

const untouched = { status: 'pending', attempt: 2, baseline_translation: null, final_translation: null };

describe('a run whose attempt is no longer the job’s writes nothing and bills nothing (C 7)', () => {
  test('neither its result, while the next attempt runs', async () => {
    const { slow, run1, resend, run2 } = await takenOver();
    const before = await stored();
    expect(before.job).toMatchObject(untouched);

    run1.succeed('too late');
    const late = await slow;
    expect(late.body).toMatchObject({ status: 'pending', final_translation: null });
    expect(await stored()).toEqual(before);
    expect(before.usage).toEqual([]);

    run2.succeed('in time');
    const answered = await resend;
    expect(answered.status).toBe(200);
    expect(answered.headers.get('idempotency-replayed')).toBeNull();
    expect(answered.body).toMatchObject({
      id: late.body.id,
      status: 'published',
      baseline_translation: 'in time',
      final_translation: 'in time',
    });
    const after = await stored();
    expect(after.job).toMatchObject({ status: 'published', attempt: 2, final_translation: 'in time' });
    expect(after.usage).toHaveLength(1);
    expect(after.usage[0]).toMatchObject({ input_tokens: 'in time'.length });
  });

  test('nor either of them once the next attempt has finished', async () => {
    for (const end of ['succeed', 'fail'] as const) {
      const { slow, run1, resend, run2 } = await takenOver();
      run2.succeed('in time');
      expect((await resend).status).toBe(200);
      const before = await stored();
      if (end === 'succeed') {
        run1.succeed('too late');
        expect(await slow).toMatchObject({ status: 200, body: { final_translation: 'in time' } });
      } else {
        run1.fail(new AppError('transient_error', 'gone'));
        expect((await slow).status).toBe(503);
      }
      expect(await stored()).toEqual(before);
      expect(before.usage).toHaveLength(1);
    }
  });

  test('the next attempt may fail while the first still runs, and the first writes nothing then either', async () => {
    const { slow, run1, resend, run2 } = await takenOver();
    run2.fail(new AppError('transient_error', 'the second failed'));
    expect((await resend).status).toBe(503);
    const before = await stored();
    expect(before.job).toMatchObject({ status: 'failed', attempt: 2 });
    run1.succeed('too late');
    expect((await slow).status).not.toBe(200);
    expect(await stored()).toEqual(before);
    expect(before.usage).toEqual([]);
  });

  test('a run that the sweep has marked failed returns an error and writes nothing', async () => {
    for (const end of ['succeed', 'fail'] as const) {
      tenant = await app.signUp();
      const slow = submit();
      const run = await nextRun();
      await makeStale();
      expect(await sweep()).toBe(1);
      expect(await sweep()).toBe(0);
      const before = await stored();
      expect(before.job).toMatchObject({
        status: 'failed',
        attempt: 1,
        agent_run: { status: 'failed', error: 'job interrupted by service restart' },
      });

      if (end === 'succeed') run.succeed('too late');
      else run.fail(new AppError('transient_error', 'gone'));
      const { status, body } = await slow;
      expect(status).toBe(503);
      expect(body).toMatchObject({ error_code: 'transient_error' });
      expect(await stored()).toEqual(before);
      expect(before.usage).toEqual([]);
    }
  });
});

describe('a run that takes longer than STALE_PENDING_SECONDS', () => {
  const brief = useTestApp({
    engine: heldEngine,
    env: { STALE_PENDING_SECONDS: '2', AUTH_RATE_LIMIT_ENABLED: 'false' },
  });

  test('touches all jobs of its series', async () => {
    tenant = await brief.signUp();
    const inputs = ['one', 'two'].map((Text) => ({ Text, Targets: [{ Language: 'fr' }] }));
    const answer = brief.json('POST', '/api/translations', { headers: tenant.headers, body: { inputs } });
    const runs = [await nextRun(), await nextRun()];
    const sql = openSuperuser(brief.superuserUrl);
    const begun = await sql`select now()`;
    await poll(async () => {
      const old = await sql`select from translation_jobs
        where tenant_id = ${tenant.tenantId} and updated_at < ${begun[0]!['now']}`;
      return old.length === 0;
    });
    for (const run of runs) run.succeed('done');
    expect((await answer).status).toBe(200);
  });

  test('does not touch the job once another attempt has it', async () => {
    tenant = await brief.signUp();
    const other = tenant;
    const slow = submit({}, brief);
    const replaced = await nextRun();
    // The same state as if another process had taken the job and died.
    const sql = openSuperuser(brief.superuserUrl);
    await sql`
      update translation_jobs set attempt = 2, updated_at = now() - interval '1 hour'
      where tenant_id = ${tenant.tenantId}`;
    const before = await stored(brief);
    // Waits until a later run has sent two heartbeats.
    tenant = await brief.signUp();
    const later = submit({}, brief);
    const living = await nextRun();
    const touches = new Set<unknown>();
    await poll(async () => touches.add((await stored(brief)).job['touched']).size > 2);
    living.succeed('done');
    expect((await later).status).toBe(200);

    tenant = other;
    expect(await stored(brief)).toEqual(before);
    expect(await sweep(2, brief)).toBe(1);
    replaced.succeed('too late');
    expect((await slow).status).toBe(503);
  });
});
