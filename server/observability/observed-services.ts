import type { Database } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import type { Embedder, Engine, EngineResult } from '#server/platform/engines/engine.ts';
import type { FileWork } from '#server/platform/sandbox/file-work.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { observe } from '#server/platform/telemetry.ts';

type Observable = Pick<Services, 'engine' | 'embedder' | 'storage' | 'fileWork'>;

/** Returns services that behave in the same way, and whose calls are measured and traced. */
export function observeServices(services: Observable): Observable {
  return {
    engine: observeEngine(services.engine),
    embedder: services.embedder && observeEmbedder(services.embedder),
    storage: observeStorage(services.storage),
    fileWork: observeFileWork(services.fileWork),
  };
}

function observeEngine(engine: Engine): Engine {
  const call = <T>(name: string, tenantId: string, ask: () => Promise<EngineResult<T>>) =>
    observe('engine', name, ask, { 'lingualoop.tenant_id': tenantId });
  return {
    ...engine,
    translate: (task, scope, model) =>
      call('translate', scope.tenantId, () => engine.translate(task, scope, model)),
    assess: (task, candidate, scope) =>
      call('assess', scope.tenantId, () => engine.assess(task, candidate, scope)),
    assessEach: (task, candidate, scope) =>
      call('assess_each', scope.tenantId, () => engine.assessEach(task, candidate, scope)),
    repair: (task, candidate, issues, scope) =>
      call('repair', scope.tenantId, () => engine.repair(task, candidate, issues, scope)),
    compare: (task, candidates, scope) =>
      call('compare', scope.tenantId, () => engine.compare(task, candidates, scope)),
    verify: (task, candidate, scope) =>
      call('verify', scope.tenantId, () => engine.verify(task, candidate, scope)),
  };
}

function observeEmbedder(embedder: Embedder): Embedder {
  return {
    model: embedder.model,
    embed: (texts, scope) =>
      observe('engine', 'embed', () => embedder.embed(texts, scope), {
        'lingualoop.tenant_id': scope.tenantId,
      }),
  };
}

/** Observes only calls that transfer bytes. Reading a directory needs no separate metric. */
function observeStorage(store: PlatformStore): PlatformStore {
  return {
    ...store,
    put: (...given) => observe('storage', 'put', () => store.put(...given)),
    addLine: (...given) => observe('storage', 'add_line', () => store.addLine(...given)),
    read: (...given) => observe('storage', 'read', () => store.read(...given)),
    stream: (...given) => observe('storage', 'stream', () => store.stream(...given)),
    remove: (...given) => observe('storage', 'remove', () => store.remove(...given)),
  };
}

function observeFileWork(fileWork: FileWork): FileWork {
  return {
    run: (task, payload, scope) => observe('file', task, () => fileWork.run(task, payload, scope)),
    stream: (task, payload, scope, take) =>
      observe('file', task, () => fileWork.stream(task, payload, scope, take)),
    close: () => fileWork.close(),
    get counts() {
      return fileWork.counts;
    },
    get processIds() {
      return fileWork.processIds;
    },
  };
}

/**
 * Returns a database that behaves in the same way, and whose transactions are measured and traced.
 * @param pool name of the database's connection pool, used as a label
 */
export function observeDatabase(database: Database, pool: string): Database {
  const observed =
    (open: Database['inTenant']): Database['inTenant'] =>
    (tenantId, work) =>
      observe('transaction', pool, () => open(tenantId, work), { 'lingualoop.tenant_id': tenantId });
  return {
    inTenant: observed(database.inTenant),
    readInTenant: observed(database.readInTenant),
    inTenantOfCredential: (presented, work) =>
      observe('transaction', pool, () => database.inTenantOfCredential(presented, work)),
    inTenantOfToken: (hash, work) => observe('transaction', pool, () => database.inTenantOfToken(hash, work)),
    inPlatform: (work) => observe('transaction', pool, () => database.inPlatform(work)),
    connections: () => database.connections(),
    close: () => database.close(),
  };
}
