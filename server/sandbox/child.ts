/**
 * The program of a child: runs one task after the other, each as it comes. Started with the address of a module that
 * exports `tasks`.
 */
import { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { encodeFrame, FrameReader } from './frames.ts';
import { type AnswerHead, channel, type TaskHead } from './protocol.ts';
import type { TaskRegistry } from './registry.ts';

/** Megabytes that the process may have, 0 for any number; the watchdog reads it. */
const allowance = new Int32Array(new SharedArrayBuffer(4));
const megabyte = 2 ** 20;

const [, , registryAddress] = process.argv;
const { tasks } = (await import(registryAddress!)) as { tasks: TaskRegistry };

// They are for the service, which drains; it ends this process when it has no more use for it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// pdf.js leaves some behind in files that it recovers. What nobody waits for decides nothing.
process.on('unhandledRejection', () => {});

const watchdog = new Worker(new URL('./watchdog.ts', import.meta.url), {
  workerData: { allowance, parent: process.ppid },
  resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 },
});
await new Promise((online) => watchdog.once('online', online));
watchdog.unref();

const socket = new Socket({ fd: channel });
const reader = new FrameReader<TaskHead>(Number.POSITIVE_INFINITY, ({ head, value }) => {
  Atomics.store(allowance, 0, Math.ceil(head.memoryBytes / megabyte));
  void run(head.task, value).then((pieces) => {
    for (const piece of pieces) socket.write(piece);
  });
});
socket.on('data', (chunk) => reader.push(chunk));
// The service is gone, or has no more use for this process.
for (const event of ['end', 'error', 'close'] as const) socket.on(event, () => process.exit());

/** Runs a task. @returns its answer as a frame */
async function run(name: string, payload: unknown): Promise<Uint8Array[]> {
  try {
    const task = await tasks[name]!();
    const result = await task(payload as never);
    return encodeFrame<AnswerHead>({ ok: true, residentBytes: process.memoryUsage.rss() }, result);
  } catch (error) {
    const message = error instanceof Error ? String(error.stack) : String(error);
    return encodeFrame<AnswerHead>({ ok: false, message }, undefined);
  }
}
