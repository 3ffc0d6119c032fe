import type postgres from 'postgres';
import { afterEach, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { useWorkspace } from '#test/translations/workspace.ts';
import { reportAndTakeOver } from '#workers/heartbeat.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const mine = useWorkspace(app);

const kills = 8;
const batches = 40;
const perBatch = 25;

let worker: RunningService | undefined;
afterEach(() => worker?.stop('SIGKILL'));

const startWorker = () =>
  startService(
    {
      LOG_LEVEL: 'silent',
      DATABASE_URL: app.databaseUrl,
      DATA_DIR: app.services.settings.DATA_DIR,
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    },
    'workers/main.ts',
  );

const finished = async (sql: postgres.Sql) => {
  const [row] = await sql`
    select count(*) filter (where status = 'published')::int as published, count(*)::int as jobs
    from translation_jobs where tenant_id = ${mine.tenantId}`;
  return row as { published: number; jobs: number };
};

test(`${kills} workers are killed while they run queued texts: each text is translated and billed once`, {
  timeout: 240_000,
}, async () => {
  const sql = openSuperuser(app.superuserUrl);
  for (let number = 0; number < batches; number++) {
    const inputs = Array.from({ length: perBatch }, (_, item) => ({
      Text: `Sentence ${item} of the batch ${number} is different from all others.`,
      Targets: [{ Language: 'fr' }],
    }));
    const { status } = await mine.submit({ inputs }, { prefer: 'respond-async' });
    expect(status).toBe(202);
  }
  let used = 0;
  for (let kill = 1; kill <= kills; kill++) {
    worker = await startWorker();
    const enough = Math.floor((kill * batches * perBatch) / (kills + 2));
    await expect
      .poll(async () => (await finished(sql)).published, { timeout: 60_000, interval: 10 })
      .toBeGreaterThanOrEqual(enough);
    if ((await finished(sql)).published < batches * perBatch) used += 1;
    await worker.stop('SIGKILL');
    // A living process does this when the heartbeats of the dead one have stopped.
    await poll(async () => {
      await reportAndTakeOver(app.database, [], 0);
      return (await sql`select 1 from graphile_worker.jobs where locked_by is not null`).length === 0;
    });
  }
  expect(used).toBeGreaterThan(kills / 2);
  worker = await startWorker();
  await expect
    .poll(async () => (await finished(sql)).published, { timeout: 90_000, interval: 100 })
    .toBe(batches * perBatch);
  expect((await finished(sql)).jobs).toBe(batches * perBatch);
  const usage = await mine.usage();
  expect(usage).toHaveLength(batches * perBatch);
  expect(new Set(usage.map(({ job_id }) => job_id)).size).toBe(batches * perBatch);
  const [queue] = await sql`
    select count(*)::int as left from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'run_texts'`;
  expect(queue!['left']).toBe(0);
});
