import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addJob, pruneQueue } from '#server/platform/job-queue.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { reportAndTakeOver, startSchedule } from '#workers/run.ts';

const app = useTestApp({ env: { STALE_PENDING_SECONDS: '60', SWEEP_INTERVAL_SECONDS: '1' } });
let superuser: postgres.Sql;
beforeAll(() => {
  superuser = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
});
afterAll(() => superuser.end());

const queued = () => superuser`select task_identifier from graphile_worker.jobs order by id`;

/** Creates a job whose process has died. Its last update was `age` seconds ago. */
async function abandonedJob(age: number): Promise<{ id: string; headers: Record<string, string> }> {
  const { headers } = await app.signUp();
  const { body } = await app.json('POST', '/api/translations', {
    headers,
    body: { source_text: 'Hello', target_lang: 'fr' },
  });
  await superuser`
    update translation_jobs set status = 'pending', updated_at = now() - make_interval(secs => ${age})
    where job_id = ${body.id}`;
  return { id: body.id, headers };
}

test('a job is added if, and only if, the transaction that adds it commits', async () => {
  const rolledBack = app.database.inTenant('t', async (tx) => {
    await addJob(tx, 'fail_stale_jobs', { tenantId: 't' });
    throw new Error('changed my mind');
  });
  await expect(rolledBack).rejects.toThrow('changed my mind');
  expect(await queued()).toEqual([]);

  await app.database.inTenant('t', (tx) => addJob(tx, 'fail_stale_jobs', { tenantId: 't' }));
  expect(await queued()).toEqual([{ task_identifier: 'fail_stale_jobs' }]);
  await withWorkers(app, async () => {
    await poll(async () => (await queued()).length === 0);
  });
});

test('the sweep fails jobs that were pending too long, and no younger ones', async () => {
  const stale = await abandonedJob(61);
  const young = await abandonedJob(5);
  const read = async ({ id, headers }: typeof stale) =>
    (await app.json('GET', `/api/translations/${id}`, { headers })).body;
  await withWorkers(app, async () => {
    const failed = await poll(async () => {
      const job = await read(stale);
      return job.status === 'failed' && job;
    });
    expect(failed.agent_run.error).toBe('job interrupted by service restart');
    expect(failed.agent_run.status).toBe('failed');
    expect((await read(young)).status).toBe('pending');
  });
});

test('the jobs of a worker that stopped reporting are freed, those of a living one are not', async () => {
  // The previous test may have stopped its workers directly after a scheduled job was added.
  await superuser`delete from graphile_worker._private_jobs`;
  await app.database.inPlatform(async (tx) => {
    await addJob(tx, 'fail_stale_jobs', { tenantId: 'dead' });
    await addJob(tx, 'fail_stale_jobs', { tenantId: 'alive' });
    await addJob(tx, 'fail_stale_jobs', { tenantId: 'fresh' });
  });
  // Three processes have a job: one has died a minute ago, one sends heartbeats, and one has just taken its job and
  // sent none yet.
  const lock = (tenant: string, worker: string, ago: number) => superuser`
    update graphile_worker._private_jobs
    set locked_by = ${worker}, locked_at = now() - make_interval(secs => ${ago}), attempts = 1
    where payload->>'tenantId' = ${tenant}`;
  await lock('dead', 'worker-dead', 60);
  await lock('alive', 'worker-alive', 60);
  await lock('fresh', 'worker-fresh', 5);
  await reportAndTakeOver(app.database, ['worker-alive']);

  const locks = await superuser`
    select payload->>'tenantId' as tenant, locked_by from graphile_worker._private_jobs order by 1`;
  expect(locks).toEqual([
    { tenant: 'alive', locked_by: 'worker-alive' },
    { tenant: 'dead', locked_by: null },
    { tenant: 'fresh', locked_by: 'worker-fresh' },
  ]);
  await superuser`delete from graphile_worker._private_jobs`;
});

test('a task that fails stores its kind, and neither SQL nor parameters nor rows', async () => {
  const job = await abandonedJob(3600);
  await superuser.unsafe(`
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'secret row: %', old.request; end $$;
    create trigger refuse before update on translation_jobs for each row execute function refuse()`);
  const { tenantId } = await tenantOf(job.id);
  await superuser`select graphile_worker.add_job('fail_stale_jobs', ${JSON.stringify({ tenantId })}::text::json)`;
  await withWorkers(app, async () => {
    const error = await poll(async () => {
      const [failed] = await superuser`
        select last_error from graphile_worker._private_jobs where last_error is not null`;
      return failed?.['last_error'] as string | undefined;
    });
    expect(error).toMatch(/^fail_stale_jobs failed: \w+/);
    expect(error).not.toMatch(/secret|Hello|update|set |params/);
    expect(error).not.toContain(tenantId);
  });
  await superuser.unsafe(
    'drop trigger refuse on translation_jobs; delete from graphile_worker._private_jobs',
  );
});

async function tenantOf(jobId: string): Promise<{ tenantId: string }> {
  const [row] = await superuser<{ tenantId: string }[]>`
    select tenant_id as "tenantId" from translation_jobs where job_id = ${jobId}`;
  return row as { tenantId: string };
}

test('a job that a newer one of its key replaced while its worker died is deleted after an hour', async () => {
  const add = () => app.database.inPlatform((tx) => addJob(tx, 'prune_expired', {}, { key: 'once' }));
  await add();
  await superuser`
    update graphile_worker._private_jobs set locked_by = 'worker-dead', locked_at = now() - interval '2 hours', attempts = 1`;
  await add();
  await reportAndTakeOver(app.database, []);
  const waiting = () => superuser<{ key: string | null }[]>`select key from graphile_worker.jobs order by id`;
  expect(await waiting()).toEqual([{ key: null }, { key: 'once' }]);
  const prune = (...heldTenants: string[]) =>
    app.database.inPlatform((tx) => pruneQueue(tx, { failedDays: 30, heldTenants }));
  expect(await prune()).toBe(0);
  await superuser`
    update graphile_worker._private_jobs set run_at = now() - interval '2 hours', updated_at = now() - interval '2 hours'`;
  // It has no flag of a tenant, so it may be one of a tenant with a legal hold.
  expect(await prune('held')).toBe(0);
  expect(await prune()).toBe(1);
  expect(await waiting()).toEqual([{ key: 'once' }]);
  await superuser`delete from graphile_worker._private_jobs`;
});

test('two checks of golden records never run at once, whoever adds them', async () => {
  const schedule = startSchedule(app.services);
  const unlocked = () => superuser<{ queue: string | null }[]>`
    select queue_name as queue from graphile_worker.jobs
    where task_identifier = 'check_golden_records' and locked_at is null`;
  try {
    expect(await poll(async () => (await unlocked())[0])).toEqual({ queue: 'check_golden_records' });
    // Marks the job as taken by a worker, so that the next one can be added.
    const take = () => superuser`
      update graphile_worker._private_jobs set locked_by = 'a worker', locked_at = now(), key = null
      where key = 'check_golden_records'`;
    await take();
    expect(await poll(async () => (await unlocked())[0])).toEqual({ queue: 'check_golden_records' });
  } finally {
    schedule.stop();
    await superuser`delete from graphile_worker._private_jobs`;
  }
});
