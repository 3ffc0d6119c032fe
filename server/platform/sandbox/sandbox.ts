import { type CurrentIsolation, type Isolation, systemIsolation } from './isolation.ts';
import { type PieceSink, PieceStream } from './piece-stream.ts';
import { SandboxError } from './sandbox-error.ts';
import { type Assignment, type ChildOptions, TaskProcess } from './task-process.ts';
import type { Payload, Piece, Result, TaskRegistry } from './tasks.ts';

/** The limits of one task. Their defaults are options of the sandbox. */
export interface RunLimits {
  /** Maximum milliseconds from the start of the task; the time in the queue does not count. */
  timeMs?: number | undefined;
  /** Maximum milliseconds of CPU time, summed over all threads of the task's process. */
  cpuMs?: number | undefined;
  /** Maximum bytes of memory of the task's process, including about 70 MB for the runtime. */
  memoryBytes?: number | undefined;
  /** Aborts the task, even if it is still queued. `run` then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface SandboxOptions {
  /** Maximum processes, and therefore maximum concurrent tasks. */
  processes?: number;
  /** Maximum queued tasks. */
  queued?: number;
  timeMs?: number;
  cpuMs?: number;
  memoryBytes?: number;
  /** Maximum bytes of the JavaScript heap of a process, in addition to the limit `memoryBytes`. */
  heapBytes?: number;
  /** Maximum bytes of one result. */
  resultBytes?: number;
  /** Number of tasks after which a process is replaced. */
  tasksPerProcess?: number;
  /** If a process uses more bytes of memory than this after a task, it is not used again. */
  keptBytes?: number;
  /** Milliseconds after which a process without a task is ended. */
  idleMs?: number;
  /** The isolation of the processes. */
  isolation?: CurrentIsolation;
}

const defaults = {
  processes: 2,
  queued: 64,
  timeMs: 30_000,
  cpuMs: 30_000,
  memoryBytes: 512 * 2 ** 20,
  heapBytes: 1024 * 2 ** 20,
  resultBytes: 128 * 2 ** 20,
  tasksPerProcess: 100,
  keptBytes: 300 * 2 ** 20,
  idleMs: 30_000,
  isolation: systemIsolation,
} as const satisfies Required<SandboxOptions>;

/** A process that has completed a task and may run another one. */
interface ReusableProcess {
  process: TaskProcess;
  tasksRun: number;
  idleTimer?: NodeJS.Timeout;
}

/** A task that waits for a process. */
interface Waiting {
  start(): void;
  reject(reason: unknown): void;
}

/** Runs the tasks of a registry in child processes, which are started when needed and used again. */
export class Sandbox<R extends TaskRegistry> {
  readonly #registry: URL;
  readonly #options: Required<SandboxOptions>;
  readonly #readable: readonly URL[];
  readonly #alive = new Set<TaskProcess>();
  readonly #idle: ReusableProcess[] = [];
  readonly #waiting = new Set<Waiting>();
  #busy = 0;
  #closed = false;

  /**
   * @param registry a module that exports `tasks`
   * @param readable files and directories that the processes may read, in addition to their own code
   */
  constructor(registry: URL, options: SandboxOptions = {}, readable: readonly URL[] = []) {
    this.#registry = registry;
    this.#options = { ...defaults, ...options };
    this.#readable = readable;
  }

  /** The ids of the existing processes. */
  get processIds(): number[] {
    return [...this.#alive].flatMap(({ pid }) => pid ?? []);
  }

  /**
   * Runs a task.
   *
   * @throws {SandboxError} if the task gave no result; the reason of `limits.signal` if it aborts
   */
  run<N extends keyof R & string>(
    task: N,
    payload: Payload<R, N>,
    limits: RunLimits = {},
  ): Promise<Result<R, N>> {
    return this.#run(task, payload, limits) as Promise<Result<R, N>>;
  }

  /**
   * Runs a task whose result consists of pieces, and passes the pieces to `take`. If `take` is slow, the task is
   * paused; pauses do not count as time of the task. If `take` ends before the last piece, the task is ended.
   *
   * @returns the result of `take`
   * @throws {SandboxError} when pieces are read, if the task failed; the reason of `limits.signal` if it aborts
   */
  async stream<N extends keyof R & string, T>(
    task: N,
    payload: Payload<R, N>,
    limits: RunLimits,
    take: (pieces: AsyncIterableIterator<Piece<R, N>, void>) => Promise<T>,
  ): Promise<T> {
    const pieces = new PieceStream();
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, ...(limits.signal ? [limits.signal] : [])]);
    const ran = this.#run(task, payload, { ...limits, signal }, pieces).then(
      () => pieces.end({}),
      (failure: unknown) => pieces.end({ failure }),
    );
    try {
      return await take(pieces as AsyncIterableIterator<Piece<R, N>, void>);
    } finally {
      // Ends the task if `take` has ended early; has no effect on a completed task.
      enough.abort();
      await ran;
    }
  }

  /** Ends all processes. Running and queued tasks fail with `closed`. Resolves when the processes have exited. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.reject(closed());
    this.#waiting.clear();
    for (const { idleTimer } of this.#idle.splice(0)) clearTimeout(idleTimer);
    const processes = [...this.#alive];
    for (const process of processes) process.end(closed());
    await Promise.all(processes.map(({ exited }) => exited));
  }

  async #run(task: string, payload: unknown, limits: RunLimits, pieces?: PieceSink): Promise<unknown> {
    const {
      timeMs = this.#options.timeMs,
      cpuMs = this.#options.cpuMs,
      memoryBytes = this.#options.memoryBytes,
      signal,
    } = limits;
    signal?.throwIfAborted();
    await this.#takeSlot(signal);
    try {
      return await this.#runInSlot({ task, payload, timeMs, cpuMs, memoryBytes, signal, pieces });
    } finally {
      this.#releaseSlot();
    }
  }

  /** Waits until the next task may run. */
  async #takeSlot(signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) throw closed();
    if (this.#busy < this.#options.processes) {
      this.#busy++;
      return;
    }
    if (this.#waiting.size >= this.#options.queued)
      throw new SandboxError('busy', `${this.#waiting.size} tasks are waiting already`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { start: resolve, reject: reject };
    const abort = (): void => {
      this.#waiting.delete(waiting);
      reject(signal?.reason);
    };
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Gives the slot to the task that has waited longest. */
  #releaseSlot(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#busy--;
      return;
    }
    this.#waiting.delete(next);
    next.start();
  }

  async #runInSlot(assignment: Assignment): Promise<unknown> {
    const isolation = await this.#options.isolation.get();
    if (this.#closed) throw closed();
    assignment.signal?.throwIfAborted();
    const kept = this.#idle.pop() ?? { process: this.#start(isolation), tasksRun: 0 };
    clearTimeout(kept.idleTimer);
    try {
      const { result, residentBytes } = await kept.process.run(assignment);
      kept.tasksRun++;
      if (kept.tasksRun < this.#options.tasksPerProcess && residentBytes <= this.#options.keptBytes)
        this.#keep(kept);
      else await this.#dismiss(kept.process);
      return result;
    } catch (error) {
      // Wait until the process has exited before freeing the slot, so that the limits for processes and memory are
      // not exceeded.
      await this.#dismiss(kept.process);
      if (error instanceof SandboxError && error.reason === 'not_started') this.#options.isolation.redetect();
      const mayBeOlder = error instanceof SandboxError && error.reason === 'crashed' && kept.tasksRun > 0;
      // A process that was used before may have ended because of an earlier task or for another reason. Run the task
      // again in a new process.
      if (mayBeOlder && !assignment.pieces?.begun) return await this.#runInSlot(assignment);
      throw error;
    }
  }

  #start(isolation: Isolation): TaskProcess {
    const { heapBytes, resultBytes } = this.#options;
    const process = startProcess({
      registry: this.#registry,
      readable: this.#readable,
      heapBytes,
      resultBytes,
      isolation,
    });
    this.#alive.add(process);
    void process.exited.then(() => {
      this.#alive.delete(process);
      this.#forget(process);
    });
    return process;
  }

  #keep(kept: ReusableProcess): void {
    if (this.#closed) return;
    kept.idleTimer = setTimeout(() => {
      this.#forget(kept.process);
      void this.#dismiss(kept.process);
    }, this.#options.idleMs);
    kept.idleTimer.unref();
    this.#idle.push(kept);
  }

  /** Removes a process that is about to end from the list of idle processes. */
  #forget(process: TaskProcess): void {
    const index = this.#idle.findIndex((kept) => kept.process === process);
    if (index >= 0) clearTimeout(this.#idle.splice(index, 1)[0]!.idleTimer);
  }

  #dismiss(process: TaskProcess): Promise<void> {
    process.end(closed());
    return process.exited;
  }
}

function startProcess(options: ChildOptions): TaskProcess {
  try {
    return new TaskProcess(options);
  } catch (cause) {
    // The system has no free memory. Other failures to start are reported by events of the process.
    throw new SandboxError('not_started', 'the process of a task could not be started', { cause });
  }
}

function closed(): SandboxError {
  return new SandboxError('closed', 'the sandbox was closed');
}
