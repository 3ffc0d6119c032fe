import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pick, seededRandom } from '#test/bench/seeded-random.ts';
import { processesOf } from '#test/faults/leftovers.ts';
import { poll } from '#test/setup/poll.ts';

/** `SIGNAL_RUNS=50 SIGNAL_SEED=7 npm run test:all -- test/process/random-signals.slow.test.ts` */
const runs = Number(process.env['SIGNAL_RUNS'] ?? 6);
const seed = Number(process.env['SIGNAL_SEED'] ?? 1);

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

type Phase = 'start' | 'serving' | 'drain';

interface Plan {
  command: readonly string[];
  phase: Phase;
  /** Whether it creates the database, too. */
  empty: boolean;
  /** 0 to 1: the time of the signal within the phase. */
  moment: number;
  signals: { name: NodeJS.Signals; afterMs: number; toGroup: boolean }[];
}

const commands = [['server/main.ts'], ['server/main.ts', '--api-only'], ['workers/main.ts']] as const;

function makePlans(): Plan[] {
  const random = seededRandom(seed);
  return Array.from(
    { length: runs },
    (_, n): Plan => ({
      command: pick(commands, random),
      // Most errors are possible during the start.
      phase: (['start', 'drain', 'start', 'serving'] as const)[n % 4] as Phase,
      empty: n % 8 === 4,
      moment: random(),
      signals: Array.from({ length: 1 + Math.floor(random() * 3) }, (_, i) => ({
        name: pick(['SIGTERM', 'SIGINT'] as const, random),
        afterMs: i === 0 ? 0 : random() * (random() < 0.5 ? 50 : 1500),
        toGroup: random() < 0.5,
      })),
    }),
  );
}

let template: string;
let contentsOfTemplate: string[];
/** Milliseconds of a start, measured on this machine now. */
let startMs: number;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'lingualoop-random-signals-'));
  for (let n = 0; n < 2; n++) {
    const begun = performance.now();
    const service = launch(['server/main.ts'], template);
    await service.runs();
    startMs = performance.now() - begun;
    service.child.kill('SIGTERM');
    expect((await service.ended).code).toBe(0);
  }
  contentsOfTemplate = await contentsOf(template);
}, 120_000);
afterAll(() => rm(template, { recursive: true, force: true }));

function launch(command: readonly string[], DATA_DIR: string) {
  const child: ChildProcess = spawn(process.execPath, [...command], {
    cwd: root,
    // A system in another language: neither PostgreSQL nor other programs may use it.
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      LOG_LEVEL: 'info',
      DATA_DIR,
      LANG: 'de_DE.UTF-8',
      LC_MESSAGES: 'de_DE.UTF-8',
      LANGUAGE: 'de',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  );
  return {
    child,
    ended,
    output: () => output,
    runs: () => poll(async () => output.includes('"msg":"LinguaLoop '), 60),
    address: () => /LinguaLoop listens on ([^\s"]+)/.exec(output)?.[1],
  };
}

async function contentsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const changed = names.map(async (name) => `${name} ${(await stat(join(folder, name))).mtimeMs}`);
  return (await Promise.all(changed)).toSorted();
}

/** Allowed log messages of a start, a run and a drain, at `info` and above. */
const known =
  /^(LinguaLoop (listens on|workers are running)|Server listening at |No model is connected |file readers |request$|expired rows deleted$|Waiting for the PostgreSQL in )/;

/** Runs whose process was ended by the signal, because Node had not run our first line. */
let early = 0;

/** The errors of a run; empty if it passed. */
async function attempt(plan: Plan): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-random-signals-'));
  if (!plan.empty) await run('cp', ['-a', `${template}/.`, folder]);
  const service = launch(plan.command, folder);
  try {
    await waitFor(plan, service);
    for (const { name, afterMs, toGroup } of plan.signals) {
      await delay(afterMs);
      try {
        const pid = service.child.pid as number;
        process.kill(toGroup ? -pid : pid, name);
      } catch (error) {
        // It has already ended.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
    const ended = await Promise.race([service.ended, delay(60_000)]);
    const wrong: string[] = [];
    if (!ended) wrong.push('it did not end within a minute');
    else if (ended.signal !== null) {
      // Before Node runs our first line, nothing can listen, and nothing has begun.
      early += 1;
      const before = plan.empty ? [] : contentsOfTemplate;
      if (service.output() !== '' || String(await contentsOf(folder)) !== String(before))
        wrong.push(`it was ended by ${ended.signal} after it had begun`);
    } else if (ended.code !== 0) wrong.push(`it exited with ${ended.code}`);
    for (const line of service.output().split('\n').filter(Boolean)) {
      const { level, msg } = JSON.parse(line) as { level: number; msg: string };
      if (level > 40 || !known.test(msg)) wrong.push(`it said: ${line}`);
    }
    const left = processesOf(folder);
    if (left.length > 0) wrong.push(`it left ${left.join(', ')}`);
    return wrong;
  } finally {
    for (const line of processesOf(folder)) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    service.child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Waits for the moment of the first signal. */
async function waitFor({ phase, moment, empty }: Plan, service: ReturnType<typeof launch>): Promise<void> {
  if (phase === 'start') return void (await delay(moment * startMs * (empty ? 3 : 1)));
  await service.runs();
  const address = service.address();
  if (address) void fetch(`${address}/about`).catch(() => {});
  await delay(moment * 300);
  if (phase === 'drain') {
    service.child.kill('SIGTERM');
    await delay(moment * 1200);
  }
}

test(
  `signals at ${runs} random moments, one to three times each, end a process with 0 and leave no PostgreSQL (seed ${seed})`,
  async () => {
    const plans = makePlans();
    const waiting = [...plans.entries()];
    const wrong: string[] = [];
    const client = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const [n, plan] = next;
        const found = await attempt(plan);
        wrong.push(...found.map((words) => `run ${n} ${JSON.stringify(plan)}: ${words}`));
      }
    };
    await Promise.all([client(), client()]);
    if (runs > 6)
      console.log(`${runs - early} of ${runs} exited with 0, ${early} before Node ran our first line`);
    expect(wrong).toEqual([]);
  },
  60_000 + runs * 30_000,
);
