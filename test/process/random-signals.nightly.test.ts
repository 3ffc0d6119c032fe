import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pick, seededRandom } from '#test/bench/seeded-random.ts';
import { type Launched, launch, processesOf } from '#test/setup/launch.ts';
import { discard, useStoppedDatabase } from './stopped-database.ts';

/**
 * The number of runs. For more runs, or other ones:
 * `SIGNAL_RUNS=50 SIGNAL_SEED=7 npm run test:all -- test/process/random-signals.nightly.test.ts`
 */
const runs = Number(process.env['SIGNAL_RUNS'] ?? 12);
const seed = Number(process.env['SIGNAL_SEED'] ?? 1);

const database = useStoppedDatabase();

type Phase = 'start' | 'serving' | 'drain';

interface Plan {
  command: readonly string[];
  phase: Phase;
  /** Whether the process also creates the database. */
  empty: boolean;
  /** The time of the signal within the phase, from 0 to 1. */
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
      // `start` occurs twice, because most errors are possible during the start.
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

/** The environment of a system in another language. Neither PostgreSQL nor other programs may use that language. */
const german = { LANG: 'de_DE.UTF-8', LC_MESSAGES: 'de_DE.UTF-8', LANGUAGE: 'de' };

async function contentsOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const changed = names.map(async (name) => `${name} ${(await stat(join(folder, name))).mtimeMs}`);
  return (await Promise.all(changed)).toSorted();
}

/** The log messages at `info` and above that are allowed during start, operation and drain. */
const known =
  /^(LinguaLoop (listens on|workers are running)|Server listening at |No model is connected |file readers |request$|expired rows deleted$|Waiting for the PostgreSQL server in )/;

/** The number of runs in which the signal ended the process before Node had run the first line of the service. */
let early = 0;

/** The errors of a run; empty if it passed. */
async function attempt(plan: Plan): Promise<string[]> {
  const folder = await database.copy({ empty: plan.empty });
  const before = await contentsOf(folder);
  const env = { DATA_DIR: folder, LOG_LEVEL: 'info', ...german };
  const service = launch(plan.command, env, { detached: true });
  await waitFor(plan, service);
  for (const { name, afterMs, toGroup } of plan.signals) {
    await delay(afterMs);
    try {
      const pid = service.child.pid as number;
      process.kill(toGroup ? -pid : pid, name);
    } catch (error) {
      // The process has already ended.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  const ended = await Promise.race([service.ended, delay(60_000)]);
  const wrong: string[] = [];
  if (!ended) wrong.push('it did not end within a minute');
  else if (ended.signal !== null) {
    // Before the first line of the service has run, no port is open and no work has begun.
    early += 1;
    if (service.printed() !== '' || String(await contentsOf(folder)) !== String(before))
      wrong.push(`it was ended by ${ended.signal} after it had begun`);
  } else if (ended.code !== 0) wrong.push(`it exited with ${ended.code}`);
  for (const line of service.printed().split('\n').filter(Boolean)) {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string };
    if (level > 40 || !known.test(msg)) wrong.push(`it printed: ${line}`);
  }
  const left = processesOf(folder);
  if (left.length > 0) wrong.push(`it left ${left.join(', ')}`);
  await discard(folder);
  return wrong;
}

/** Waits until the time of the first signal. */
async function waitFor({ phase, moment, empty }: Plan, service: Launched): Promise<void> {
  if (phase === 'start') return void (await delay(moment * database.startMs * (empty ? 3 : 1)));
  await service.says('"msg":"LinguaLoop ');
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
    if (runs > 12)
      console.log(`${runs - early} of ${runs} exited with 0, ${early} before Node ran our first line`);
    expect(wrong).toEqual([]);
  },
  60_000 + runs * 30_000,
);
