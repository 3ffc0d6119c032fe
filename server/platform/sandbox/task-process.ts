import { type ChildProcess, spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { Duplex, finished } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { encodeFrame, FrameReader, type ReadFrame } from './frames.ts';
import type { Isolation } from './isolation.ts';
import type { PieceSink } from './piece-stream.ts';
import { childrenOf, hasProcFiles, readUsage } from './process-usage.ts';
import { channel, type ResponseHead, type TaskHead } from './protocol.ts';
import { SandboxError } from './sandbox-error.ts';
import { tellWatchdog, verdicts } from './watch.ts';

/** One task for a child. */
export interface Assignment extends TaskHead {
  payload: unknown;
  timeMs: number;
  /** Bytes of memory that the child may use. */
  memoryBytes: number;
  /** Milliseconds of CPU time for the task, all threads together. */
  cpuMs: number;
  signal: AbortSignal | undefined;
  /** Receives the pieces, for a task whose result comes in pieces. */
  pieces?: PieceSink | undefined;
}

export interface ChildOptions {
  /** Module that exports `tasks`. */
  registry: URL;
  /** Folders and files that a child may read besides its own code and the installed packages. */
  readable: readonly URL[];
  /** Bytes of its JavaScript heap. */
  heapBytes: number;
  /** Bytes of one result. */
  resultBytes: number;
  isolation: Isolation;
}

/** The result of a task after which the child is still alive. */
export interface TaskResult {
  result: unknown;
  /** Bytes of memory that the child uses afterwards. */
  residentBytes: number;
}

/** A task that gave no result, or was aborted by its caller. */
type Failure = SandboxError | { aborted: unknown };
type Outcome = TaskResult | Failure;

/**
 * What Node forbids a child. `--permission` forbids threads, programs, native code, WASI and the inspector, all files but those that
 * are named; `node:sqlite` and V8's own flags would write files without asking it.
 */
const restrictions = [
  '--permission',
  '--no-experimental-sqlite',
  '--no-addons',
  '--freeze-flags-after-init',
  '--disable-sigusr1',
  '--disallow-code-generation-from-strings',
];

/** What a child may read: the code of the tasks, and nothing else on the disk. */
const ownCode = [
  '.',
  '../../formats/',
  '../../matching/',
  '../../languages.ts',
  '../../../node_modules/',
].map((path) => new URL(path, import.meta.url));

/**
 * A process that runs one task at a time. It has no environment variables, and no open file except the channel to the
 * service. Node's permissions forbid writing files, reading anything but its code, and starting processes and threads; the
 * kernel forbids the same as far as the isolation goes.
 */
export class TaskProcess {
  readonly #process: ChildProcess;
  readonly #channel: Duplex;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  readonly #resultBytes: number;
  #settle: ((outcome: Outcome) => void) | undefined;
  /** Whether it has reported that it is ready for tasks. */
  #ready = false;
  #pieces: PieceSink | undefined;
  /** Whether the whole payload has been sent, and the bytes that have been received since. */
  #given = false;
  #received = 0;
  #clock: Clock | undefined;
  readonly #nested: boolean;
  /** The process that runs the tasks, and the first of its namespace: both are the one that was started unless it is nested. */
  #program: number | undefined;
  #first: number | undefined;
  #limits: { memoryBytes: number; cpuMs: number } | undefined;
  readonly #watchdogVerdict = new Int32Array(new SharedArrayBuffer(4));
  /** Why the service ended it. */
  #verdict: Failure | undefined;

  constructor({ registry, readable, heapBytes, resultBytes, isolation }: ChildOptions) {
    const files = [...ownCode, registry, ...readable].map((url) => fileURLToPath(url));
    const [program, ...options] = isolation.command({ node: process.execPath, readable: files });
    this.#nested = isolation.nested;
    this.#process = spawn(
      program!,
      [
        ...options,
        ...restrictions,
        ...files.map((path) => `--allow-fs-read=${path}`),
        `--max-old-space-size=${Math.ceil(heapBytes / 2 ** 20)}`,
        // The default lets the memory for short-lived objects grow to three times 16 MB, for nothing that is measurable.
        '--max-semi-space-size=4',
        fileURLToPath(new URL('./child.ts', import.meta.url)),
        registry.href,
      ],
      { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], windowsHide: true },
    );
    // Without a listener, a failure to start would end the service.
    const unstarted = new Promise<unknown>((resolve) => this.#process.on('error', resolve));
    // Without a free file descriptor there is no channel.
    const opened = this.#process.stdio?.[channel] as Duplex | undefined;
    this.#channel = opened ?? new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    giveWay(this.#process.pid);
    this.#resultBytes = resultBytes;
    const reader = new FrameReader<ResponseHead>(resultBytes, (frame) => this.#take(frame));
    this.#channel.on('data', (chunk: Uint8Array) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.end(new SandboxError('failed', 'a task answered more than it may', { cause: error }));
      }
    });
    // The process ended while it was written to; its exit reports the rest.
    this.#channel.on('error', () => {});
    this.exited = new Promise((resolve) => {
      void unstarted.then((cause) => {
        this.#finish(new SandboxError('not_started', 'the process of a task did not start', { cause }));
        resolve();
      });
      this.#process.once('exit', async (code, signal) => {
        // Its last message may not have been read yet: above all, whether it was ready.
        if (!this.#ready && !this.#verdict) await closeOf(this.#channel);
        this.#finish(
          this.#verdict ??
            verdictOf(Atomics.load(this.#watchdogVerdict, 0)) ??
            deathOf(code, signal, this.#ready),
        );
        resolve();
      });
    });
    this.#rest();
  }

  /** The process that runs the tasks. */
  get pid(): number | undefined {
    return this.#program ?? this.#process.pid;
  }

  /**
   * Runs a task; one at a time.
   *
   * @throws {SandboxError} or the reason of its signal; the process has ended then, or is about to
   */
  async run({
    payload,
    timeMs,
    memoryBytes,
    cpuMs,
    signal,
    pieces,
    ...head
  }: Assignment): Promise<TaskResult> {
    const outcome = await new Promise<Outcome>((resolve) => {
      const clock = new Clock(timeMs, () =>
        this.end(
          this.#ready
            ? new SandboxError('time', `the task took more than ${timeMs} ms`)
            : new SandboxError('not_started', `the process of the task was not ready within ${timeMs} ms`),
        ),
      );
      this.#clock = clock;
      this.#pieces = pieces;
      const abort = (): void => this.end({ aborted: signal?.reason });
      signal?.addEventListener('abort', abort, { once: true });
      this.#settle = (settled) => {
        clock.stop();
        signal?.removeEventListener('abort', abort);
        resolve(settled);
      };
      this.#process.ref();
      this.#given = false;
      this.#received = 0;
      this.#limits = { memoryBytes, cpuMs };
      const parts = encodeFrame<TaskHead>(head, payload);
      for (const part of parts.slice(0, -1)) this.#channel.write(part);
      this.#channel.write(parts.at(-1), () => {
        this.#given = true;
        this.#watch();
      });
    });
    if (outcome instanceof SandboxError) throw outcome;
    if ('aborted' in outcome) throw outcome.aborted;
    return outcome;
  }

  /** Ends the process; its task fails with `verdict`. */
  end(verdict: Failure): void {
    this.#verdict ??= verdict;
    // The caller waits for its end.
    this.#process.ref();
    // The processes above the first of a namespace end after all in it have.
    const hasEnded = this.#process.exitCode !== null || this.#process.signalCode !== null;
    if (!this.#nested || hasEnded || !killed(this.#first)) this.#process.kill('SIGKILL');
  }

  #take({ head, value, bytes }: ReadFrame<ResponseHead>): void {
    // Received while the process was being ended.
    if (this.#verdict) return;
    if (head.kind === 'ready') this.#begin();
    else if (head.kind === 'piece') this.#passOn(value, bytes);
    else if (head.kind === 'result')
      this.#finish({ result: value, residentBytes: this.#residentBytes() ?? head.residentBytes });
    else this.#finish(new SandboxError('failed', head.message));
  }

  /** It is ready for its first task. */
  #begin(): void {
    this.#ready = true;
    const { pid } = this.#process;
    this.#first = this.#nested ? childrenOf(pid!)[0] : pid;
    this.#program = this.#nested && this.#first !== undefined ? childrenOf(this.#first)[0] : this.#first;
    if (this.#program === undefined)
      this.end(new SandboxError('not_started', 'the process of a task was not found'));
    this.#watch();
  }

  /** Has the task watched from the moment at which it can begin: starting and receiving do not count as its CPU time. */
  #watch(): void {
    if (!this.#ready || !this.#given || !this.#limits || !this.#program || !this.#first) return;
    const [pid, first] = [this.#program, this.#first];
    tellWatchdog({ kind: 'watch', pid, first, ...this.#limits, verdict: this.#watchdogVerdict });
  }

  /** Starting a program to learn it would take longer than most tasks. */
  #residentBytes(): number | undefined {
    return hasProcFiles && this.#program ? readUsage(this.#program)?.residentBytes : undefined;
  }

  /** While too many pieces wait to be read, the channel pauses, and so does the task's time. */
  #passOn(piece: unknown, bytes: number): void {
    this.#received += bytes;
    if (this.#received > this.#resultBytes || !this.#given) {
      // The reader of a piece may release the payload's memory, so it must have been sent.
      const fault = this.#given ? 'answered more than it may' : 'replied before it had its input';
      this.end(new SandboxError('failed', `a task ${fault}`));
      return;
    }
    const resume = (): void => {
      if (!this.#settle) return;
      this.#clock?.start();
      this.#channel.resume();
    };
    if (this.#pieces?.push(piece, bytes, resume) !== false) return;
    this.#channel.pause();
    this.#clock?.stop();
  }

  #finish(outcome: Outcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#pieces = undefined;
    this.#limits = undefined;
    if (this.#program !== undefined) tellWatchdog({ kind: 'rest', pid: this.#program });
    // It may be paused for a piece that nobody will read.
    this.#channel.resume();
    if (!this.#verdict) this.#rest();
    settle?.(outcome);
  }

  /** An idle process does not keep the service alive. */
  #rest(): void {
    this.#process.unref();
    (this.#channel as Duplex & { unref?(): void }).unref?.();
  }
}

/** A timer that can be stopped and started again; the time in between does not count. */
class Clock {
  #left: number;
  readonly #expire: () => void;
  #running: { timer: NodeJS.Timeout; since: number } | undefined;

  constructor(milliseconds: number, expire: () => void) {
    this.#left = milliseconds;
    this.#expire = expire;
    this.start();
  }

  start(): void {
    this.#running ??= { timer: setTimeout(this.#expire, this.#left), since: performance.now() };
  }

  stop(): void {
    if (!this.#running) return;
    clearTimeout(this.#running.timer);
    this.#left = Math.max(1, this.#left - (performance.now() - this.#running.since));
    this.#running = undefined;
  }
}

/** Gives a child a third of the service's share of a busy processor: more clients wait for requests than for files. */
const niceness = 5;

/** Lowers a process's priority, before it has threads of its own. */
function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // It has ended already, or the system has no priorities: both get an equal share then.
  }
}

/** Ends a process. Returns whether there was one. */
function killed(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** V8 aborts where its heap is full; on Windows, and from a shell, that is an exit code. */
const abortCode = 134;

function verdictOf(verdict: number): SandboxError | undefined {
  if (verdict === verdicts.memory) return new SandboxError('memory', 'the task took more memory than it may');
  if (verdict === verdicts.time) return new SandboxError('time', 'the task took more CPU time than it may');
  if (verdict === verdicts.unwatched) return new SandboxError('not_started', 'the task could not be watched');
  return undefined;
}

function deathOf(code: number | null, signal: NodeJS.Signals | null, ready: boolean): SandboxError {
  const how = signal ?? `code ${code}`;
  if (!ready)
    return new SandboxError('not_started', `the process of a task ended with ${how} before it was ready`);
  if (signal === 'SIGABRT' || code === abortCode)
    return new SandboxError('memory', 'the task took more memory than its heap may have');
  return new SandboxError('crashed', `the process of the task ended with ${how}`);
}

/** Resolves when everything has been read from the channel of a process that has ended. */
function closeOf(stream: Duplex): Promise<void> {
  return new Promise((resolve) =>
    // If another process holds the other end, the channel never closes.
    finished(stream, { writable: false, signal: AbortSignal.timeout(5000) }, () => resolve()),
  );
}
