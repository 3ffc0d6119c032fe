import { Gauge, type Registry } from 'prom-client';
import type { DeploymentState, StorageState, WorkspaceUsage } from './deployment-state.ts';
import type { QueueState } from './queue-state.ts';
import type { ReviewBacklog } from './review-backlog.ts';

/**
 * Functions that read the state of database and storage each time that the metrics are requested. If one rejects, its
 * metrics are omitted, and `lingualoop_collector_up` shows it.
 */
export interface StateReaders {
  deployment(): Promise<DeploymentState>;
  queue(): Promise<QueueState>;
  reviews(): Promise<ReviewBacklog[]>;
  storage(): Promise<StorageState>;
  /** Undefined without top workspaces in METRICS. */
  workspaces: (() => Promise<WorkspaceUsage[]>) | undefined;
}

/** A group of metrics with one reader. */
interface Collector {
  gauges: Gauge[];
  /** Reads the state, and returns a function that sets the gauges. */
  read(): Promise<() => void>;
}

type AddGauge = (name: string, help: string, labelNames?: string[]) => Gauge;

/**
 * Registers metrics that show the state of database and storage, not a count of events.
 * @returns a function that reads all these states; it never rejects
 */
export function registerStateGauges(registry: Registry, readers: StateReaders): () => Promise<void> {
  const add: AddGauge = (name, help, labelNames = []) =>
    new Gauge({ name: `lingualoop_${name}`, help, labelNames, registers: [registry] });
  const isUp = add('collector_up', 'Whether this group of metrics could be read.', ['collector']);
  const databaseUp = add('db_up', 'Whether the database responds.');
  const collectors: Record<string, Collector> = {
    deployment: collectDeployment(add, readers.deployment),
    queue: collectQueue(add, readers.queue),
    reviews: collectReviews(add, readers.reviews),
    storage: collectStorage(add, readers.storage),
    ...(readers.workspaces && { workspaces: collectWorkspaces(add, readers.workspaces) }),
  };

  return async () => {
    await Promise.all(
      Object.entries(collectors).map(async ([collector, { gauges, read }]) => {
        const show = await read().catch(() => null);
        isUp.set({ collector }, show ? 1 : 0);
        if (collector === 'deployment') databaseUp.set(show ? 1 : 0);
        // A value that cannot be read must disappear: it would otherwise keep its last value. After a reset, a gauge
        // without labels has the value 0.
        for (const gauge of gauges) {
          gauge.reset();
          gauge.remove({});
        }
        show?.();
      }),
    );
  };
}

function collectDeployment(add: AddGauge, read: StateReaders['deployment']): Collector {
  const skew = add('clock_skew_seconds', 'The clock of this process minus the clock of the database.');
  const pending = add('pending_migrations', 'Migrations of this version that the database lacks.');
  const age = add('maintenance_age_seconds', 'Seconds since a recurring task or the backup last completed.', [
    'task',
  ]);
  const interval = add('maintenance_interval_seconds', 'Seconds between two runs of a recurring task.', [
    'task',
  ]);
  return {
    gauges: [skew, pending, age, interval],
    async read() {
      const { clockSkewSeconds, pendingMigrations, maintenance } = await read();
      return () => {
        skew.set(clockSkewSeconds);
        pending.set(pendingMigrations);
        for (const { task, ageSeconds, everySeconds } of maintenance) {
          age.set({ task }, ageSeconds);
          if (everySeconds !== null) interval.set({ task }, everySeconds);
        }
      };
    },
  };
}

function collectQueue(add: AddGauge, read: StateReaders['queue']): Collector {
  const queued = add('queue_jobs', 'Background jobs in the queue. At most a million are counted.', [
    'task',
    'state',
  ]);
  const oldest = add(
    'queue_oldest_seconds',
    'Seconds for which the oldest background job that is ready to run has been waiting.',
    ['task'],
  );
  const unfinished = add(
    'unfinished_jobs',
    'Unfinished translation jobs. At most 10000 are counted per state.',
    ['kind', 'state'],
  );
  const held = add(
    'documents_waiting',
    'Documents that are retried after an outage. At most 10000 are counted.',
    ['reason'],
  );
  const heldFor = add(
    'documents_waiting_seconds',
    'Seconds for which the oldest of these documents has been waiting.',
    ['reason'],
  );
  return {
    gauges: [queued, oldest, unfinished, held, heldFor],
    async read() {
      const { tasks, outages, jobs } = await read();
      return () => {
        for (const { task, waiting, running, failed, oldestSeconds } of tasks) {
          queued.set({ task, state: 'waiting' }, waiting);
          queued.set({ task, state: 'running' }, running);
          queued.set({ task, state: 'failed' }, failed);
          oldest.set({ task }, oldestSeconds);
        }
        for (const { reason, documents, longestSeconds } of outages) {
          held.set({ reason }, documents);
          heldFor.set({ reason }, longestSeconds);
        }
        for (const { kind, status, jobs: count } of jobs) unfinished.set({ kind, state: status }, count);
      };
    },
  };
}

function collectReviews(add: AddGauge, read: StateReaders['reviews']): Collector {
  const items = add('review_backlog', 'Items awaiting review. At most 10000 are counted.', ['kind']);
  const oldest = add(
    'review_backlog_oldest_seconds',
    'Seconds since the last change of the item awaiting review that has not changed for the longest time.',
    ['kind'],
  );
  return {
    gauges: [items, oldest],
    async read() {
      const backlog = await read();
      return () => {
        for (const { kind, items: count, oldestSeconds } of backlog) {
          items.set({ kind }, count);
          oldest.set({ kind }, oldestSeconds);
        }
      };
    },
  };
}

function collectStorage(add: AddGauge, read: StateReaders['storage']): Collector {
  const up = add('storage_up', 'Whether platform storage accepts objects.');
  const free = add('storage_free_bytes', 'Bytes that the service can still write to a local directory.');
  const size = add('storage_size_bytes', 'Size of the file system of a local directory.');
  return {
    gauges: [up, free, size],
    async read() {
      const { isUp, space } = await read();
      return () => {
        up.set(isUp ? 1 : 0);
        if (!space) return;
        free.set(space.freeBytes);
        size.set(space.totalBytes);
      };
    },
  };
}

function collectWorkspaces(add: AddGauge, read: NonNullable<StateReaders['workspaces']>): Collector {
  const jobs = add('workspace_jobs', 'Jobs today (UTC) of the workspaces with the most characters.', [
    'tenant_id',
  ]);
  const chars = add('workspace_chars', 'Weighted characters today (UTC) of these workspaces.', ['tenant_id']);
  return {
    gauges: [jobs, chars],
    async read() {
      const workspaces = await read();
      return () => {
        for (const { tenantId: tenant_id, jobs: count, chars: used } of workspaces) {
          jobs.set({ tenant_id }, count);
          chars.set({ tenant_id }, used);
        }
      };
    },
  };
}
