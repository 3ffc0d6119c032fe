import { expect, test } from 'vitest';
import { withoutPgbouncer } from '#test/setup/pgbouncer.ts';
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
