import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { type RunningService, startService } from '#test/setup/service.ts';
import type { Sizes } from './sizes.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export const operatorKey = 'the-operator-of-the-growth-bench';

/** A service with its own database. */
export interface Deployment {
  sizes: Sizes;
  dataDir: string;
  /** Connects to the database: `url` with the service's role, `superuser` with the superuser. */
  url: string;
  superuser: postgres.Sql;
  address(): string;
  /** The biggest workspace, and one of those that have the average size. */
  biggest: Workspace;
  average: Workspace;
  /** Settings of the service. */
  env: Record<string, string>;
  /** Ends the process of the service, and starts another one with the same database. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a service without workers and creates the two measured workspaces with their TMs. Adds the deployment to the
 * opened ones as soon as it must be stopped.
 */
export async function openDeployment(
  opened: Deployment[],
  sizes: Sizes,
  sources: readonly string[],
): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  const server = await joinEmbeddedPostgres(dataDir);
  const env = {
    DATA_DIR: dataDir,
    AUTH_RATE_LIMIT_ENABLED: 'false',
    OPERATOR_API_KEY: operatorKey,
    LOG_LEVEL: 'error',
    MONTHLY_CHAR_CEILING: '1000000000000',
    DEFAULT_MONTHLY_CHAR_LIMIT: '2000000000',
    MAX_TM_SEGMENTS: '600000',
    STALE_PENDING_SECONDS: '100000000',
  };
  const start = (): Promise<RunningService> => startService(env, 'server/main.ts', ['--api-only']);
  let service = await start();
  const superuserUrl = new URL(server.superuserUrl);
  superuserUrl.pathname = new URL(server.url).pathname;
  const superuser = postgres(superuserUrl.href, { max: 2, onnotice: () => {} });
  // The benchmark determines when statistics are collected.
  await superuser.unsafe('alter system set autovacuum = off');
  await superuser`select pg_reload_conf()`;
  const deployment: Omit<Deployment, 'biggest' | 'average'> = {
    sizes,
    dataDir,
    env,
    url: server.ownerUrl,
    superuser,
    address: () => service.address,
    async restart() {
      await service.stop();
      service = await start();
    },
    async stop() {
      await superuser.end({ timeout: 5 });
      await service.stop();
      await server.leave();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  const complete = deployment as Deployment;
  opened.push(complete);
  for (const kind of ['biggest', 'average'] as const)
    complete[kind] = await createWorkspace(complete, sizes[kind], sources.slice(0, sizes[kind].segments));
  return complete;
}
