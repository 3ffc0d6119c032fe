import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger, type Runner, run, type TaskList, type Worker, type WorkerEvents } from 'graphile-worker';
import pg from 'pg';
import { endUnconfirmed, lossSettings } from '#db/client.ts';
import type { Pooler } from '#db/pooler.ts';
import { queueUrl } from '#db/queue-url.ts';
import { describeForLog } from '#server/errors.ts';
import type { Log } from '#server/platform/log.ts';

/** Milliseconds between two checks of a runner's workers. */
const checkEvery = 1000;
/**
 * A worker that for this many checks neither runs a job nor polls for one counts as stuck. Workers poll every two
 * seconds.
 */
const patience = 10;
/**
 * Every fifth check sends a query to the database. It detects a lost connection while all workers run jobs and none
 * polls.
 */
const probeEvery = 5;
/** Milliseconds that an ending runner may take to finish its bookkeeping and to get the reply to its last poll. */
const stopGrace = 5000;

/** A pool of graphile-worker workers with its own connections. */
export interface QueueRunner {
  /** The name of this runner in the locks of jobs. */
  readonly poolId: string;
  /**
   * Resolves with a reason when the runner has become unreliable, that is, when it is uncertain which jobs it has
   * locked or completed.
   */
  readonly failed: Promise<unknown>;
  /** Whether the runner has reached the database recently. */
  reaches(): boolean;
  /**
   * Takes no more jobs and waits for those that are running or being taken. Then closes the connections, even if
   * graphile-worker does not end.
   */
  end(): Promise<void>;
}

interface QueueRunnerOptions {
  databaseUrl: string;
  /** For all statements except LISTEN, which needs its own session. */
  pooler?: Pooler | undefined;
  /** Maximum jobs that run at the same time. */
  concurrency: number;
  tasks: TaskList;
  log: Log;
}

/**
 * Starts workers. Rejects if the database cannot be reached.
 *
 * The runner fails at the first failed statement, for two reasons: the statement may have locked or completed a job
 * although its reply was lost, and graphile-worker's batcher never ends after two of its batches have failed
 * (decision 6).
 */
export async function startQueueRunner({
  databaseUrl,
  pooler,
  concurrency,
  tasks,
  log,
}: QueueRunnerOptions): Promise<QueueRunner> {
  const connections = openConnections(databaseUrl, pooler, concurrency, log);
  const failure = Promise.withResolvers<unknown>();
  const inFlight = new Set<Promise<unknown>>();
  let closed = false;
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
      taskList: trackInFlight(tasks, inFlight, () => closed),
      events,
      // Enable batches. Without them, graphile-worker does not await the promise that completes a job: if the
      // connection to the database were lost at that moment, there would be an unhandled rejection and the job would
      // stay locked unnoticed. With batches, the loss is an event.
      preset: {
        worker: {
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
          preparedStatements: pooler?.kind !== 'unprepared',
        },
      },
      logger: new Logger(() => (level, message) => {
        if (level === 'error' || level === 'warning') log.warn({ source: 'graphile-worker' }, message);
      }),
    });
  } catch (error) {
    watch.stop();
    await connections.close();
    throw error;
  }
  runner.promise.then(() => failure.resolve(new Error('the job workers stopped')), failure.resolve);

  return {
    poolId,
    failed: failure.promise,
    reaches: watch.reaches,
    async end() {
      watch.stop();
      const stopped = runner.stop().catch(() => {});
      do {
        while (inFlight.size > 0) await Promise.allSettled(inFlight);
        const enough = new AbortController();
        await Promise.race([stopped, delay(stopGrace, undefined, { signal: enough.signal }).catch(() => {})]);
        enough.abort();
        // Repeat: a worker that polled before the stop may still get a job, and runs it.
      } while (inFlight.size > 0);
      closed = true;
      await connections.close();
    },
  };
}

type Connected = Parameters<Parameters<pg.Pool['connect']>[0]>;

/**
 * A pool for graphile-worker, whose connection for notifications comes from another pool: only graphile-worker's request
 * for that one has a callback. This connection can be released twice. graphile-worker does so if it is lost while it
 * stops, and `pg` would reject the second release where nothing can catch the error.
 */
class QueuePool extends pg.Pool {
  readonly #listening: pg.Pool;

  constructor(options: pg.PoolConfig, listening: pg.Pool) {
    super(options);
    this.#listening = listening;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: (...connected: Connected) => void): void;
  override connect(callback?: (...connected: Connected) => void): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect();
    this.#listening.connect((error, client, release) => {
      // The pool passes no `release` with an error.
      if (error) return callback(error, client, release);
      let released = false;
      callback(error, client, (reason) => {
        if (!released) release(reason);
        released = true;
      });
    });
    return;
  }
}

/** Opens connections that belong to one runner and end with it. */
function openConnections(databaseUrl: string, pooler: Pooler | undefined, concurrency: number, log: Log) {
  const open = new Set<pg.PoolClient>();
  const setUp = async (client: pg.ClientBase) => {
    for (const setting of [...lossSettings, endUnconfirmed]) await client.query(setting).catch(() => {});
  };
  const optionsOf = (url: string, max: number): pg.PoolConfig => ({
    connectionString: queueUrl(url, 'lingualoop queue'),
    max,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const listening = new pg.Pool({ ...optionsOf(databaseUrl, 1), onConnect: setUp });
  const pool = new QueuePool(
    // A pooler has its own settings for the connections to PostgreSQL.
    { ...optionsOf(pooler?.url ?? databaseUrl, concurrency), ...(!pooler && { onConnect: setUp }) },
    listening,
  );
  const heard = (error: Error) =>
    log.warn({ error: describeForLog(error) }, 'a connection of the job queue was lost');
  for (const each of [pool, listening]) {
    each.on('error', heard);
    each.on('connect', (client) => {
      open.add(client);
      client.on('error', heard);
    });
    each.on('remove', (client) => open.delete(client));
  }
  return {
    pool,
    /** Closes the pool. Connections that are never released, or whose server does not respond, are cut off. */
    async close() {
      const ended = Promise.all([pool.end(), listening.end()]);
      await Promise.race([ended, delay(1000)]);
      for (const client of open) client.end().catch(() => {});
      await Promise.race([ended, delay(1000)]);
    },
  };
}

/** Calls `fail` at the first sign of a failure. Tracks when the database last responded. */
function watchWorkers(events: WorkerEvents, pool: pg.Pool, fail: (reason: unknown) => void) {
  /** For each worker without a job, the number of checks since its last event. */
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
  // Count checks, not milliseconds: while the process is busy or suspended, it makes no checks, so that no worker
  // seems stuck afterwards.
  const timer = setInterval(() => {
    looks += 1;
    unanswered += 1;
    if (looks % probeEvery === 0)
      pool
        .connect()
        .then((client) => client.query('select 1').finally(() => client.release()))
        .then(() => {
          unanswered = 0;
        }, fail);
    for (const [worker, since] of silence) silence.set(worker, since + 1);
    if (unanswered > patience + probeEvery || Math.max(0, ...silence.values()) > patience)
      fail(new Error('the job workers have made no progress for too long'));
  }, checkEvery);
  return {
    reaches: () => unanswered <= patience + probeEvery,
    stop: () => clearInterval(timer),
  };
}

/**
 * Wraps the tasks to track the running ones. A closed runner starts no task: its locks are about to be freed, so
 * another worker may run the job.
 */
function trackInFlight(tasks: TaskList, inFlight: Set<Promise<unknown>>, isClosed: () => boolean): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => [
      name,
      async (...given: Parameters<NonNullable<typeof task>>) => {
        if (isClosed()) throw new Error('the job workers have stopped');
        const work = Promise.resolve(task?.(...given));
        inFlight.add(work);
        try {
          await work;
        } finally {
          inFlight.delete(work);
        }
      },
    ]),
  );
}
