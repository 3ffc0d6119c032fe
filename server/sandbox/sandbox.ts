import { networkBarrier } from './network-namespace-seccomp.ts';
import { Pool, type RunLimits, type SandboxOptions } from './pool.ts';
import type { Payload, Piece, Result, TaskRegistry, tasks } from './tasks.ts';

/** Runs the tasks of a registry in processes of their own. */
export interface Sandbox<R extends TaskRegistry> {
  /**
   * Runs a task.
   *
   * @throws {SandboxError} where it gave no result, or the reason of `limits.signal`
   */
  run<N extends keyof R & string>(task: N, payload: Payload<R, N>, limits?: RunLimits): Promise<Result<R, N>>;
  /**
   * Runs a task that answers in pieces, and `take` with them. Whoever takes slowly slows it down, and the time does not count;
   * what is not taken to the end is ended with `take`.
   *
   * @returns what `take` does
   * @throws {SandboxError} from the pieces, where the task gave no more, or the reason of `limits.signal`
   */
  stream<N extends keyof R & string, T>(
    task: N,
    payload: Payload<R, N>,
    limits: RunLimits,
    take: (pieces: AsyncIterableIterator<Piece<R, N>, void>) => Promise<T>,
  ): Promise<T>;
  /** Ends all processes, and what they run and what waits with `closed`. Settles when they are gone. */
  close(): Promise<void>;
  /** The processes there are now. */
  readonly processIds: number[];
}

const defaults = {
  processes: 2,
  queued: 64,
  timeMs: 30_000,
  cpuMs: 30_000,
  memoryBytes: 512 * 2 ** 20,
  heapBytes: 1024 * 2 ** 20,
  answerBytes: 128 * 2 ** 20,
  tasksPerProcess: 100,
  keptBytes: 200 * 2 ** 20,
  idleMs: 30_000,
  network: networkBarrier,
} as const satisfies Required<SandboxOptions>;

/** A sandbox for the service's tasks. Processes are started when there is something to run. */
export function openSandbox(options: SandboxOptions = {}): Sandbox<typeof tasks> {
  return openSandboxOf<typeof tasks>(new URL('./tasks.ts', import.meta.url), options);
}

/**
 * A sandbox for the tasks that a module exports as `tasks`.
 *
 * @param readable what of the disk they may read beside the service's own code
 */
export function openSandboxOf<R extends TaskRegistry>(
  registry: URL,
  options: SandboxOptions = {},
  readable: readonly URL[] = [],
): Sandbox<R> {
  const pool = new Pool(registry, { ...defaults, ...options }, readable);
  return {
    run: (task, payload, limits = {}) => pool.run(task, payload, limits) as Promise<Result<R, typeof task>>,
    stream: (task, payload, limits, take) =>
      pool.stream(task, payload, limits, (pieces) =>
        take(pieces as AsyncIterableIterator<Piece<R, typeof task>, void>),
      ),
    close: () => pool.close(),
    get processIds() {
      return pool.processIds;
    },
  };
}
