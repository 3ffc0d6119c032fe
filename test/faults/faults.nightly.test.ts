import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withoutPgbouncer } from '#test/setup/pgbouncer.ts';
import { missingForHosts } from './network.ts';
import { runFaults } from './run.ts';

/** One kill of each kind. `npm run test:faults` makes forty times as many. */
const kills = 5;

const connections = [
  { to: 'PostgreSQL itself', isPooled: false },
  { to: 'PgBouncer in transaction mode', isPooled: true },
].filter(({ isPooled }) => !isPooled || !withoutPgbouncer);

test.each(connections)(
  '5 kills under load, with connections to $to: nothing is lost or billed twice, no dead pool, no record without its job, no PostgreSQL left',
  async ({ isPooled }) => {
    const seed = Date.now() % 1_000_000;
    const lines = [`FAULTS_SEED=${seed}`];
    const { recoveries, wrong } = await runFaults({ kills, seed, isPooled }, (line) => lines.push(line));
    expect(wrong, lines.join('\n')).toEqual([]);
    expect(recoveries).toHaveLength(kills);
  },
  400_000,
);

const missing = missingForHosts();

test.skipIf(missing)(
  `two hosts with one bucket, 12 kills, one host cut off: nothing is lost or doubled ${missing ? `(${missing})` : ''}`,
  () => {
    const main = join(import.meta.dirname, 'main.ts');
    const env = { ...process.env, FAULTS_KILLS: '12' };
    const { status, stdout } = spawnSync(process.execPath, [main, 'hosts'], { env, encoding: 'utf8' });
    expect(status, stdout).toBe(0);
  },
  1_200_000,
);
