import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { PoolState } from '#db/client.ts';
import type { Counted, Meter, WorkKind } from '#server/platform/telemetry.ts';
import type { Settings } from '#server/settings.ts';
import { registerStateGauges, type StateReaders } from './state-gauges.ts';

interface MetricSources {
  /** The version of the service. */
  version: string;
  /** The models that are labels. The tokens of others are counted together. */
  models: readonly string[];
  /** Prices of models for a million tokens. */
  prices: Settings['MODEL_PRICES'];
  process: ProcessState;
}

/** The metrics of a process. */
export interface Metrics {
  meter: Meter;
  request(request: RequestSample): void;
  /** Adds metrics of the state of database and storage. Called once. */
  watchStates(readers: StateReaders): void;
  /** All metrics in Prometheus's text format. */
  print(): Promise<{ text: string; contentType: string }>;
}

/**
 * A request whose response has been sent. Each field that becomes a label has a fixed set of values: patterns of
 * routes, names of procedures.
 */
interface RequestSample {
  method: string;
  route: string;
  procedure: string;
  status: number;
  seconds: number;
  /** The part of `seconds` in which model calls were running or queued. */
  modelSeconds: number;
}

/**
 * Upper limits of the histogram's buckets, in seconds. A text job takes 5 ms with the stub; with a model it may take
 * a minute.
 */
const buckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** Upper limits of the buckets for the time that documents are queued, in seconds. */
const waitBuckets = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600, 10_800];
/** Procedures that translate texts during the request. */
const textProcedure = /^translations\.create/;
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

const counted: Record<Counted, { name: string; help: string; labels: readonly string[] }> = {
  engine_fallbacks: {
    name: 'engine_fallbacks_total',
    help: 'Model calls that the second endpoint got.',
    labels: ['reason'],
  },
  engine_retries: { name: 'engine_retries_total', help: 'Retries of model calls.', labels: ['reason'] },
  jobs: {
    name: 'jobs_total',
    help: 'Translation jobs that got this state in this process.',
    labels: ['kind', 'state'],
  },
  mails: {
    name: 'mails_total',
    help: 'Mails by the outcome of an attempt in this process: sent, deferred, dropped or failed.',
    labels: ['kind', 'state'],
  },
};

/** The label of tokens of a model that the settings do not name. Callers may name any model. */
const otherModel = 'other';

/**
 * Creates the metrics of this process. Their number is limited: no label contains an id, a text or anything else that
 * a caller chooses. The only exception is the IDs of the top workspaces, if METRICS asks for them.
 */
export function openMetrics(sources: MetricSources): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const counter = (name: string, help: string, labelNames: readonly string[]) =>
    new Counter({ name: `lingualoop_${name}`, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: readonly string[]) =>
    new Histogram({ name: `lingualoop_${name}_seconds`, help, labelNames, buckets, registers });

  const requests = counter('http_requests_total', 'HTTP requests by route, procedure and status.', [
    'method',
    'route',
    'procedure',
    'status',
  ]);
  const latencies = histogram(
    'http_request_duration',
    'Duration from the arrival of an HTTP request to the end of its response.',
    ['method', 'route', 'procedure'],
  );
  const ownLatencies = histogram(
    'text_own_duration',
    'Duration of successful requests that translate texts, without the time of model calls.',
    ['procedure'],
  );
  const documentWaits = new Histogram({
    name: 'lingualoop_document_wait_seconds',
    help: 'Duration from the submission of a document until its first run.',
    buckets: waitBuckets,
    registers,
  });
  const histograms = Object.fromEntries(
    Object.entries(durations).map(([kind, { help, label }]) => [
      kind,
      histogram(`${kind}_duration`, help, [label, 'outcome']),
    ]),
  ) as Record<WorkKind, Histogram>;
  const counters = Object.fromEntries(
    Object.entries(counted).map(([what, { name, help, labels }]) => [what, counter(name, help, labels)]),
  ) as Record<Counted, Counter>;
  const tokenCounter = counter('engine_tokens_total', 'Tokens of model calls, by the model in the request.', [
    'direction',
    'model',
  ]);
  const cost = counter(
    'engine_cost_total',
    'Cost of model calls, of models with a price in MODEL_PRICES and in its currency.',
    ['model'],
  );
  new Gauge({
    name: 'lingualoop_build_info',
    help: 'The version of the service. The value is 1.',
    labelNames: ['version'],
    registers,
  }).set({ version: sources.version }, 1);
  const showProcess = registerProcessGauges(registry, sources.process);
  let readStates = async () => {};
  const known = new Set(sources.models);
  const countTokens = (direction: 'input' | 'output', model: string, tokens: number) => {
    const price = sources.prices[model]?.[direction];
    const label = known.has(model) ? model : otherModel;
    tokenCounter.inc({ direction, model: label }, tokens);
    if (price !== undefined) cost.inc({ model: label }, (tokens * price) / 1_000_000);
  };

  return {
    meter: {
      duration: (kind, name, ok, seconds) =>
        histograms[kind].observe({ [durations[kind].label]: name, outcome: ok ? 'ok' : 'failed' }, seconds),
      count(what, label, by) {
        if (counted[what].labels.includes('reason')) return counters[what].inc({ reason: label }, by);
        const [kind = '', state = ''] = label.split(' ');
        counters[what].inc({ kind, state }, by);
      },
      tokens: countTokens,
      documentWait: (seconds) => documentWaits.observe(seconds),
    },
    request({ method: given, route, procedure, status, seconds, modelSeconds }) {
      const method = methods.has(given) ? given : 'other';
      requests.inc({ method, route, procedure, status });
      latencies.observe({ method, route, procedure }, seconds);
      if (status < 300 && textProcedure.test(procedure))
        ownLatencies.observe({ procedure }, Math.max(0, seconds - modelSeconds));
    },
    watchStates(readers) {
      readStates = registerStateGauges(registry, readers);
    },
    async print() {
      showProcess();
      await readStates();
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

/** The current state of this process. */
interface ProcessState {
  /** The connections of each pool, by the pool's name. */
  pools: ReadonlyMap<string, () => PoolState>;
  /** Returns the number of running and of queued model calls. Null without a model. */
  engineCalls: (() => { running: number; waiting: number }) | null;
  /** Returns the numbers of the sandbox's tasks for each queue, and the number of its processes. */
  files: () => { queues: Readonly<Record<string, { running: number; waiting: number }>>; processes: number };
}

/**
 * Registers metrics that show the current state of this process.
 * @returns a function that reads the state; called at each scrape
 */
function registerProcessGauges(registry: Registry, { pools, engineCalls, files }: ProcessState): () => void {
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

  return () => {
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
  };
}
