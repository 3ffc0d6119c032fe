import { type CurrentBarrier, networkBarrier } from './network-namespace-seccomp.ts';
import { Pool } from './pool.ts';
import type { Payload, Piece, Result, TaskRegistry, tasks } from './tasks.ts';

/** What one task may take; what is not given is as the sandbox has it. */
export interface RunLimits {
  /** Milliseconds from its start, waiting not counted. */
  timeMs?: number | undefined;
  /** Milliseconds of CPU time, all threads of its process together. */
  cpuMs?: number | undefined;
  /** Bytes of memory of its process, the runtime's own some 70 MB included. */
  memoryBytes?: number | undefined;
  /** Ends the task, or its waiting; `run` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface SandboxOptions {
  /** How many processes there are at most: tasks that run at a time. */
  processes?: number;
  /** How many tasks may wait for a process. */
  queued?: number;
  timeMs?: number;
  cpuMs?: number;
  memoryBytes?: number;
  /** Bytes of the JavaScript heap of a process: the second line, behind `memoryBytes`. */
  heapBytes?: number;
  /** Bytes of one answer. */
  answerBytes?: number;
  /** How many tasks a process runs before another takes its place. */
  tasksPerProcess?: number;
  /** Bytes of memory with which a process is not kept for a next task. */
  keptBytes?: number;
  /** Milliseconds after which a process without a task is ended. */
  idleMs?: number;
  /** What keeps the network from its processes. */
  network?: CurrentBarrier;
}

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
