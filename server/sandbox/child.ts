/**
 * The program of a child: runs one task after the other, each as it comes. Started with the address of a module that
 * exports `tasks`.
 */

import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net, { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { encodeFrame, FrameReader } from './frames.ts';
import { allowanceAt, channel, type ResponseHead, type TaskHead } from './protocol.ts';
import type { TaskRegistry } from './tasks.ts';

/** The limits that the watchdog enforces. */
const allowance = new Int32Array(new SharedArrayBuffer(8));
const megabyte = 2 ** 20;

closeNetwork();

const [, , registryAddress] = process.argv;
const { tasks } = (await import(registryAddress!)) as { tasks: TaskRegistry };

// These signals are for the service, which shuts down gracefully and ends this process when it is done.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// pdf.js leaves some behind in damaged files. They do not affect the result.
process.on('unhandledRejection', () => {});

const watchdog = new Worker(new URL('./watchdog.ts', import.meta.url), {
  workerData: { allowance, parent: process.ppid },
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
});
await new Promise((online) => watchdog.once('online', online));
watchdog.unref();

/** Reused for all reads: a large file leaves no garbage. */
const received = Buffer.allocUnsafeSlow(256 * 1024);
const socket = new Socket({
  fd: channel,
  onread: {
    buffer: received,
    callback: (length) => {
      reader.push(received.subarray(0, length));
      return true;
    },
  },
});
const reader = new FrameReader<TaskHead>(Number.POSITIVE_INFINITY, ({ head, value }) => {
  const { user, system } = process.cpuUsage();
  Atomics.store(allowance, allowanceAt.memory, Math.ceil(head.memoryBytes / megabyte));
  Atomics.store(allowance, allowanceAt.cpu, Math.ceil((user + system) / 1000 + head.cpuMs));
  void run(head.task, value);
});
// Sent before the first task: if the process ends after this, it had started.
send({ kind: 'ready' }, undefined);
socket.resume();
// The service is gone, or no longer needs this process.
for (const event of ['end', 'error', 'close'] as const) socket.on(event, () => process.exit());

/** Runs a task and sends its result. */
async function run(name: string, payload: unknown): Promise<void> {
  try {
    const task = await tasks[name]!();
    const result = await task(payload as never);
    if (isGenerator(result)) await sendPieces(result);
    const residentBytes = process.memoryUsage.rss();
    send({ kind: 'result', residentBytes }, isGenerator(result) ? undefined : result);
  } catch (error) {
    const message = error instanceof Error ? String(error.stack) : String(error);
    send({ kind: 'failure', message }, undefined);
  } finally {
    // Receiving the next task does not count as its CPU time.
    Atomics.store(allowance, allowanceAt.cpu, 0);
  }
}

/** Computes each piece while the previous one is being sent. */
async function sendPieces(pieces: Generator): Promise<void> {
  let sent = Promise.resolve();
  for (const piece of pieces) {
    await sent;
    const hasRoom = send({ kind: 'piece' }, piece);
    sent = hasRoom ? Promise.resolve() : new Promise((drained) => socket.once('drain', drained));
    // Let the socket write now, not when the next piece is done.
    await setImmediate();
  }
  await sent;
}

/** Returns whether more can be written at once. */
function send(head: ResponseHead, value: unknown): boolean {
  let hasRoom = true;
  for (const bytes of encodeFrame<ResponseHead>(head, value)) hasRoom = socket.write(bytes);
  return hasRoom;
}

function isGenerator(result: unknown): result is Generator {
  return typeof result === 'object' && result !== null && Symbol.iterator in result && 'throw' in result;
}

/**
 * Disables the network functions of Node's modules in this thread: connecting, listening, sending and name lookups. On every
 * system this stops a library that fetches what a file refers to; only the kernel can stop code that tries to break out
 * (`network-namespace-seccomp.ts`).
 */
export function closeNetwork(): void {
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen']);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send']);
  const isQuestion = (name: string): boolean => /^(?:lookup|resolve|reverse)/.test(name);
  for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    close(names, Object.getOwnPropertyNames(names).filter(isQuestion));
  // Also for named imports of these modules.
  syncBuiltinESMExports();
}

function close(owner: object, names: readonly string[]): void {
  for (const name of names) Object.defineProperty(owner, name, { value: refuse, writable: false });
}

function refuse(): never {
  throw Object.assign(new Error('a task has no network'), { code: 'ERR_ACCESS_DENIED' });
}
