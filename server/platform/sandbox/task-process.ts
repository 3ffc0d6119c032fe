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
import { orderWatchdog, verdicts } from './watch.ts';

/** One task for a child. */
export interface Assignment extends TaskHead {
  payload: unknown;
  timeMs: number;
  /** Bytes of memory that the child may use. */
  memoryBytes: number;
  /** Milliseconds of CPU time for the task, all threads together. */
  cpuMs: number;
  signal: AbortSignal | undefined;
  /** Receives the pieces of a task whose result comes in pieces. */
  pieces?: PieceSink | undefined;
}

export interface ChildOptions {
  /** The module that exports `tasks`. */
  registry: URL;
  /** Files and directories that a child may read, in addition to its code and the installed packages. */
  readable: readonly URL[];
  /** Bytes of its JavaScript heap. */
  heapBytes: number;
  /** The maximum length of one result in bytes. */
  resultBytes: number;
  isolation: Isolation;
}

/** The result of a task, if the child is still alive. */
export interface TaskResult {
  result: unknown;
  /** Bytes of memory that the child uses afterwards. */
  residentBytes: number;
}

/** A task that gave no result, or that its caller aborted. */
type Failure = SandboxError | { aborted: unknown };
type Outcome = TaskResult | Failure;

/**
 * Node's restrictions of a child. `--permission` forbids threads, programs, native code, WASI, the inspector, and all files
 * except the listed ones. It does not cover files that `node:sqlite` and V8's own flags write, so these are disabled, too.
 */
const restrictions = [
  '--permission',
  '--no-experimental-sqlite',
  '--no-addons',
  '--freeze-flags-after-init',
  '--disable-sigusr1',
  '--disallow-code-generation-from-strings',
];

/** The only files that a child may read: the code of the tasks. */
const ownCode = [
  '.',
  '../../formats/',
  '../../matching/',
  '../../languages.ts',
  '../../../node_modules/',
].map((path) => new URL(path, import.meta.url));

/**
 * A process that runs one task at a time. It has no environment variables, and no open file except the channel to the service.
 * Node's permissions forbid writing files, reading anything except its code, and starting processes and threads. The kernel
 * forbids the same, depending on the isolation level.
 */
export class TaskProcess {
  readonly #process: ChildProcess;
  readonly #channel: Duplex;
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>;
  readonly #resultBytes: number;
  #settle: ((outcome: Outcome) => void) | undefined;
  /** Whether it has reported that it is ready for tasks. */
  #ready = false;
  #pieces: PieceSink | undefined;
  /** Whether the whole payload has been sent. */
  #payloadSent = false;
  /** The number of bytes of pieces that have been received for the task. */
  #received = 0;
  #timer: PausableTimer | undefined;
  readonly #nested: boolean;
  /** The process that runs the tasks. If isolation is nested, it is a descendant of the started process. */
  #taskPid: number | undefined;
  /** The process to kill, which ends all others: the first of the namespace if isolation is nested. */
  #pidToKill: number | undefined;
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
        // By default, the memory for short-lived objects grows to three times 16 MB without a measurable benefit.
        '--max-semi-space-size=4',
        fileURLToPath(new URL('./child.ts', import.meta.url)),
        registry.href,
      ],
      { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], windowsHide: true },
    );
    // Without a listener, a failure to start would end the service.
    const startError = new Promise<unknown>((resolve) => this.#process.on('error', resolve));
    // If no file descriptor is free, there is no channel.
    const opened = this.#process.stdio?.[channel] as Duplex | undefined;
    this.#channel = opened ?? new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    lowerPriority(this.#process.pid);
    this.#resultBytes = resultBytes;
    const reader = new FrameReader<ResponseHead>(resultBytes, (frame) => this.#receive(frame));
    this.#channel.on('data', (chunk: Uint8Array) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.end(new SandboxError('failed', 'a task sent more than its result limit', { cause: error }));
      }
    });
    // The process ended during a write; its exit event reports the failure.
    this.#channel.on('error', () => {});
    this.exited = new Promise((resolve) => {
      void startError.then((cause) => {
        this.#finish(new SandboxError('not_started', 'the process of a task did not start', { cause }));
        resolve();
      });
      this.#process.once('exit', async (code, signal) => {
        // The last message may still be unread, in particular `ready`.
        if (!this.#ready && !this.#verdict) await drained(this.#channel);
        this.#finish(
          this.#verdict ??
            watchdogErrorOf(Atomics.load(this.#watchdogVerdict, 0)) ??
            exitErrorOf(code, signal, this.#ready),
        );
        resolve();
      });
    });
    this.#unref();
  }

  /** The process that runs the tasks. */
  get pid(): number | undefined {
    return this.#taskPid ?? this.#process.pid;
  }

  /**
   * Runs a task. Only one task may run at a time.
   *
   * @throws {SandboxError} or the reason of its signal; in both cases the process has ended or is about to end
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
      const timer = new PausableTimer(timeMs, () =>
        this.end(
          this.#ready
            ? new SandboxError('time', `the task took more than ${timeMs} ms`)
            : new SandboxError('not_started', `the process of the task was not ready within ${timeMs} ms`),
        ),
      );
      this.#timer = timer;
      this.#pieces = pieces;
      const abort = (): void => this.end({ aborted: signal?.reason });
      signal?.addEventListener('abort', abort, { once: true });
      this.#settle = (settled) => {
        timer.stop();
        signal?.removeEventListener('abort', abort);
        resolve(settled);
      };
      this.#process.ref();
      this.#payloadSent = false;
      this.#received = 0;
      this.#limits = { memoryBytes, cpuMs };
      const parts = encodeFrame<TaskHead>(head, payload);
      for (const part of parts.slice(0, -1)) this.#channel.write(part);
      this.#channel.write(parts.at(-1), () => {
        this.#payloadSent = true;
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
    // The caller waits for its exit.
    this.#process.ref();
    // The processes above the first of a namespace end after all processes in it.
    const hasEnded = this.#process.exitCode !== null || this.#process.signalCode !== null;
    if (!this.#nested || hasEnded || !kill(this.#pidToKill)) this.#process.kill('SIGKILL');
  }

  #receive({ head, value, bytes }: ReadFrame<ResponseHead>): void {
    // The message arrived while the process was being ended.
    if (this.#verdict) return;
    if (head.kind === 'ready') this.#becomeReady();
    else if (head.kind === 'piece') this.#forwardPiece(value, bytes);
    else if (head.kind === 'result')
      this.#finish({ result: value, residentBytes: this.#residentBytes() ?? head.residentBytes });
    else this.#finish(new SandboxError('failed', head.message));
  }

  /** Called when the process is ready for its first task. */
  #becomeReady(): void {
    this.#ready = true;
    const { pid } = this.#process;
    this.#pidToKill = this.#nested ? childrenOf(pid!)[0] : pid;
    this.#taskPid =
      this.#nested && this.#pidToKill !== undefined ? childrenOf(this.#pidToKill)[0] : this.#pidToKill;
    if (this.#taskPid === undefined)
      this.end(new SandboxError('not_started', 'the process of a task was not found'));
    this.#watch();
  }

  /**
   * Starts watching the task when it can begin: the start of the process and the transfer of the payload do not count as its
   * CPU time.
   */
  #watch(): void {
    if (!this.#ready || !this.#payloadSent || !this.#limits || !this.#taskPid || !this.#pidToKill) return;
    const [pid, pidToKill] = [this.#taskPid, this.#pidToKill];
    orderWatchdog({ kind: 'watch', pid, pidToKill, ...this.#limits, verdict: this.#watchdogVerdict });
  }

  /** Returns undefined without /proc, because starting a program to find out would take longer than most tasks. */
  #residentBytes(): number | undefined {
    return hasProcFiles && this.#taskPid ? readUsage(this.#taskPid)?.residentBytes : undefined;
  }

  /** Forwards a piece. While too many pieces are unread, it pauses the channel and the task's time. */
  #forwardPiece(piece: unknown, bytes: number): void {
    this.#received += bytes;
    if (this.#received > this.#resultBytes || !this.#payloadSent) {
      // The reader of a piece may release the payload's memory, so the payload must have been sent.
      const fault = this.#payloadSent
        ? 'sent more than its result limit'
        : 'sent a piece before it had its input';
      this.end(new SandboxError('failed', `a task ${fault}`));
      return;
    }
    const resume = (): void => {
      if (!this.#settle) return;
      this.#timer?.start();
      this.#channel.resume();
    };
    if (this.#pieces?.push(piece, bytes, resume) !== false) return;
    this.#channel.pause();
    this.#timer?.stop();
  }

  #finish(outcome: Outcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.#pieces = undefined;
    this.#limits = undefined;
    if (this.#taskPid !== undefined) orderWatchdog({ kind: 'unwatch', pid: this.#taskPid });
    // The channel may be paused for a piece that is no longer needed.
    this.#channel.resume();
    if (!this.#verdict) this.#unref();
    settle?.(outcome);
  }

  /** Lets the service exit although an idle process exists. */
  #unref(): void {
    this.#process.unref();
    (this.#channel as Duplex & { unref?(): void }).unref?.();
  }
}

/** A timer that can be paused; the pause does not count. */
class PausableTimer {
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

/** Gives a child a third of the service's share of a busy processor, because more clients wait for requests than for files. */
const niceness = 5;

/** Lowers a process's priority, before it starts threads. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // The process has already ended, or the system has no priorities; then both get an equal share.
  }
}

/** Kills a process. Returns whether it existed. */
function kill(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** The exit code, on Windows and from a shell, of V8's abort when its heap is full. */
const abortCode = 134;

function watchdogErrorOf(verdict: number): SandboxError | undefined {
  if (verdict === verdicts.memory) return new SandboxError('memory', 'the task exceeded its memory limit');
  if (verdict === verdicts.time) return new SandboxError('time', 'the task exceeded its CPU time limit');
  if (verdict === verdicts.unwatched) return new SandboxError('not_started', 'the task could not be watched');
  return undefined;
}

function exitErrorOf(code: number | null, signal: NodeJS.Signals | null, ready: boolean): SandboxError {
  const how = signal ?? `code ${code}`;
  if (!ready)
    return new SandboxError('not_started', `the process of a task ended with ${how} before it was ready`);
  if (signal === 'SIGABRT' || code === abortCode)
    return new SandboxError('memory', 'the task exceeded its heap limit');
  return new SandboxError('crashed', `the process of the task ended with ${how}`);
}

/** Resolves when everything has been read from the channel of a process that has ended. */
function drained(stream: Duplex): Promise<void> {
  return new Promise((resolve) =>
    // If another process has the other end open, the channel never closes.
    finished(stream, { writable: false, signal: AbortSignal.timeout(5000) }, () => resolve()),
  );
}
