import { type ChildProcess, spawn } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { Duplex, finished } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { encodeFrame, FrameReader, type ReadFrame } from './frames.ts';
import type { NetworkIsolation } from './network-namespace-seccomp.ts';
import type { PieceSink } from './piece-stream.ts';
import { type AnswerHead, channel, outOfMemory, outOfTime, type TaskHead } from './protocol.ts';
import { SandboxError } from './sandbox-error.ts';

/** One task for a child. */
export interface Assignment extends TaskHead {
  payload: unknown;
  timeMs: number;
  signal: AbortSignal | undefined;
  /** Takes the pieces of a task that answers so. */
  pieces?: PieceSink | undefined;
}

export interface ChildOptions {
  /** Module that exports `tasks`. */
  registry: URL;
  /** Folders and files that a child may read beside its own and the installed packages. */
  readable: readonly URL[];
  /** Bytes of its JavaScript heap. */
  heapBytes: number;
  /** Bytes of one answer. */
  answerBytes: number;
  network: NetworkIsolation;
}

/** Outcome of a task that the child lived through. */
export interface Answer {
  result: unknown;
  /** Bytes of memory that the child had afterwards. */
  residentBytes: number;
}

/** A task that gave no result, or was given up by who asked. */
type Failure = SandboxError | { aborted: unknown };
type Outcome = Answer | Failure;

/** What a child may read: the code of tasks. Of the rest of the disk, the environment and the service's files, nothing. */
const ownCode = ['.', '../formats/', '../matching/', '../languages.ts', '../../node_modules/'].map(
  (path) => new URL(path, import.meta.url),
);

/**
 * A process that runs one task at a time. It has no environment and no open file but the channel to us; Node's
 * permissions keep it from writing files, reading others than its code and starting processes, and the kernel, where it
 * can, from the network.
 */
export class TaskProcess {
  readonly #process: ChildProcess;
  readonly #channel: Duplex;
  /** Settles when the process is gone. */
  readonly exited: Promise<void>;
  readonly #answerBytes: number;
  #settle: ((outcome: Outcome) => void) | undefined;
  /** Whether it has said that it is ready for tasks. */
  #ready = false;
  #pieces: PieceSink | undefined;
  /** Whether the child has been given all of its task, and the bytes that it has answered since. */
  #given = false;
  #answered = 0;
  #clock: Clock | undefined;
  /** Why it was ended by us. */
  #verdict: Failure | undefined;

  constructor({ registry, readable, heapBytes, answerBytes, network }: ChildOptions) {
    const [program, ...options] = [...network.command, process.execPath];
    this.#process = spawn(
      program!,
      [
        ...options,
        '--permission',
        '--allow-worker',
        ...[...ownCode, registry, ...readable].map((url) => `--allow-fs-read=${fileURLToPath(url)}`),
        `--max-old-space-size=${Math.ceil(heapBytes / 2 ** 20)}`,
        // The default lets the memory for short-lived objects grow to three times 16 MB, for nothing that is measurable.
        '--max-semi-space-size=4',
        fileURLToPath(new URL('./child.ts', import.meta.url)),
        registry.href,
      ],
      { env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], windowsHide: true },
    );
    // Without it, what keeps a process from being started would end the service.
    const unstarted = new Promise<unknown>((resolve) => this.#process.on('error', resolve));
    // Where no descriptor is left there is none to talk at either.
    const opened = this.#process.stdio?.[channel] as Duplex | undefined;
    this.#channel = opened ?? new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    giveWay(this.#process.pid);
    this.#answerBytes = answerBytes;
    const reader = new FrameReader<AnswerHead>(answerBytes, (frame) => this.#take(frame));
    this.#channel.on('data', (chunk: Uint8Array) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.end(new SandboxError('failed', 'a task answered more than it may', { cause: error }));
      }
    });
    // Of a process that ends while it is written to; its exit says the rest.
    this.#channel.on('error', () => {});
    this.exited = new Promise((resolve) => {
      void unstarted.then((cause) => {
        this.#finish(new SandboxError('not_started', 'the process of a task did not start', { cause }));
        resolve();
      });
      this.#process.once('exit', async (code, signal) => {
        // What it said last may not have been read yet: above all, whether it was ready.
        if (!this.#ready && !this.#verdict) await closeOf(this.#channel);
        this.#finish(this.#verdict ?? deathOf(code, signal, this.#ready));
        resolve();
      });
    });
    this.#rest();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Runs a task; one at a time. @throws {SandboxError} or the reason of its signal; the process is gone then, or going */
  async run({ payload, timeMs, signal, pieces, ...head }: Assignment): Promise<Answer> {
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
      this.#answered = 0;
      const parts = encodeFrame<TaskHead>(head, payload);
      for (const part of parts.slice(0, -1)) this.#channel.write(part);
      this.#channel.write(parts.at(-1), () => {
        this.#given = true;
      });
    });
    if (outcome instanceof SandboxError) throw outcome;
    if ('aborted' in outcome) throw outcome.aborted;
    return outcome;
  }

  /** Ends the process, and the task that it runs with `verdict`. */
  end(verdict: Failure): void {
    this.#verdict ??= verdict;
    // Who ends it waits for its end.
    this.#process.ref();
    this.#process.kill('SIGKILL');
  }

  #take({ head, value, bytes }: ReadFrame<AnswerHead>): void {
    // Came in while the process was being ended.
    if (this.#verdict) return;
    if (head.kind === 'ready') this.#ready = true;
    else if (head.kind === 'piece') this.#passOn(value, bytes);
    else if (head.kind === 'result') this.#finish({ result: value, residentBytes: head.residentBytes });
    else this.#finish(new SandboxError('failed', head.message));
  }

  /** While too much waits to be taken the channel is not read, and no time counts: that is not the task's. */
  #passOn(piece: unknown, bytes: number): void {
    this.#answered += bytes;
    if (this.#answered > this.#answerBytes || !this.#given) {
      // Whoever takes a piece may release what the task was given.
      const fault = this.#given ? 'answered more than it may' : 'answered before it was given';
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
    // It may have been stopped for a piece that nobody will take.
    this.#channel.resume();
    if (!this.#verdict) this.#rest();
    settle?.(outcome);
  }

  /** A process that does nothing does not keep the service alive. */
  #rest(): void {
    this.#process.unref();
    (this.#channel as Duplex & { unref?(): void }).unref?.();
  }
}

/** Calls back when it has run for so many milliseconds, the times not counted between which it was stopped. */
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

/** A third of the service's share of a processor that both want: requests are waited for by more than files are. */
const niceness = 5;

/** Lowers a process's priority, before it has threads of its own. */
function giveWay(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.min(19, getPriority() + niceness));
  } catch {
    // It has ended already, or this system has no such thing: it is as fast as the service then.
  }
}

/** V8 aborts where its heap is full; on Windows that is an exit code. */
const abortCode = 134;

function deathOf(code: number | null, signal: NodeJS.Signals | null, ready: boolean): SandboxError {
  const how = signal ?? `code ${code}`;
  if (!ready)
    return new SandboxError('not_started', `the process of a task ended with ${how} before it was ready`);
  if (signal === outOfMemory || signal === 'SIGABRT' || code === abortCode)
    return new SandboxError('memory', 'the task took more memory than it may');
  if (signal === outOfTime) return new SandboxError('time', 'the task took more CPU time than it may');
  return new SandboxError('crashed', `the process of the task ended with ${how}`);
}

/** Settles when all has been read of a channel whose process is gone. */
function closeOf(stream: Duplex): Promise<void> {
  return new Promise((resolve) =>
    // Should another process hold its other end, it never comes.
    finished(stream, { writable: false, signal: AbortSignal.timeout(5000) }, () => resolve()),
  );
}
