import { openDatabase } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { createBackgroundWork } from '#server/platform/background-work.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import type { TaskName, TaskPayloads } from '#server/platform/job-queue.ts';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings } from '#server/settings.ts';
import { tasks } from '#workers/tasks.ts';
import type { Deployment } from './deployment.ts';

const applicationName = 'growth tasks';

/** Runs the handler of a task in the same way as a worker. */
export type RunTask = <N extends TaskName>(name: N, payload: TaskPayloads[N]) => Promise<unknown>;

/** Provides the services of a worker process for the database of a deployment. */
export async function withTasks(
  deployment: Deployment,
  work: (run: RunTask, services: Services) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const settings = readSettings({ ...deployment.env, STALE_PENDING_SECONDS: '600', ...env });
  const database = openDatabase(deployment.url, { size: 6, applicationName });
  const fileWork = openFileWork();
  const services: Services = {
    ...{ settings, database, engine: stubEngine, embedder: null, payments: null, fileWork },
    storage: openPlatformStore(settings),
    accountStores: { open: () => undefined },
    workspaceEngines: {
      find: async () => null,
      forget() {},
      test: () => Promise.reject(new Error('unused')),
    },
    glossaries: createGlossaries(),
    backgroundWork: createBackgroundWork(),
    secretsKeys: { current: Buffer.alloc(32), previous: null },
    log: { debug() {}, info() {}, warn() {}, error: console.error },
  };
  try {
    await work((name, payload) => tasks[name].run(services, payload), services);
  } finally {
    await fileWork.close();
    await database.close();
  }
}

/** Maximum rounds of the sweep until nothing is left to index. */
const maxRounds = 100;

/** Runs the sweep, and the tasks that it queues for the fuzzy index, until all segments of the TMs are indexed. */
export async function indexMemories(deployment: Deployment): Promise<void> {
  const { superuser } = deployment;
  type Queued = {
    [N in 'index_memory' | 'index_memory_pair']: { id: string; task: N; payload: TaskPayloads[N] };
  }['index_memory' | 'index_memory_pair'];
  await withTasks(deployment, async (run) => {
    for (let round = 0; round < maxRounds; round++) {
      await run('sweep_stale_jobs', {});
      const queued = await superuser<Queued[]>`
        select j.id, t.identifier as task, j.payload from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier like 'index_memory%'`;
      if (queued.length === 0) return;
      for (const { id, task, payload } of queued) {
        if (task === 'index_memory') await run(task, payload);
        else await run(task, payload);
        await superuser`delete from graphile_worker._private_jobs where id = ${id}`;
      }
    }
    throw new Error('segments are left to index');
  });
}

/**
 * Runs each task with the amount of work that a day with an incident causes. Prints duration, transactions and locks.
 */
export async function reportIncidents(deployment: Deployment, print: (line: string) => void): Promise<void> {
  const { superuser } = deployment;
  const { tenantId } = deployment.biggest;
  await withTasks(deployment, async (run) => {
    const report = async <N extends TaskName>(title: string, name: N, payload: TaskPayloads[N]) => {
      const watch = watchTransactions(deployment);
      const start = performance.now();
      await run(name, payload);
      const took = performance.now() - start;
      const { longest, locks } = await watch.stop();
      print(
        `${title.padEnd(58)} ${(took / 1000).toFixed(2).padStart(7)} s   longest transaction ${longest.toFixed(0)} ms   ${locks}`,
      );
    };
    await superuser`update translation_jobs set status = 'pending' where (tenant_id, job_id) in (
      select tenant_id, job_id from translation_jobs where tenant_id = ${tenantId} and status = 'published' limit 50000)`;
    await report('fail_stale_jobs, up to 50,000 jobs of one tenant', 'fail_stale_jobs', { tenantId });
    await superuser`update translation_jobs set status = 'persistence_failed' where (tenant_id, job_id) in (
      select tenant_id, job_id from translation_jobs where tenant_id = ${tenantId} and status = 'published' limit 2000)`;
    await report('publish_unpersisted_jobs, 2,000 jobs', 'publish_unpersisted_jobs', { tenantId });
    await superuser`update tokens set expires_at = now() where token_hash in (select token_hash from tokens limit 100000)`;
    await superuser`update credential_directory d set expires_at = t.expires_at from tokens t
      where t.token_hash = d.credential_hash and t.expires_at <= now()`;
    await report('prune_expired, up to 100,000 tokens', 'prune_expired', {});
    await superuser`insert into memory_contents (tenant_id, content_id)
      select ${tenantId}, 'left over ' || n from generate_series(1, 2000) n`;
    await superuser`insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, segment_no)
      select ${tenantId}, 'left over ' || n, substring(sha256(convert_to(s::text, 'UTF8')) for 16), 'text', 'text', s
      from generate_series(1, 2000) n, generate_series(1, 20) s`;
    await report('sweep_stale_jobs, 2,000 contents that nobody shows', 'sweep_stale_jobs', {});
    const [left] =
      await superuser`select count(*)::int as n from memory_contents where content_id like 'left over %'`;
    print(`  of these are left for the next sweep: ${left?.['n']}`);
  });
}

/**
 * Checks every 5 ms which transaction of the tasks is the longest, and which is the strongest lock that they hold on a
 * table.
 */
function watchTransactions({ superuser }: Deployment) {
  let running = true;
  let longest = 0;
  const held = new Set<string>();
  const ended = (async () => {
    while (running) {
      const [row] = await superuser<{ ms: number | null; locks: string[] | null }[]>`
        select max(extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as ms,
          (select array_agg(distinct c.relname || ' ' || l.mode) from pg_locks l join pg_class c on c.oid = l.relation
            where l.locktype = 'relation' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and l.pid in (
              select pid from pg_stat_activity where application_name = ${applicationName})
              and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')) as locks
        from pg_stat_activity where application_name = ${applicationName}`;
      longest = Math.max(longest, row?.ms ?? 0);
      for (const lock of row?.locks ?? []) held.add(lock);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  return {
    async stop() {
      running = false;
      await ended;
      return { longest, locks: held.size > 0 ? [...held].join(', ') : 'row locks only' };
    },
  };
}
