import type { NetworkBarrier } from './network-namespace-seccomp.ts';
import { type PieceSink, Pieces } from './piece-stream.ts';
import type { RunLimits, SandboxOptions } from './sandbox.ts';
import { SandboxError } from './sandbox-error.ts';
import { type Assignment, type ChildOptions, TaskProcess } from './task-process.ts';

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

/** The processes of a sandbox, and who waits for one. */
export class Pool {
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

  async run(task: string, payload: unknown, limits: RunLimits, pieces?: PieceSink): Promise<unknown> {
    const {
      timeMs = this.#options.timeMs,
      cpuMs = this.#options.cpuMs,
      memoryBytes = this.#options.memoryBytes,
      signal,
    } = limits;
    signal?.throwIfAborted();
    await this.#place(signal);
    try {
      return await this.#runInPlace({ task, payload, timeMs, cpuMs, memoryBytes, signal, pieces });
    } finally {
      this.#leave();
    }
  }

  /** Runs a task that answers in pieces, for as long as they are taken. */
  async stream<T>(
    task: string,
    payload: unknown,
    limits: RunLimits,
    take: (pieces: AsyncIterableIterator<unknown, void>) => Promise<T>,
  ): Promise<T> {
    const pieces = new Pieces();
    const enough = new AbortController();
    const signal = AbortSignal.any([enough.signal, ...(limits.signal ? [limits.signal] : [])]);
    const ran = this.run(task, payload, { ...limits, signal }, pieces).then(
      () => pieces.end({}),
      (failure: unknown) => pieces.end({ failure }),
    );
    try {
      return await take(pieces);
    } finally {
      // Of a task that has ended, nothing is left to end.
      enough.abort();
      await ran;
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
    const network = await this.#options.network.get();
    if (this.#closed) throw closed();
    assignment.signal?.throwIfAborted();
    const kept = this.#idle.pop() ?? { process: this.#start(network), tasksRun: 0 };
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
      if (error instanceof SandboxError && error.reason === 'not_started') this.#options.network.renew();
      const mayBeOlder = error instanceof SandboxError && error.reason === 'crashed' && kept.tasksRun > 0;
      // A process that was kept may have been ended from outside since, or by what an earlier task left behind.
      if (mayBeOlder && !assignment.pieces?.begun) return await this.#runInPlace(assignment);
      throw error;
    }
  }

  #start(network: NetworkBarrier): TaskProcess {
    const { heapBytes, answerBytes } = this.#options;
    const process = startProcess({
      registry: this.#registry,
      readable: this.#readable,
      heapBytes,
      answerBytes,
      network,
    });
    this.#alive.add(process);
    void process.exited.then(() => {
      this.#alive.delete(process);
      this.#forget(process);
    });
    return process;
  }

  #keep(kept: Kept): void {
    if (this.#closed) return;
    kept.idleTimer = setTimeout(() => {
      this.#forget(kept.process);
      void this.#dismiss(kept.process);
    }, this.#options.idleMs);
    kept.idleTimer.unref();
    this.#idle.push(kept);
  }

  /** Nothing more is run in a process that is going. */
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
    // Memory was wanting; what else keeps it from starting is told later.
    throw new SandboxError('not_started', 'the process of a task could not be started', { cause });
  }
}

function closed(): SandboxError {
  return new SandboxError('closed', 'the sandbox was closed');
}
