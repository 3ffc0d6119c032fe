import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import { reportAndTakeOver } from '#workers/heartbeat.ts';
import { startWorkers } from '#workers/run.ts';

const app = useTestApp();
let superuser: postgres.Sql;
let locker: postgres.Sql;
beforeAll(() => {
  const url = new URL(app.superuserUrl);
  // Named apart, so that a test can end the service's connections and keep its own.
  url.searchParams.set('application_name', 'the test');
  superuser = postgres(url.href, { max: 1, onnotice: () => {} });
  locker = postgres(url.href, { max: 1, onnotice: () => {} });
});
afterAll(async () => {
  await superuser.end();
  await locker.end();
});

const locks = () =>
  superuser<{ locked_by: string | null }[]>`select locked_by from graphile_worker._private_jobs order by id`;

/** Adds a job that stays in the middle of its work until it is let go. */
async function heldJob(): Promise<{ id: string; letGo(): Promise<unknown> }> {
  const { headers, tenantId } = await app.signUp();
  const { body } = await app.json('POST', '/api/translations', {
    headers,
    body: { source_text: 'Hello', target_lang: 'fr' },
  });
  await superuser`
    update translation_jobs set status = 'pending', updated_at = now() - interval '1 hour' where job_id = ${body.id}`;
  const held = await locker.reserve();
  await held`begin`;
  await held`select 1 from translation_jobs where job_id = ${body.id} for update`;
  await superuser`select graphile_worker.add_job('fail_stale_jobs', ${JSON.stringify({ tenantId })}::text::json)`;
  return {
    id: body.id,
    async letGo() {
      await held`rollback`;
      held.release();
    },
  };
}

const isFailed = async (id: string) => {
  const [job] = await superuser`select status from translation_jobs where job_id = ${id}`;
  return job?.['status'] === 'failed';
};

test('a job that takes long keeps its lock while its own worker lives', async () => {
  const job = await heldJob();
  const workers = await startWorkers(app.services, () => app.databaseUrl);
  try {
    await poll(async () => (await locks())[0]?.locked_by);
    await poll(async () => (await superuser`select 1 from worker_heartbeats`).length > 0);
    await superuser`update graphile_worker._private_jobs set locked_at = now() - interval '2 minutes'`;
    // What another process does every ten seconds.
    await reportAndTakeOver(app.database, ['another-process']);
    expect((await locks())[0]?.locked_by).toMatch(/^pool-/);
    await job.letGo();
    await poll(() => isFailed(job.id));
  } finally {
    await workers.stop();
  }
});

test('stopping waits for the job under way', async () => {
  const job = await heldJob();
  const workers = await startWorkers(app.services, () => app.databaseUrl);
  await poll(async () => (await locks())[0]?.locked_by);
  let stopped = false;
  const stopping = workers.stop().then(() => {
    stopped = true;
  });
  await poll(async () => (await superuser`select 1 from worker_heartbeats`).length > 0);
  expect(stopped).toBe(false);
  await job.letGo();
  await stopping;
  expect(await isFailed(job.id)).toBe(true);
  expect(await locks()).toEqual([]);
});

test('workers whose database is lost in the middle of a job come back, and the process lives', async () => {
  const job = await heldJob();
  const workers = await startWorkers(app.services, () => app.databaseUrl);
  try {
    await poll(async () => (await locks())[0]?.locked_by);
    await superuser`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name <> 'the test' and pid <> pg_backend_pid()`;
    await job.letGo();
    // The job was left locked by a run that could not say how it ended; the heartbeat would free it in a while.
    await superuser`
      update graphile_worker._private_jobs set locked_at = null, locked_by = null, run_at = now()`;
    await poll(() => isFailed(job.id), 25);
  } finally {
    await workers.stop();
  }
}, 40_000);
