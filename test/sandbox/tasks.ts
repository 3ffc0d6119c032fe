import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryNetwork } from './network-attempts.ts';
import { probeTask, writeByFlags } from './probes.ts';

const attempt = (act: () => unknown): string => {
  try {
    act();
    return 'allowed';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
};

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** The tasks that tests run in sandboxes. */
export const tasks = {
  echo: async () => (value: unknown) => value,
  /** A value that differs between processes. Process IDs may be equal, because each process has its own namespace. */
  identity: async () => () => identity,
  wait: async () => (ms: number) => sleep(ms),
  /** Uses a quarter of the processor for so many milliseconds, as on a busy machine. */
  crawl: async () => async (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; await sleep(60))
      for (const begun = cpuMicros(); cpuMicros() < begun + 20_000; );
    return 'done';
  },
  loop: async () => () => {
    for (;;);
  },
  /** Allocates this many bytes outside of the JavaScript heap, and keeps them. */
  hold: async () => (bytes: number) => {
    held.push(Buffer.alloc(bytes, 1));
    return identity;
  },
  /** Like `hold`, and waits before it returns. */
  holdFor:
    async () =>
    async ({ bytes, ms }: { bytes: number; ms: number }) => {
      const buffer = Buffer.alloc(bytes, 1);
      await sleep(ms);
      return buffer.length;
    },
  /** Allocates memory outside of the JavaScript heap without end. */
  fillBuffers: async () => () => {
    for (;;) held.push(Buffer.alloc(2 ** 20, 1));
  },
  /** Allocates memory in the JavaScript heap without end. */
  fillHeap: async () => () => {
    const all: number[][] = [];
    for (;;) all.push(new Array(10_000).fill(0.5));
  },
  /**
   * Pieces of equal size, each of which begins with its number. Throws after the last piece if requested. `input` only
   * makes the payload larger.
   */
  pieces: async () =>
    function* ({
      count,
      bytes,
      fails,
    }: {
      count: number;
      bytes: number;
      fails?: boolean;
      input?: Uint8Array;
    }) {
      for (let number = 0; number < count; number++) yield Buffer.alloc(bytes, number);
      if (fails) throw new Error('behind the last piece');
    },
  /** Sends one piece, and then runs without sending another. */
  piecesThenLoop: async () =>
    function* () {
      yield 'first';
      for (;;);
    },
  /** Sends one piece, and ends the process. */
  piecesThenExit: async () =>
    function* () {
      yield 'first';
      process.exit(3);
    },
  exit: async () => (code: number) => process.exit(code),
  throw: async () => (message: string) => {
    throw new Error(message);
  },
  /** Returns, and leaves a rejected promise that is never awaited. */
  leaveRejection: async () => () => {
    void Promise.reject(new Error('nobody waits'));
    return identity;
  },
  /** Returns a function, which cannot be sent in a message. */
  answerFunction: async () => () => () => 'never called',
  answer: async () => (bytes: number) => new Uint8Array(bytes),
  spin: async () => (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; );
    return ms;
  },
  print: async () => (text: string) => {
    process.stdout.write(text);
    process.stderr.write(text);
    return text;
  },
  network: async () => tryNetwork,
  probe: async () => probeTask,
  writeByFlags: async () => writeByFlags,
  environment: async () => () => Object.entries(process.env),
  reach: async () => (paths: { secret: string; target: string }) => ({
    environment: Object.keys(process.env),
    readSecret: attempt(() => readFileSync(paths.secret)),
    write: attempt(() => writeFileSync(paths.target, 'x')),
    start: attempt(() => execFileSync('/bin/true')),
  }),
};

const held: Buffer[] = [];
const identity = randomUUID();
