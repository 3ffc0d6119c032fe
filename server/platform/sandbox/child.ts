/**
 * The program of a child process. It runs one task at a time, in the order of arrival. Its argument is the URL of a
 * module that exports `tasks`.
 */

import dgram from 'node:dgram';
import dns from 'node:dns';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import net, { Socket } from 'node:net';
import os from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { channel, encodeFrame, FrameReader, type ResponseHead, type TaskHead } from './frames.ts';
import type { TaskRegistry } from './tasks.ts';

/** Packages with hundreds of modules, and the single file that contains all of them. */
const files = new Map([['@cantoo/pdf-lib', 'dist/pdf-lib.esm.min.js']]);

disableModules();
loadSingleFiles();

const [, , registryAddress] = process.argv;
const { tasks } = (await import(registryAddress!)) as { tasks: TaskRegistry };

// Ignore these signals: they are meant for the service, which shuts down properly and then ends this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

// For damaged files, pdf.js leaves some rejections unhandled. They do not affect the result.
process.on('unhandledRejection', () => {});

/** Used for all reads, so that a large file causes no garbage. */
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
  void run(head.task, value);
});
// Tell the service that the process has started, so that it can distinguish a failure to start from a later exit.
send({ kind: 'ready' }, undefined);
socket.resume();
// The service has exited, or does not need this process any longer.
for (const event of ['end', 'error', 'close'] as const) socket.on(event, () => process.exit());

/** Runs a task and sends its result. */
async function run(name: string, payload: unknown): Promise<void> {
  try {
    const task = await tasks[name]!();
    const result = await task(payload as never);
    if (isGenerator(result)) await sendPieces(result);
    send({ kind: 'result', residentBytes: residentBytes() }, isGenerator(result) ? undefined : result);
  } catch (error) {
    const message = error instanceof Error ? String(error.stack) : String(error);
    send({ kind: 'failure', message }, undefined);
  }
}

/** Returns the bytes of memory that the process uses; 0 if it cannot read them, for example without /proc. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Sends the pieces of a result. Each piece is computed while the previous one is being sent. */
async function sendPieces(pieces: Generator): Promise<void> {
  let sent = Promise.resolve();
  for (const piece of pieces) {
    await sent;
    const hasRoom = send({ kind: 'piece' }, piece);
    sent = hasRoom ? Promise.resolve() : new Promise((drained) => socket.once('drain', drained));
    // Let the socket write the piece now, before the next piece is computed.
    await setImmediate();
  }
  await sent;
}

/** Sends a message. Returns whether the socket accepts more data immediately. */
function send(head: ResponseHead, value: unknown): boolean {
  let hasRoom = true;
  for (const bytes of encodeFrame<ResponseHead>(head, value)) hasRoom = socket.write(bytes);
  return hasRoom;
}

function isGenerator(result: unknown): result is Generator {
  return typeof result === 'object' && result !== null && Symbol.iterator in result && 'throw' in result;
}

/**
 * Disables functions of Node's modules that Node's permissions do not cover: connecting, listening, sending, name
 * lookups, and signals to other processes. On every system, this stops a library that loads the URLs in a file. Code
 * that breaks out of Node can only be stopped by the kernel (`isolation.ts`).
 */
function disableModules(): void {
  close(net.Socket.prototype, ['connect']);
  close(net.Server.prototype, ['listen']);
  close(net, ['_createServerHandle']);
  close(dgram.Socket.prototype, ['bind', 'connect', 'send']);
  close(dgram, ['_createSocketHandle']);
  const isQuestion = (name: string): boolean => /^(?:lookup|resolve|reverse)/.test(name);
  for (const names of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    close(names, Object.getOwnPropertyNames(names).filter(isQuestion));
  close(process, ['kill', '_kill', '_debugProcess', '_debugEnd', 'binding', 'dlopen']);
  close(os, ['setPriority']);
  // Makes the change effective for named imports of these modules, too.
  syncBuiltinESMExports();
}

function close(owner: object, names: readonly string[]): void {
  for (const name of names) Object.defineProperty(owner, name, { value: refuse, writable: false });
}

function refuse(): never {
  throw Object.assign(new Error('code that reads files may not use the network or send signals'), {
    code: 'ERR_ACCESS_DENIED',
  });
}

/** Makes imports of these packages load their single file, because finding and linking the modules takes 0.1 s. */
function loadSingleFiles(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const file = files.get(specifier);
      const found = nextResolve(specifier, context);
      if (!file) return found;
      const folder = found.url.slice(0, found.url.lastIndexOf(`/${specifier}/`));
      return { ...found, url: `${folder}/${specifier}/${file}` };
    },
  });
}
