import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList, type Worker, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import type { Log } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';

/** Milliseconds between two looks at a runner's workers. */
const lookEvery = 1000;
/** Looks after which a worker that neither runs a job nor asks for one counts as stuck. They ask every two seconds. */
const patience = 10;
/** Looks between two questions to the database, for a runner whose workers are all at a job and ask nothing. */
const probeEvery = 5;
/** Milliseconds that a runner's own bookkeeping may take after its last job, before it is left alone. */
const lastWords = 5000;

/** One pool of graphile-worker's workers, with connections of its own. */
export interface QueueRunner {
  /** What it takes is locked in this name. */
  readonly poolId: string;
  /** Resolves with the reason when it cannot be relied on any more: what it has locked, and what it has ended, is not certain. */
  readonly failed: Promise<unknown>;
  /** Whether it has reached the database lately. */
  reaches(): boolean;
  /** Takes no more jobs, waits for those that run, and closes the connections, whatever the package makes of it. */
  end(): Promise<void>;
}

export interface QueueRunnerOptions {
  databaseUrl: string;
  /** Jobs at a time. */
  concurrency: number;
  tasks: TaskList;
  log: Log;
}

/**
 * Starts workers. Rejects where the database cannot be reached.
 *
 * Any failure of a statement of theirs is the end of them: a statement that locked or ended a job may have been carried out although its
 * answer was lost, and graphile-worker's batcher, once two of its batches have failed, never ends (decision 35).
 */
export async function startQueueRunner({
  databaseUrl,
  concurrency,
  tasks,
  log,
}: QueueRunnerOptions): Promise<QueueRunner> {
  const connections = openConnections(databaseUrl, concurrency, log);
  const failure = Promise.withResolvers<unknown>();
  const underWay = new Set<Promise<unknown>>();
  const events: WorkerEvents = new EventEmitter();
  let poolId = '';
  events.on('pool:create', ({ workerPool }) => {
    poolId = workerPool.id;
  });
  const watch = watchWorkers(events, connections.pool, failure.resolve);
  let runner: Runner;
  try {
    runner = await run({
      pgPool: connections.pool,
      concurrency,
      noHandleSignals: true,
      pollInterval: 2000,
      taskList: following(tasks, underWay),
      events,
      // Without a batch, the package leaves the promise of a job's end to itself: a database that is lost just then would be an
      // unhandled rejection, and nobody would hear that the job is still locked. With it, it is an event.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: new Logger(() => (level, message) => {
        if (level === 'error' || level === 'warning') log.warn({ source: 'graphile-worker' }, message);
      }),
    });
  } catch (error) {
    watch.stop();
    await connections.close();
    throw error;
  }
  runner.promise.then(() => failure.resolve(new Error('the workers ended')), failure.resolve);

  return {
    poolId,
    failed: failure.promise,
    reaches: watch.reaches,
    async end() {
      watch.stop();
      const stopped = runner.stop().catch(() => {});
      while (underWay.size > 0) await Promise.allSettled(underWay);
      const enough = new AbortController();
      await Promise.race([stopped, delay(lastWords, undefined, { signal: enough.signal }).catch(() => {})]);
      enough.abort();
      await connections.close();
    },
  };
}

/** Connections that are a runner's own, so that they end with it. */
function openConnections(connectionString: string, concurrency: number, log: Log) {
  const open = new Set<pg.PoolClient>();
  const pool = new pg.Pool({
    connectionString,
    application_name: 'lingualoop queue',
    // One to listen, one for each job's bookkeeping.
    max: concurrency + 1,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const heard = (error: Error) =>
    log.warn({ error: describeForLog(error) }, 'a connection of the job queue was lost');
  pool.on('error', heard);
  pool.on('connect', (client) => {
    open.add(client);
    client.on('error', heard);
  });
  pool.on('remove', (client) => open.delete(client));
  return {
    pool,
    /** One whose holder never gives it back, or whose server no longer answers, is cut off. */
    async close() {
      const ended = pool.end();
      await Promise.race([ended, delay(1000)]);
      for (const client of open) client.end().catch(() => {});
      await Promise.race([ended, delay(1000)]);
    },
  };
}

/** Tells the first sign that something is wrong, and remembers when the database last answered. */
function watchWorkers(events: WorkerEvents, pool: pg.Pool, fail: (reason: unknown) => void) {
  /** Looks since each worker that has no job was last heard of. */
  const silence = new Map<Worker, number>();
  let unanswered = 0;
  const heardOf = (worker: Worker) => silence.set(worker, 0);
  events.on('worker:create', ({ worker }) => heardOf(worker));
  events.on('worker:getJob:start', ({ worker }) => heardOf(worker));
  events.on('worker:getJob:empty', ({ worker }) => heardOf(worker));
  events.on('job:start', ({ worker }) => silence.delete(worker));
  events.on('job:complete', ({ worker }) => heardOf(worker));
  events.on('worker:stop', ({ worker }) => silence.delete(worker));
  events.on('worker:getJob:error', ({ error }) => fail(error));
  events.on('worker:fatalError', ({ error }) => fail(error));
  events.on('pool:fatalError', ({ error }) => fail(error));

  let looks = 0;
  // Looks are counted, not milliseconds: a process that was busy or asleep for long has not looked, and nobody was silent.
  const timer = setInterval(() => {
    looks += 1;
    unanswered += 1;
    if (looks % probeEvery === 0)
      pool.query('select 1').then(() => {
        unanswered = 0;
      }, fail);
    for (const [worker, since] of silence) silence.set(worker, since + 1);
    if (unanswered > patience + probeEvery || Math.max(0, ...silence.values()) > patience)
      fail(new Error('the workers have not moved for a while'));
  }, lookEvery);
  return {
    reaches: () => unanswered <= patience + probeEvery,
    stop: () => clearInterval(timer),
  };
}

/** The tasks, each remembered while it runs. */
function following(tasks: TaskList, underWay: Set<Promise<unknown>>): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (...given: Parameters<NonNullable<typeof task>>) => {
        const work = Promise.resolve(task?.(...given));
        underWay.add(work);
        try {
          await work;
        } finally {
          underWay.delete(work);
        }
      },
    ]),
  );
}
