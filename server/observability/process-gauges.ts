import { Gauge, type Registry } from 'prom-client';
import type { PoolState } from '#db/client.ts';

/** The current state of this process. */
export interface ProcessState {
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
export function registerProcessGauges(
  registry: Registry,
  { pools, engineCalls, files }: ProcessState,
): () => void {
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
