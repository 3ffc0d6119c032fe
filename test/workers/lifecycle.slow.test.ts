import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { startDatabaseRelay } from '#test/setup/database-relay.ts';
import { poll } from '#test/setup/poll.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { startQueueRunner } from '#workers/queue-runner.ts';
import { startWorkers } from '#workers/run.ts';
import { startWorkerPool } from '#workers/worker-pool.ts';

const app = useTestApp({ ownDatabase: 'its connections are cut and counted' });
let superuser: postgres.Sql;
let locker: postgres.Sql;
beforeAll(() => {
  const url = new URL(app.superuserUrl);
  // The name distinguishes the test's connections, so that a test can end only those of the service.
  url.searchParams.set('application_name', 'the test');
  superuser = postgres(url.href, { max: 1, onnotice: () => {} });
  locker = postgres(url.href, { max: 4, onnotice: () => {} });
});
afterAll(async () => {
  await superuser.end();
  await locker.end();
});

// Workers that stop may leave recurring jobs in the queue, which other tests must not find.
afterEach(() => superuser`delete from graphile_worker._private_jobs`);

const locks = () =>
  superuser<{ locked_by: string | null }[]>`select locked_by from graphile_worker._private_jobs order by id`;

const locked = async () =>
  (await locks()).flatMap(({ locked_by }) => (locked_by === null ? [] : [locked_by]));

/** Adds a job that does not end until the test releases it. */
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
  await addFailStale(tenantId);
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

test('stopping waits for the job in flight', async () => {
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
  // A recurring job may have been added that no worker has taken.
  expect(await locked()).toEqual([]);
});

describe('a job that is being taken while its workers stop', () => {
  /** Adds a job that no worker can take until the table is unlocked, and waits until a worker requests it. */
  async function blockedJob(): Promise<{ release(): Promise<void> }> {
    const blocker = await locker.reserve();
    await blocker`begin`;
    await blocker`lock table graphile_worker._private_jobs in share row exclusive mode`;
    await blocker`select graphile_worker.add_job('prune_expired', '{}'::json)`;
    await poll(async () => {
      const [row] = await superuser`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and application_name = 'lingualoop queue' and wait_event_type = 'Lock'`;
      return row?.['waiting'] > 0;
    });
    return {
      async release() {
        await blocker`commit`;
        blocker.release();
      },
    };
  }
  const startRunner = (task: () => Promise<void>) =>
    startQueueRunner({
      databaseUrl: app.databaseUrl,
      concurrency: 1,
      tasks: { prune_expired: task },
      log: app.services.log,
    });

  test('is waited for, and its end is stored', async () => {
    const gate = Promise.withResolvers<void>();
    let begun = false;
    const runner = await startRunner(async () => {
      begun = true;
      await gate.promise;
    });
    const job = await blockedJob();
    let ended = false;
    const ending = runner.end().then(() => {
      ended = true;
    });
    await job.release();
    await poll(async () => begun);
    // This is longer than the workers' own bookkeeping takes.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(ended).toBe(false);
    gate.resolve();
    await ending;
    expect(await locks()).toEqual([]);
  });

  test('does not begin if it arrives while their connections are being closed', async () => {
    let begun = 0;
    const runner = await startRunner(async () => {
      begun += 1;
    });
    const job = await blockedJob();
    const ending = runner.end();
    // The workers wait for the response for five seconds. The connections are cut one second later.
    await new Promise((resolve) => setTimeout(resolve, 5400));
    await job.release();
    await ending;
    expect(begun).toBe(0);
  });
});

test('releases a connection once if it is lost while its workers stop', async () => {
  const rejections: unknown[] = [];
  const note = (reason: unknown) => rejections.push(reason);
  process.on('unhandledRejection', note);
  const relay = await startDatabaseRelay(app.databaseUrl, 'LISTEN "jobs:insert"');
  try {
    const runner = await startQueueRunner({
      databaseUrl: relay.url,
      concurrency: 1,
      tasks: { prune_expired: () => undefined },
      log: app.services.log,
    });
    await relay.withheld;
    const ended = runner.end();
    await relay.close();
    await ended;
    await new Promise((resolve) => setTimeout(resolve, 500));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(rejections).toEqual([]);
});

test('workers pause between tries while the database answers but refuses writes, and then continue', async () => {
  const seen = { replaced: 0, notFreed: 0 };
  const log = {
    ...app.services.log,
    warn: (_fields: object, message: string) => {
      if (message === 'could not release the jobs of stopped workers yet') seen.notFreed += 1;
    },
    error: (_fields: object, message: string) => {
      if (message.includes('restarting')) seen.replaced += 1;
    },
  };
  const [row] = await superuser`select current_database() as name`;
  const database = row?.['name'] as string;
  const pool = { name: 'housekeeping', tasks: ['prune_expired'] as const, concurrency: () => 2 };
  const running = await startWorkerPool({ ...app.services, log }, pool, () => app.databaseUrl);
  try {
    await superuser.unsafe(`alter database ${database} set default_transaction_read_only = on`);
    await endConnections();
    await poll(async () => seen.replaced > 0);
    await new Promise((resolve) => setTimeout(resolve, 6000));
    // The connection was attempted immediately, and then after one, two and four seconds.
    expect(seen.replaced).toBeLessThanOrEqual(5);
    expect(seen.notFreed).toBeLessThanOrEqual(5);
  } finally {
    await superuser.unsafe(`alter database ${database} reset default_transaction_read_only`);
    // Connections that are already open keep the setting.
    await endConnections();
  }
  try {
    await superuser`
      set default_transaction_read_only = off; select graphile_worker.add_job('prune_expired', '{}'::json)`.simple();
    await poll(async () => (await locks()).length === 0);
  } finally {
    await running.stop();
  }
});

/** Ends the service's connections to the database and rejects new ones, until the test releases them. */
async function cutDatabase(): Promise<{ mend(): Promise<void> }> {
  const url = new URL(app.superuserUrl);
  const name = url.pathname.slice(1);
  // This uses another database, because a session cannot reject connections to its own database.
  url.pathname = '/postgres';
  const outside = postgres(url.href, { max: 1, onnotice: () => {} });
  await outside.unsafe(`alter database ${name} allow_connections false`);
  await endConnections();
  return {
    async mend() {
      await outside.unsafe(`alter database ${name} allow_connections true`);
      await outside.end();
    },
  };
}

const endConnections = () => superuser`
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name <> 'the test' and pid <> pg_backend_pid()`;

const addFailStale = (tenantId: string) => superuser`
  select graphile_worker.add_job('fail_stale_jobs', ${JSON.stringify({ tenantId })}::text::json)`;

describe('a database that is lost in the middle of jobs', () => {
  /** Starts two jobs, which end one after the other while there is no connection to the database. */
  async function loseTwoJobs() {
    const jobs = [await heldJob(), await heldJob()];
    await poll(async () => (await locked()).length === 2);
    const pools = new Set(await locked());
    const { mend } = await cutDatabase();
    for (const job of jobs) {
      // In sequence, because graphile-worker's batcher survives one failing batch, but not a second one.
      await job.letGo();
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return { mend, pools };
  }

  test('is recovered by workers that take new jobs and free the old ones', () =>
    withWorkers(app, async () => {
      const { mend, pools } = await loseTwoJobs();
      await mend();
      const later = await heldJob();
      await poll(async () => (await locked()).some((id) => !pools.has(id)));
      await later.letGo();
      await poll(() => isFailed(later.id));
      await poll(async () => (await locked()).every((id) => !pools.has(id)));
    }));

  test('lets workers stop that can no longer store how their jobs ended', async () => {
    const workers = await startWorkers(app.services, () => app.databaseUrl);
    const { mend } = await loseTwoJobs();
    await workers.stop();
    await mend();
  });

  test('leaves no connections of the workers that were replaced', async () => {
    const count = async () => {
      const [row] = await superuser`
        select count(*)::int as open from pg_stat_activity
        where datname = current_database() and application_name = 'lingualoop queue'`;
      return row?.['open'] as number;
    };
    await withWorkers(app, async () => {
      for (let round = 0; round < 3; round++) {
        await poll(async () => (await count()) >= 2);
        const { mend } = await cutDatabase();
        // Workers ask for jobs every two seconds.
        await new Promise((resolve) => setTimeout(resolve, 2500));
        await mend();
      }
      await addFailStale((await app.signUp()).tenantId);
      await poll(async () => (await locks()).length === 0);
      // The connections that were cut while they opened end a little later.
      await poll(async () => (await count()) <= 5 + app.services.settings.WORKER_CONCURRENCY);
    });
    await poll(async () => (await count()) === 0);
  });

  test('frees a job whose lock reached no worker', async () => {
    await superuser`delete from worker_heartbeats`;
    await withWorkers(app, async () => {
      const pool = await poll(async () => {
        const [newest] = await superuser<{ id: string }[]>`
          select worker_id as id from worker_heartbeats order by seen_at desc limit 1`;
        return newest?.id;
      });
      const { tenantId } = await app.signUp();
      // The state after a job was taken, if the connection ended before the response to the statement.
      await superuser`
        select graphile_worker.add_job('fail_stale_jobs', ${JSON.stringify({ tenantId })}::text::json,
          run_at => now() + interval '1 hour')`;
      await superuser`
        update graphile_worker._private_jobs set locked_by = ${pool}, locked_at = now(), run_at = now(), attempts = 1`;
      const { mend } = await cutDatabase();
      await new Promise((resolve) => setTimeout(resolve, 2500));
      await mend();
      await poll(async () => (await locks()).length === 0);
    });
  });
});
