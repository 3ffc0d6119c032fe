import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { connect, secretsKey, type TestApp, type TestAppOptions, useTestApp } from './app.ts';
import { startProxy } from './proxy.ts';
import { type RunningService, startService } from './service.ts';

/** A deployment of several processes. Its requests go through the proxy. */
export interface Cluster extends TestApp {
  apis: RunningService[];
}

/**
 * Starts a deployment for a test file: two API processes and two workers with one external database, behind a proxy
 * that sends the requests to the API processes in turn. The factories insert rows through an application in this
 * process, which has the same database.
 */
export function useCluster({ env }: Pick<TestAppOptions, 'env'> = {}): Cluster {
  const cluster = useTestApp({ env }) as Cluster;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    const data = await mkdtemp(join(tmpdir(), 'lingualoop-cluster-'));
    closing.push(() => rm(data, { recursive: true, force: true }));
    const own = {
      DATABASE_URL: cluster.databaseUrl,
      SECRETS_KEY: secretsKey,
      DATA_DIR: data,
      LOG_LEVEL: 'silent',
      TRUST_PROXY: '1',
      // Required for mails.
      ...(env?.['MAIL_SERVER'] !== undefined && { BASE_URL: 'http://127.0.0.1' }),
      ...env,
    };
    const start = async (script: string, args: string[] = []) => {
      const service = await startService(own, script, args);
      closing.push(() => service.stop());
      return service;
    };
    const [one, two] = await Promise.all([
      ...['--api-only', '--api-only'].map((only) => start('server/main.ts', [only])),
      ...['workers/main.ts', 'workers/main.ts'].map((script) => start(script)),
    ]);
    cluster.apis = [one, two] as RunningService[];
    const proxy = await startProxy(cluster.apis.map(({ address }) => address));
    closing.push(() => proxy.stop());
    const { address, request, json } = connect(proxy.address);
    Object.assign(cluster, { address, request, json });
  }, 60_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  return cluster;
}
