import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { Duplex, finished } from 'node:stream';
import { fileURLToPath } from 'node:url';
import {
  channel,
  encodeFrame,
  FrameReader,
  type ReadFrame,
  type ResponseHead,
  type TaskHead,
} from './frames.ts';
import { type Isolation, ownCode } from './isolation.ts';
import type { PieceSink } from './piece-stream.ts';
import { SandboxError } from './sandbox-error.ts';
import { childrenOf, hasProcFiles, orderWatchdog, type ProcessUsage, readUsage, verdicts } from './watch.ts';

/** A task that a child is to run. */
export interface Assignment extends TaskHead {
  payload: unknown;
  timeMs: number;
  /** Maximum bytes of memory of the child. */
  memoryBytes: number;
  /** Maximum milliseconds of CPU time for the task, summed over all threads. */
  cpuMs: number;
  signal: AbortSignal | undefined;
  /** Receives the pieces, if the result of the task consists of pieces. */
  pieces?: PieceSink | undefined;
}

export interface ChildOptions {
  /** The module that exports `tasks`. */
  registry: URL;
  /** Files and directories that a child may read, in addition to its code and the installed packages. */
  readable: readonly URL[];
  /** Maximum bytes of the JavaScript heap. */
  heapBytes: number;
  /** Maximum bytes of one result. */
  resultBytes: number;
  isolation: Isolation;
}

/** The result of a task whose process is still alive. */
interface TaskResult {
  result: unknown;
  /** Bytes of memory that the child uses after the task. */
  residentBytes: number;
}

/** Why a task gave no result: an error, or an abort by the caller. */
/**
 * The pieces of a task may have this many times the bytes of its payload: the rows of a TM and its index have about
 * twice the bytes of the file. Unread pieces stop the task, so a large result needs little memory.
 */
const piecesPerPayload = 4;

type Failure = SandboxError | { aborted: unknown };
type Outcome = TaskResult | Failure;

/**
 * Node's options that restrict a child. `--permission` forbids threads, programs, native code, WASI, the inspector,
 * and access to all files except the listed ones. It does not cover files that `node:sqlite` and V8's own flags
 * write, so these are disabled, too.
 */
const restrictions = [
  '--permission',
  '--no-experimental-sqlite',
  '--no-addons',
  '--freeze-flags-after-init',
  '--disable-sigusr1',
  '--disallow-code-generation-from-strings',
];

/**
 * A process that runs one task at a time. The process has no environment variables, and no open file except the
 * channel to the service. Node's permissions forbid writing files, reading anything except its code, and starting
 * processes and threads. Depending on the isolation level, the kernel forbids the same.
 */
export class TaskProcess {
  readonly #process: ChildProcess;
  readonly #channel: Duplex;
  /** Resolves when the process has exited. */
  readonly exited: Promise<void>;
  readonly #resultBytes: number;
  /** Maximum bytes of all pieces of the current task. */
  #maxReceived = 0;
  #settle: ((outcome: Outcome) => void) | undefined;
  /** Whether the process has reported that it is ready for tasks. */
  #ready = false;
  #pieces: PieceSink | undefined;
  /** Whether the whole payload has been sent. */
  #payloadSent = false;
  /** Bytes of the pieces that the current task has sent. */
  #received = 0;
  #timer: PausableTimer | undefined;
  readonly #nested: boolean;
  /**
   * The id of the process that runs the tasks. If isolation is nested, this process is a descendant of the started
   * one.
   */
  #taskPid: number | undefined;
  /**
   * The id of the process to kill. If isolation is nested, this is the first process of the namespace, with which all
   * others end.
   */
  #pidToKill: number | undefined;
  #limits: { memoryBytes: number; cpuMs: number } | undefined;
  /** The CPU time of the process at the start of the period that `#isStarved` measures. */
  #seenCpuMs = 0;
  readonly #watchdogVerdict = new Int32Array(new SharedArrayBuffer(4));
  /** The reason why the service has ended the process. */
  #verdict: Failure | undefined;

  constructor({ registry, readable, heapBytes, resultBytes, isolation }: ChildOptions) {
    const files = [...ownCode, ...[registry, ...readable].map((url) => fileURLToPath(url))];
    // Node checks the path that a link leads to, too.
    const allowed = new Set([...files, ...files.map((path) => realpathSync(path))]);
    const [program, ...options] = isolation.command({ node: process.execPath, readable: files });
    this.#nested = isolation.nested;
    this.#process = spawn(
      program!,
      [
        ...options,
        ...restrictions,
        ...[...allowed].map((path) => `--allow-fs-read=${path}`),
        `--max-old-space-size=${Math.ceil(heapBytes / 2 ** 20)}`,
        // Limits the memory for short-lived objects. By default it grows to three times 16 MB, without a measurable
        // benefit.
        '--max-semi-space-size=4',
        // Collects garbage when the heap has grown to twice its size. By default it grows to four times its size.
        '--heap-growing-percent=100',
        // Optimizes a function of WebAssembly only when it has done a lot of work. By default, V8 spends half a second
        // of CPU time on functions that the file does not need any longer.
        '--wasm-tiering-budget=1000000000',
        fileURLToPath(new URL('./child.ts', import.meta.url)),
        registry.href,
      ],
      { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], windowsHide: true, ...isolation.startAs },
    );
    // This listener is needed: without one, a failure to start would end the service.
    const startError = new Promise<unknown>((resolve) => this.#process.on('error', resolve));
    // The channel is missing if no file descriptor is free.
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
    // Ignore errors of writes: they mean that the process has ended, and its exit event reports the failure.
    this.#channel.on('error', () => {});
    this.exited = new Promise((resolve) => {
      void startError.then((cause) => {
        this.#finish(new SandboxError('not_started', 'the process of a task did not start', { cause }));
        resolve();
      });
      this.#process.once('exit', async (code, signal) => {
        // The last message, which may be `ready`, may not have been read yet.
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

  /** The id of the process that runs the tasks. */
  get pid(): number | undefined {
    return this.#taskPid ?? this.#process.pid;
  }

  /**
   * Runs a task. Only one task may run at a time in a process.
   *
   * @throws {SandboxError} if the task gave no result; the reason of the task's signal if it aborts. In both cases,
   * the process has ended or is about to end.
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
      const timer = new PausableTimer(timeMs, () => {
        if (this.#isStarved(timeMs)) return timer.restart(timeMs);
        this.end(
          this.#ready
            ? new SandboxError('time', `the task took more than ${timeMs} ms`)
            : new SandboxError('not_started', `the process of the task was not ready within ${timeMs} ms`),
        );
      });
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
      const payloadBytes = parts.reduce((sum, part) => sum + part.byteLength, 0);
      this.#maxReceived = Math.max(this.#resultBytes, piecesPerPayload * payloadBytes);
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

  /** Ends the process. Its task then fails with `verdict`. */
  end(verdict: Failure): void {
    this.#verdict ??= verdict;
    // Keep the service alive until the process has exited, because the caller waits for that.
    this.#process.ref();
    // If isolation is nested, kill only the first process of the namespace: the processes above it end by themselves
    // when all processes in the namespace have ended.
    const hasEnded = this.#process.exitCode !== null || this.#process.signalCode !== null;
    if (!this.#nested || hasEnded || !kill(this.#pidToKill)) this.#process.kill('SIGKILL');
  }

  #receive({ head, value, bytes }: ReadFrame<ResponseHead>): void {
    // Ignore messages that arrive while the process is being ended.
    if (this.#verdict) return;
    if (head.kind === 'ready') this.#becomeReady();
    else if (head.kind === 'piece') this.#forwardPiece(value, bytes);
    else if (head.kind === 'result')
      this.#finish({ result: value, residentBytes: this.#usage()?.residentBytes ?? head.residentBytes });
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
   * Starts to watch the task as soon as it can begin. The start of the process and the transfer of the payload do not
   * count as its CPU time.
   */
  #watch(): void {
    if (!this.#ready || !this.#payloadSent || !this.#limits || !this.#taskPid || !this.#pidToKill) return;
    const [pid, pidToKill] = [this.#taskPid, this.#pidToKill];
    this.#seenCpuMs = this.#usage()?.cpuMs ?? 0;
    orderWatchdog({ kind: 'watch', pid, pidToKill, ...this.#limits, verdict: this.#watchdogVerdict });
  }

  /**
   * Returns the usage of the process. Undefined without /proc: the program that could find out would take longer than
   * most tasks.
   */
  #usage(): ProcessUsage | undefined {
    return hasProcFiles && this.#taskPid ? readUsage(this.#taskPid) : undefined;
  }

  /**
   * Whether the task works, but other processes had the processor for most of a period, or the machine slept. Then
   * nothing is wrong with its file, and the task gets another period. A task that waits forever uses no CPU time.
   */
  #isStarved(periodMs: number): boolean {
    const cpuMs = this.#usage()?.cpuMs ?? 0;
    const used = cpuMs - this.#seenCpuMs;
    this.#seenCpuMs = cpuMs;
    return this.#limits !== undefined && used >= minProgressMs && used < periodMs / 2;
  }

  /** Passes on a piece. While too many pieces are unread, it pauses the channel and the time of the task. */
  #forwardPiece(piece: unknown, bytes: number): void {
    this.#received += bytes;
    if (this.#received > this.#maxReceived || !this.#payloadSent) {
      // Reject a piece before the whole payload has been sent: the reader of a piece may free the payload's memory.
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
    // Continue reading the channel, which may be paused because of a piece that no one reads any longer.
    this.#channel.resume();
    if (!this.#verdict) this.#unref();
    settle?.(outcome);
  }

  /** Allows the service to exit although this process exists and is idle. */
  #unref(): void {
    this.#process.unref();
    (this.#channel as Duplex & { unref?(): void }).unref?.();
  }
}

/** A timer that can be paused; the time of a pause does not count. */
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

  /** Starts again after it has expired. */
  restart(milliseconds: number): void {
    this.#left = milliseconds;
    this.#running = undefined;
    this.start();
  }

  stop(): void {
    if (!this.#running) return;
    clearTimeout(this.#running.timer);
    this.#left = Math.max(1, this.#left - (performance.now() - this.#running.since));
    this.#running = undefined;
  }
}

/**
 * The priority of a child: on a busy processor, it gets a third of the service's share, because more clients wait for
 * requests than for files.
 */
const niceness = 5;

/** A task that uses less CPU time than this in a whole period makes no progress. */
const minProgressMs = 50;

/** Lowers the priority of a process. Call it before the process starts threads. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // The process has already ended, or the system has no priorities. In the latter case, both get equal shares.
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

/** The exit code of a process in which V8 has called `abort` because its heap is full, on Windows and from a shell. */
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

/** Resolves when everything has been read from the channel of a process that has exited. */
function drained(stream: Duplex): Promise<void> {
  return new Promise((resolve) =>
    // The timeout is needed if another process has the other end of the channel open: the channel then never closes.
    finished(stream, { writable: false, signal: AbortSignal.timeout(5000) }, () => resolve()),
  );
}
