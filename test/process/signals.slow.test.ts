import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { processesOf } from '#test/faults/leftovers.ts';
import { poll } from '#test/setup/poll.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const text = { source_text: 'Hello', target_lang: 'fr' };

/** A data directory with a stopped database, as at most starts. */
let template: string;
let contentsOfTemplate: string[];
beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'lingualoop-signals-'));
  const service = launch('node', ['server/main.ts'], template);
  await service.says('LinguaLoop listens');
  service.signal('SIGTERM');
  expect(await service.ended).toEqual({ code: 0, signal: null });
  contentsOfTemplate = await contentsOf(template);
}, 60_000);
afterAll(() => rm(template, { recursive: true, force: true }));

async function dataFolder({ empty = false } = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-signals-'));
  // With the times of the last changes. Several times as fast as Node's own copying.
  if (!empty) await run('cp', ['-a', `${template}/.`, folder]);
  onTestFinished(async () => {
    for (const line of processesOf(folder)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return folder;
}

interface Launched {
  child: ChildProcess;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  output(): string;
  says(words: string): Promise<void>;
  /** Only to the process. */
  signal(signal: NodeJS.Signals): void;
  /** To it and its children in the same session, as a terminal's Ctrl-C. */
  signalGroup(signal: NodeJS.Signals): void;
}

function launch(
  file: string,
  args: string[],
  DATA_DIR: string,
  stdin: 'ignore' | 'pipe' = 'ignore',
): Launched {
  const child = spawn(file === 'node' ? process.execPath : file, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', LOG_LEVEL: 'silent', DATA_DIR },
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  const send = (pid: number, signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // It has already ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  return {
    child,
    ended,
    output: () => output,
    says: async (words) => void (await poll(async () => output.includes(words), 60)),
    signal: (signal) => send(child.pid as number, signal),
    signalGroup: (signal) => send(-(child.pid as number), signal),
  };
}

/** The contents of a data directory, with the times of the last changes. */
async function contentsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const changed = names.map(async (name) => `${name} ${(await stat(join(folder, name))).mtimeMs}`);
  return (await Promise.all(changed)).toSorted();
}

/** The allowed output of a start: one line that reports it. The log is silent. */
const words = /^\{"level":30,.*"msg":"LinguaLoop [^"]*"\}\n/gm;

/**
 * Expects exit code 0 without an error message; or an end by the signal, if it came before Node ran our first line, when nothing
 * had begun.
 */
async function expectStopped({ ended, output }: Launched, folder: string, before: string[]): Promise<void> {
  const { code, signal } = await ended;
  if (signal !== null) expect(await contentsOf(folder)).toEqual(before);
  else expect([code, output().replace(words, '')]).toEqual([0, '']);
  expect(processesOf(folder)).toEqual([]);
}

/** Milliseconds after the start, some of the first three seconds. */
const moments = [0, 150, 300, 450, 600, 800, 1000, 1300, 1700, 2200, 3000];

describe('a signal at any moment of the start ends the process with 0, and leaves no PostgreSQL', () => {
  test.each([
    { to: 'the process', times: 1, script: 'server/main.ts', empty: false },
    { to: 'the group', times: 3, script: 'server/main.ts', empty: false },
    { to: 'the group', times: 2, script: 'workers/main.ts', empty: true },
  ])(
    '$script, $times to $to, an empty data folder: $empty',
    async ({ to, times, script, empty }) => {
      const attempt = async (after: number) => {
        const folder = await dataFolder({ empty });
        const service = launch('node', [script], folder);
        await delay(after);
        for (let n = 0; n < times; n++) {
          if (n > 0) await delay(120);
          if (to === 'the group') service.signalGroup('SIGINT');
          else service.signal('SIGTERM');
        }
        await expectStopped(service, folder, empty ? [] : contentsOfTemplate);
      };
      const waiting = moments.filter((_, i) => !empty || i % 2 === 0);
      const client = async () => {
        for (let after = waiting.shift(); after !== undefined; after = waiting.shift()) await attempt(after);
      };
      await Promise.all([client(), client()]);
    },
    240_000,
  );
});

describe('a terminal', () => {
  const hasTerminal = spawnSync('script', ['--version']).status === 0;
  test.skipIf(!hasTerminal).each([1, 3])(
    'Ctrl-C, %i times, ends npm start and leaves no PostgreSQL',
    async (times) => {
      const folder = await dataFolder();
      const terminal = launch('script', ['-qec', 'npm start', '/dev/null'], folder, 'pipe');
      await terminal.says('LinguaLoop listens');
      // It may have ended before the last Ctrl-C.
      terminal.child.stdin?.on('error', () => {});
      for (let n = 0; n < times; n++) {
        terminal.child.stdin?.write('\x03');
        await delay(100);
      }
      await poll(async () => processesOf(folder).length === 0, 30);
      terminal.child.stdin?.end();
      await terminal.ended;
    },
    60_000,
  );
});

test('an API and a worker with one data directory that end together leave no PostgreSQL', async () => {
  const folder = await dataFolder();
  for (let round = 0; round < 3; round++) {
    const services = [
      launch('node', ['server/main.ts', '--api-only'], folder),
      launch('node', ['workers/main.ts'], folder),
    ];
    await Promise.all(services.map((service) => service.says('LinguaLoop')));
    for (const service of services) service.signal('SIGTERM');
    expect(await Promise.all(services.map(({ ended }) => ended))).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
    expect(processesOf(folder)).toEqual([]);
  }
}, 60_000);

test('a second signal, over a second later, aborts running requests: 143, and no PostgreSQL', async () => {
  const folder = await dataFolder();
  const service = launch('node', ['server/main.ts'], folder);
  await service.says('LinguaLoop listens');
  const address = /http:[^\s"]+/.exec(service.output())?.[0] as string;
  // A request whose body does not arrive keeps the drain waiting.
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('{"source_text":')),
  });
  const call = fetch(`${address}/api/translations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': JSON.stringify(text) },
    body,
    duplex: 'half',
  }).catch(() => undefined);
  await delay(300);
  service.signal('SIGTERM');
  await delay(1500);
  expect(service.child.exitCode).toBeNull();
  service.signal('SIGTERM');
  expect(await service.ended).toEqual({ code: 143, signal: null });
  await call;
  expect(processesOf(folder)).toEqual([]);
}, 60_000);
