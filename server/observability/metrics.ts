import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolState } from '#db/client.ts';
import type { Counted, Meter, WorkKind } from '#server/platform/telemetry.ts';
import type { QueueState } from './queue-state.ts';

/** Sources of the values that are read each time that the metrics are requested. */
export interface MetricSources {
  /** The connections of each pool of this process, by the pool's name. */
  pools: ReadonlyMap<string, () => PoolState>;
  /** Returns the number of running and of queued model calls. Null without a model. */
  engineCalls: (() => { running: number; waiting: number }) | null;
  /** Returns the numbers of the sandbox's tasks for each queue, and the number of its processes. */
  files: () => { queues: Readonly<Record<string, { running: number; waiting: number }>>; processes: number };
  /** Reads the state of the job queue. Rejects if the database does not respond; these metrics are then omitted. */
  queue: () => Promise<QueueState>;
}

/** The metrics of a process. */
export interface Metrics {
  meter: Meter;
  request(request: RequestSample): void;
  /** All metrics in Prometheus's text format. */
  print(): Promise<{ text: string; contentType: string }>;
}

/**
 * A request whose response has been sent. Each field that becomes a label has a fixed set of values: patterns of
 * routes, names of procedures.
 */
export interface RequestSample {
  method: string;
  route: string;
  procedure: string;
  status: number;
  seconds: number;
}

/**
 * Upper limits of the histogram's buckets, in seconds. A text job takes 5 ms with the stub; with a model it may take
 * a minute.
 */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** For each kind of work, the description of its metric and the label for the name of the work. */
const durations: Record<WorkKind, { help: string; label: string }> = {
  transaction: {
    help: 'Duration of database transactions, including the wait for a connection.',
    label: 'pool',
  },
  step: {
    help: 'Duration of the steps of text translations and the stages of document translations.',
    label: 'step',
  },
  engine: {
    help: 'Duration of calls to the translation engine, including retries and waits.',
    label: 'call',
  },
  storage: { help: 'Duration of operations of platform storage.', label: 'operation' },
  file: {
    help: 'Duration of tasks that read or write files. Most of them run in the sandbox.',
    label: 'task',
  },
  task: { help: 'Duration of background jobs, including the recurring ones.', label: 'task' },
};

const counted: Record<Counted, { name: string; help: string; label: string }> = {
  engine_retries: { name: 'engine_retries_total', help: 'Retries of model calls.', label: 'reason' },
  engine_tokens: { name: 'engine_tokens_total', help: 'Tokens of model calls.', label: 'direction' },
  jobs: { name: 'jobs_total', help: 'Translation jobs that got this state in this process.', label: 'state' },
};

/**
 * Creates the metrics of this process. Their number is limited: no label contains an id, a text or anything else that
 * a caller chooses.
 */
export function openMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const requests = new Counter({
    name: 'lingualoop_http_requests_total',
    help: 'HTTP requests by route, procedure and status.',
    labelNames: ['method', 'route', 'procedure', 'status'],
    registers,
  });
  const latencies = new Histogram({
    name: 'lingualoop_http_request_duration_seconds',
    help: 'Duration from the arrival of an HTTP request to the end of its response.',
    labelNames: ['method', 'route', 'procedure'],
    buckets,
    registers,
  });
  const histograms = Object.fromEntries(
    Object.entries(durations).map(([kind, { help, label }]) => [
      kind,
      new Histogram({
        name: `lingualoop_${kind}_duration_seconds`,
        help,
        labelNames: [label, 'outcome'],
        buckets,
        registers,
      }),
    ]),
  ) as Record<WorkKind, Histogram>;
  const counters = Object.fromEntries(
    Object.entries(counted).map(([what, { name, help, label }]) => [
      what,
      new Counter({
        name: `lingualoop_${name}`,
        help,
        labelNames: what === 'jobs' ? ['kind', label] : [label],
        registers,
      }),
    ]),
  ) as Record<Counted, Counter>;
  const readGauges = registerGauges(registry, sources);

  return {
    meter: {
      duration: (kind, name, ok, seconds) =>
        histograms[kind].observe({ [durations[kind].label]: name, outcome: ok ? 'ok' : 'failed' }, seconds),
      count(what, label, by) {
        if (what !== 'jobs') return counters[what].inc({ [counted[what].label]: label }, by);
        const [kind = '', state = ''] = label.split(' ');
        counters.jobs.inc({ kind, state }, by);
      },
    },
    request({ method: given, route, procedure, status, seconds }) {
      const method = methods.has(given) ? given : 'other';
      requests.inc({ method, route, procedure, status });
      latencies.observe({ method, route, procedure }, seconds);
    },
    async print() {
      await readGauges();
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

/**
 * Registers metrics that show a current state, not a count of events.
 * @returns a function that reads all these states; called at each scrape
 */
function registerGauges(
  registry: Registry,
  { pools, engineCalls, files, queue }: MetricSources,
): () => Promise<void> {
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name: `lingualoop_${name}`, help, labelNames, registers: [registry] });
  const connections = gauge('db_connections', 'Database connections of a pool.', ['pool', 'state']);
  const poolSizes = gauge('db_pool_size', 'The maximum number of database connections of a pool.', ['pool']);
  const poolWaits = gauge('db_pool_waiting', 'Transactions that are waiting for a database connection.', [
    'pool',
  ]);
  const slots = gauge('engine_slots', 'Running and queued model calls.', ['state']);
  const sandboxTasks = gauge('sandbox_tasks', 'Running and queued tasks of the sandbox.', ['queue', 'state']);
  const sandboxProcesses = gauge('sandbox_processes', 'Child processes of the sandbox.', []);
  const databaseUp = gauge('db_up', 'Whether the database responds.', []);
  const queued = gauge('queue_jobs', 'Background jobs in the queue. At most a million are counted.', [
    'task',
    'state',
  ]);
  const oldest = gauge(
    'queue_oldest_seconds',
    'Seconds for which the oldest background job that is ready to run has been waiting.',
    ['task'],
  );
  const unfinished = gauge(
    'unfinished_jobs',
    'Unfinished translation jobs. At most 10000 are counted per state.',
    ['kind', 'state'],
  );
  const held = gauge(
    'documents_waiting',
    'Documents that are retried after an outage. At most 10000 are counted.',
    ['reason'],
  );
  const heldFor = gauge(
    'documents_waiting_seconds',
    'Seconds for which the oldest of these documents has been waiting.',
    ['reason'],
  );

  return async () => {
    for (const [pool, read] of pools) {
      const { size, inUse, idle, waiting } = read();
      connections.set({ pool, state: 'in_use' }, inUse);
      connections.set({ pool, state: 'idle' }, idle);
      poolSizes.set({ pool }, size);
      poolWaits.set({ pool }, waiting);
    }
    const calls = engineCalls?.() ?? { running: 0, waiting: 0 };
    slots.set({ state: 'in_use' }, calls.running);
    slots.set({ state: 'waiting' }, calls.waiting);
    const { queues, processes } = files();
    for (const [name, { running, waiting }] of Object.entries(queues)) {
      sandboxTasks.set({ queue: name, state: 'running' }, running);
      sandboxTasks.set({ queue: name, state: 'waiting' }, waiting);
    }
    sandboxProcesses.set(processes);
    for (const each of [queued, oldest, unfinished, held, heldFor]) each.reset();
    const state = await queue().catch(() => null);
    databaseUp.set(state ? 1 : 0);
    for (const { task, waiting, running, failed, oldestSeconds } of state?.tasks ?? []) {
      queued.set({ task, state: 'waiting' }, waiting);
      queued.set({ task, state: 'running' }, running);
      queued.set({ task, state: 'failed' }, failed);
      oldest.set({ task }, oldestSeconds);
    }
    for (const { reason, documents, longestSeconds } of state?.outages ?? []) {
      held.set({ reason }, documents);
      heldFor.set({ reason }, longestSeconds);
    }
    for (const { kind, status, jobs } of state?.jobs ?? []) unfinished.set({ kind, state: status }, jobs);
  };
}
