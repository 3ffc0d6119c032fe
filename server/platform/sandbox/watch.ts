import { Worker } from 'node:worker_threads';

/** An order that the service gives to its watchdog. */
export type WatchOrder =
  | {
      kind: 'watch';
      /** The id of the process to measure. */
      pid: number;
      /**
       * The id of the process to kill: the measured one or, if it is in a namespace, the first process of that
       * namespace, with which all others end.
       */
      pidToKill: number;
      /** Maximum bytes of memory of the process. */
      memoryBytes: number;
      /** Maximum milliseconds of CPU time of the process from now on. */
      cpuMs: number;
      /** Memory in which the watchdog stores why it ended the process. */
      verdict: Int32Array<SharedArrayBuffer>;
    }
  | { kind: 'unwatch'; pid: number };

/** The reasons why the watchdog ends a process. `unwatched` means that there is no watchdog. */
export const verdicts = { none: 0, memory: 1, time: 2, unwatched: 3 } as const;

let watchdog: Worker | undefined;
/** The processes that run a task, by process id. */
const watched = new Map<number, Extract<WatchOrder, { kind: 'watch' }>>();

/** Sends an order to the watchdog of this process. The first order starts the watchdog. */
export function orderWatchdog(order: WatchOrder): void {
  if (order.kind === 'watch') watched.set(order.pid, order);
  else if (!watched.delete(order.pid)) return;
  watchdog ??= startWatchdog();
  watchdog.postMessage(order);
}

function startWatchdog(): Worker {
  const started = new Worker(new URL('./watchdog.ts', import.meta.url), {
    // The watchdog needs neither the environment nor the service's flags.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
  });
  /**
   * Called if the watchdog ends, for example because of a lack of resources. Tasks must not run without a watchdog,
   * so their processes are ended.
   */
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

/** Ends a process, after storing the reason in `verdict`. */
export function endProcess(pid: number, verdict: Int32Array<SharedArrayBuffer>, reason: number): void {
  Atomics.store(verdict, 0, reason);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
