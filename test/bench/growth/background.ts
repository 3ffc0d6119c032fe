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

/** Runs the handler of a task in the same way as a worker. */
type RunTask = <N extends TaskName>(name: N, payload: TaskPayloads[N]) => Promise<unknown>;

/** Provides the services of a worker process for the database of a deployment. */
export async function withTasks(
  deployment: Deployment,
  work: (run: RunTask) => Promise<void>,
): Promise<void> {
  const settings = readSettings({ ...deployment.env, STALE_PENDING_SECONDS: '600' });
  const database = openDatabase(deployment.url, { size: 6 });
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
    await work((name, payload) => tasks[name].run(services, payload));
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
