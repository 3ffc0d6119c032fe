import { afterEach, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import { reportAndTakeOver } from '#workers/heartbeat.ts';
import { ended, expectAccepted } from './background.ts';
import { tmxFile } from './corpus.ts';
import { expectServed } from './fast-path-jobs.ts';
import { openSets } from './sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const running = new Set<RunningService>();
afterEach(async () => {
  await Promise.all([...running].map((service) => service.stop('SIGKILL')));
  running.clear();
});

async function startWorker(): Promise<RunningService> {
  const service = await startService(
    {
      LOG_LEVEL: 'silent',
      DATABASE_URL: app.databaseUrl,
      DATA_DIR: app.services.settings.DATA_DIR,
      SECRETS_KEY: Buffer.alloc(32).toString('base64'),
    },
    'workers/main.ts',
  );
  running.add(service);
  return service;
}

/** Blocks writes to the memory, but no reads, until released: whatever writes now stops in the middle. */
async function holdMemory() {
  const sql = openSuperuser(app.superuserUrl);
  const tables = await sql<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.columns
    where column_name = 'tenant_id' and table_name ~ 'memory|segment|tm_' and table_schema = 'public'`;
  expect(tables.length).toBeGreaterThan(0);
  await sql.unsafe(`begin; lock table ${tables.map(({ name }) => name).join(', ')} in share mode`);
  return { letGo: () => sql.unsafe('rollback') };
}

test('Imports: a killed worker’s import is never half: what was there stays, until another worker has done it', async () => {
  const mine = await openSets(app);
  const { id } = await mine.memory([['Hello', 'Bonjour']]);
  const job = expectAccepted(await mine.importFile(tmxFile('made-5200-units')));
  const superuser = openSuperuser(app.superuserUrl);

  const { letGo } = await holdMemory();
  const worker = await startWorker();
  await poll(async () => {
    const waiting = await superuser`
      select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where not granted and datname = current_database()`;
    return waiting.length > 0;
  });
  await worker.stop('SIGKILL');
  await letGo();

  expect((await mine.importOf(job.id)).body.job).toMatchObject({ status: 'running', result: null });
  expect(await mine.memories()).toMatchObject([{ id, entry_count: 1 }]);
  expectServed(await mine.job(), 'tm_exact', 'Bonjour');
  expect((await mine.importFile(tmxFile('omegat'))).status).toBe(409);

  // The worker that holds the job has not reported for long enough to count as dead.
  await poll(async () => {
    await reportAndTakeOver(app.database, [], 0);
    return (await superuser`select 1 from graphile_worker.jobs where locked_by is not null`).length === 0;
  });
  await startWorker();
  expect(await ended(mine, job.id)).toMatchObject({ status: 'completed', result: { id, imported: 5200 } });
  expect(await mine.memories()).toMatchObject([{ id, entry_count: 5200 }]);
  const { text } = await mine.exportMemory(id);
  expect(text.match(/<tu[ >]/g)).toHaveLength(5200);
});
