import type { Services } from '#server/context.ts';
import { watchDeployment, watchWorkspaces } from '#server/observability/deployment-state.ts';
import { watchQueue } from '#server/observability/queue-state.ts';
import { watchReviews } from '#server/observability/review-backlog.ts';
import { latencyOf } from '../load.ts';
import { type RunTask, withTasks } from './background.ts';
import type { Deployment } from './deployment.ts';
import { heading } from './measure.ts';

/** Work that is done again and again in each deployment, whether there is something to do or not. */
interface Periodic {
  name: string;
  run(run: RunTask, services: Services): Promise<unknown>;
  /** Settings of the worker process. */
  env?: Record<string, string>;
}

const workspacesShown = 20;

const periodic: Periodic[] = [
  { name: 'sweep_stale_jobs', run: (run) => run('sweep_stale_jobs', {}) },
  { name: 'prune_expired', run: (run) => run('prune_expired', {}) },
  { name: 'check_golden_records', run: (run) => run('check_golden_records', {}) },
  { name: 'check_document_files', run: (run) => run('check_document_files', {}) },
  { name: 'delete_tenants', run: (run) => run('delete_tenants', {}) },
  { name: 'apply_retention, nothing is deleted by age', run: (run) => run('apply_retention', {}) },
  {
    name: 'apply_retention, nothing is old enough',
    run: (run) => run('apply_retention', {}),
    env: { RETENTION_DAYS: '{"jobs":3000,"documents":3000,"audit":3000}' },
  },
  // The functions of a /metrics request that read the database, without their caches.
  { name: '/metrics: deployment', run: (_, { database }) => watchDeployment(database)() },
  { name: '/metrics: queue', run: (_, { database }) => watchQueue(database)() },
  { name: '/metrics: review backlog', run: (_, { database }) => watchReviews(database)() },
  {
    name: `/metrics: ${workspacesShown} workspaces`,
    run: (_, { database }) => watchWorkspaces(database, workspacesShown)(),
  },
];

/** Prints the milliseconds and the statements of one run of each periodic task, and of each part of the metrics. */
export async function reportPeriodic(
  deployments: readonly Deployment[],
  print: (line: string) => void,
): Promise<void> {
  print(
    heading(
      'Periodic work: median ms (statements) of one run',
      deployments.map(({ sizes }) => sizes.jobs),
      false,
    ),
  );
  for (const { name, run, env } of periodic) {
    const figures: { ms: number; statements: number }[] = [];
    for (const deployment of deployments)
      await withTasks(
        deployment,
        async (task, services) => {
          // The first run may find work that the requests left.
          await run(task, services);
          const took: number[] = [];
          const before = await countStatements(deployment);
          for (let turn = 0; turn < 3; turn++) {
            const start = performance.now();
            await run(task, services);
            took.push(performance.now() - start);
          }
          const statements = ((await countStatements(deployment)) - before) / took.length;
          figures.push({ ms: latencyOf(took).p50, statements });
        },
        env,
      );
    const shown = figures.map(({ ms, statements }) =>
      `${ms.toFixed(0)} (${statements.toFixed(0)})`.padStart(15),
    );
    print(`${name.padEnd(55)}${shown.join('')}`);
  }
}

/** Returns the number of statements so far, except those of this benchmark. */
async function countStatements({ superuser }: Deployment): Promise<number> {
  const [row] = await superuser<{ calls: number }[]>`
    select sum(calls)::float8 as calls from pg_stat_statements s join pg_roles r on r.oid = s.userid
    where not rolsuper`;
  return row!.calls;
}
