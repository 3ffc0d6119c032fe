import { type Assignment, TaskProcess } from './child-process.ts';
import { SandboxError } from './error.ts';
import type { Payload, Result, TaskRegistry } from './registry.ts';
import type { tasks } from './tasks.ts';

/** What one task may take; what is not given is as the sandbox has it. */
export interface RunLimits {
  /** Milliseconds from its start, waiting not counted. */
  wallMs?: number | undefined;
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
  wallMs?: number;
  memoryBytes?: number;
  /** Bytes of one answer. */
  answerBytes?: number;
  /** How many tasks a process runs before another takes its place. */
  tasksPerProcess?: number;
  /** Bytes of memory with which a process is not kept for a next task. */
  keptBytes?: number;
  /** Milliseconds after which a process without a task is ended. */
  idleMs?: number;
}

/** Runs the tasks of a registry in processes of their own. */
export interface Sandbox<R extends TaskRegistry> {
  /**
   * Runs a task.
   *
   * @throws {SandboxError} where it gave no result, or the reason of `limits.signal`
   */
  run<N extends keyof R & string>(task: N, payload: Payload<R, N>, limits?: RunLimits): Promise<Result<R, N>>;
  /** Ends all processes, and what they run and what waits with `closed`. Settles when they are gone. */
  close(): Promise<void>;
  /** The processes there are now. */
  readonly processIds: number[];
}

const defaults = {
  processes: 2,
  queued: 64,
  wallMs: 30_000,
  memoryBytes: 512 * 2 ** 20,
  answerBytes: 128 * 2 ** 20,
  tasksPerProcess: 100,
  keptBytes: 256 * 2 ** 20,
  idleMs: 30_000,
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
    close: () => pool.close(),
    get processIds() {
      return pool.processIds;
    },
  };
}

/** A process between two tasks. */
interface Kept {
  process: TaskProcess;
  tasksRun: number;
  idleTimer?: NodeJS.Timeout;
}

/** A task that waits: called with a place for a process, or with what ends the waiting. */
interface Waiting {
  start(): void;
  refuse(reason: unknown): void;
}

class Pool {
  readonly #registry: URL;
  readonly #options: Required<SandboxOptions>;
  readonly #readable: readonly URL[];
  readonly #alive = new Set<TaskProcess>();
  readonly #idle: Kept[] = [];
  readonly #waiting = new Set<Waiting>();
  #busy = 0;
  #closed = false;

  constructor(registry: URL, options: Required<SandboxOptions>, readable: readonly URL[]) {
    this.#registry = registry;
    this.#options = options;
    this.#readable = readable;
  }

  get processIds(): number[] {
    return [...this.#alive].flatMap(({ pid }) => pid ?? []);
  }

  async run(task: string, payload: unknown, limits: RunLimits): Promise<unknown> {
    const { wallMs = this.#options.wallMs, signal } = limits;
    const memoryBytes = Math.min(limits.memoryBytes ?? Number.POSITIVE_INFINITY, this.#options.memoryBytes);
    signal?.throwIfAborted();
    await this.#place(signal);
    try {
      return await this.#runInPlace({ task, payload, wallMs, memoryBytes, signal });
    } finally {
      this.#leave();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiting of this.#waiting) waiting.refuse(closed());
    this.#waiting.clear();
    for (const { idleTimer } of this.#idle.splice(0)) clearTimeout(idleTimer);
    const processes = [...this.#alive];
    for (const process of processes) process.end(closed());
    await Promise.all(processes.map(({ exited }) => exited));
  }

  /** Waits until one task less runs than may. */
  async #place(signal: AbortSignal | undefined): Promise<void> {
    if (this.#closed) throw closed();
    if (this.#busy < this.#options.processes) {
      this.#busy++;
      return;
    }
    if (this.#waiting.size >= this.#options.queued)
      throw new SandboxError('busy', `${this.#waiting.size} tasks are waiting already`);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { start: resolve, refuse: reject };
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

  /** Gives the place to who waits longest. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#busy--;
      return;
    }
    this.#waiting.delete(next);
    next.start();
  }

  async #runInPlace(assignment: Assignment): Promise<unknown> {
    if (this.#closed) throw closed();
    assignment.signal?.throwIfAborted();
    const kept = this.#idle.pop() ?? { process: this.#start(), tasksRun: 0 };
    clearTimeout(kept.idleTimer);
    try {
      const { result, residentBytes } = await kept.process.run(assignment);
      kept.tasksRun++;
      if (kept.tasksRun < this.#options.tasksPerProcess && residentBytes <= this.#options.keptBytes)
        this.#keep(kept);
      else await this.#dismiss(kept.process);
      return result;
    } catch (error) {
      // Gone before its place is given away: no more processes than were asked for, nor their memory.
      await this.#dismiss(kept.process);
      const mayBeOlder = error instanceof SandboxError && error.reason === 'crashed' && kept.tasksRun > 0;
      // A process that was kept may have been ended from outside since, or by what an earlier task left behind.
      if (mayBeOlder) return await this.#runInPlace(assignment);
      throw error;
    }
  }

  #start(): TaskProcess {
    const { memoryBytes, answerBytes } = this.#options;
    const process = new TaskProcess({
      registry: this.#registry,
      readable: this.#readable,
      heapBytes: memoryBytes,
      answerBytes,
    });
    this.#alive.add(process);
    void process.exited.then(() => {
      this.#alive.delete(process);
      const idle = this.#idle.findIndex((kept) => kept.process === process);
      if (idle >= 0) clearTimeout(this.#idle.splice(idle, 1)[0]!.idleTimer);
    });
    return process;
  }

  #keep(kept: Kept): void {
    if (this.#closed) return;
    kept.idleTimer = setTimeout(() => void this.#dismiss(kept.process), this.#options.idleMs);
    kept.idleTimer.unref();
    this.#idle.push(kept);
  }

  #dismiss(process: TaskProcess): Promise<void> {
    process.end(closed());
    return process.exited;
  }
}

function closed(): SandboxError {
  return new SandboxError('closed', 'the sandbox was closed');
}
