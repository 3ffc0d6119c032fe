import { Worker } from 'node:worker_threads';

/** An order of the service to its watchdog. */
export type WatchOrder =
  | {
      kind: 'watch';
      /** The process to measure. */
      pid: number;
      /** The process to kill: the measured one, or the first of its namespace, which ends the measured one. */
      pidToKill: number;
      /** Bytes of memory that the process may use. */
      memoryBytes: number;
      /** Milliseconds of CPU time that it may use from now on. */
      cpuMs: number;
      /** The watchdog writes here why it ended the process. */
      verdict: Int32Array<SharedArrayBuffer>;
    }
  | { kind: 'unwatch'; pid: number };

/** Why the watchdog ended a process; `unwatched` if there is no watchdog. */
export const verdicts = { none: 0, memory: 1, time: 2, unwatched: 3 } as const;

let watchdog: Worker | undefined;
/** The processes with a task, by their id. */
const watched = new Map<number, Extract<WatchOrder, { kind: 'watch' }>>();

/** Sends an order to the watchdog of this process, which starts with the first order. */
export function orderWatchdog(order: WatchOrder): void {
  if (order.kind === 'watch') watched.set(order.pid, order);
  else if (!watched.delete(order.pid)) return;
  watchdog ??= startWatchdog();
  watchdog.postMessage(order);
}

function startWatchdog(): Worker {
  const started = new Worker(new URL('./watchdog.ts', import.meta.url), {
    // It does not need the environment or the service's flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  /** Called when the watchdog ends, for example for lack of resources. No task runs unwatched, so their processes are ended. */
  const forget = (): void => {
    if (watchdog !== started) return;
    watchdog = undefined;
    for (const { pidToKill, verdict } of watched.values()) endProcess(pidToKill, verdict, verdicts.unwatched);
    watched.clear();
  };
  started.on('error', forget);
  started.on('exit', forget);
  started.unref();
  return started;
}

/** Ends a process. Writes the verdict first. */
export function endProcess(pid: number, verdict: Int32Array<SharedArrayBuffer>, reason: number): void {
  Atomics.store(verdict, 0, reason);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
