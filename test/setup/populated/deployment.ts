import { join } from 'node:path';
import { openDatabase } from '#db/client.ts';
import { joinEmbeddedPostgres } from '#db/embedded/index.ts';
import { migrate } from '#db/migrate.ts';
import { buildApp } from '#server/app.ts';
import type { Services } from '#server/context.ts';
import { openWorkspaceEngines } from '#server/engines/workspace-engines.ts';
import { AppError } from '#server/errors.ts';
import { createGlossaries } from '#server/language/terminology/glossary.ts';
import { createBackgroundWork } from '#server/platform/background-work.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import type { Engine } from '#server/platform/engines/engine.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { openFileWork } from '#server/platform/sandbox/file-work.ts';
import { openAccountStores } from '#server/platform/stores/account-stores.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { readSettings } from '#server/settings.ts';
import { env } from '#test/factories.ts';
import { connect, type TestApp } from '#test/setup/app.ts';
import { startWorkers, type Workers } from '#workers/run.ts';

/** The parts of a deployment that can be made to fail, so that there are jobs in every state. */
export interface Faults {
  /** The error of the engine. */
  engine: AppError | null;
  /** Whether golden records cannot be written. */
  records: boolean;
}

/** A running deployment: an API in this process, its embedded PostgreSQL, and workers if they were started. */
export interface Deployment extends Pick<TestApp, 'address' | 'json' | 'request' | 'services'> {
  superuserUrl: string;
  faults: Faults;
  startWorkers(): Promise<void>;
  stopWorkers(): Promise<void>;
  stop(): Promise<void>;
}

/** Limits of a deployment that has bought a lot. */
const limits = {
  DEFAULT_MONTHLY_CHAR_LIMIT: '2000000000',
  MONTHLY_CHAR_CEILING: '1000000000000',
  MAX_UPLOAD_BYTES: '100000000',
  // A machine that runs other tests is slow.
  REQUEST_DEADLINE_SECONDS: '900',
};

/** Starts a deployment with the stub engine in a data folder, which is created if it is missing. */
export async function startDeployment(dataDir: string): Promise<Deployment> {
  const settings = readSettings({ ...env, ...limits, LOG_LEVEL: 'silent', DATA_DIR: dataDir });
  const server = await joinEmbeddedPostgres(dataDir);
  await migrate(server.ownerUrl, { service: new URL(server.url).username });
  const faults: Faults = { engine: null, records: false };
  const secretsKeys = await loadSecretsKeys(settings);
  const fileWork = openFileWork();
  const database = openDatabase(server.url, { size: 8 });
  const { http, services } = await buildApp({
    ...{ settings, database, fileWork, secretsKeys, embedder: null, payments: null },
    engine: failingEngine(faults),
    workspaceEngines: openWorkspaceEngines(Promise.resolve(database), {
      ...{ settings, secretsKeys, protect: () => null },
    }),
    storage: failingStore(openPlatformStore(settings), faults),
    accountStores: openAccountStores(settings, secretsKeys),
    glossaries: createGlossaries(),
    backgroundWork: createBackgroundWork(),
  });
  const address = await http.listen({ host: '127.0.0.1', port: 0 });
  const superuserUrl = new URL(server.superuserUrl);
  superuserUrl.pathname = new URL(server.url).pathname;
  let workers: Workers | undefined;
  const stopWorkers = async () => {
    await workers?.stop();
    workers = undefined;
  };
  return {
    ...connect(address),
    services,
    superuserUrl: superuserUrl.href,
    faults,
    async startWorkers() {
      workers = await startWorkers(services, () => server.url);
    },
    stopWorkers,
    async stop() {
      await stopWorkers();
      await http.close();
      await services.backgroundWork.drain(60_000);
      await fileWork.close();
      await database.close();
      await server.leave();
    },
  };
}

/** The stub engine, which fails while `faults` say so. */
function failingEngine(faults: Faults): Engine {
  const translate: Engine['translate'] = async (task, ...rest) => {
    if (faults.engine) throw faults.engine;
    return stubEngine.translate(task, ...rest);
  };
  return { ...stubEngine, translate };
}

/** The store, which writes no golden records while `faults` say so. */
function failingStore(store: PlatformStore, faults: Faults): PlatformStore {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'put' && faults.records)
        return async () => {
          throw new Error('the store of this deployment fails');
        };
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** An outage of the model. */
export const outage = () =>
  new AppError('service_unavailable', 'the model of this deployment does not respond');

/** The folder of the platform's store in a data folder. */
export const storeOf = (dataDir: string) => join(dataDir, 'storage');
export type { Services };
