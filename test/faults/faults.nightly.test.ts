import { expect, test } from 'vitest';
import { runFaults } from './run.ts';

/** One kill of each kind. `npm run test:faults` makes forty times as many. */
const kills = 5;

test('5 kills under load: nothing is lost or billed twice, no dead pool, no record without its job, no PostgreSQL left', async () => {
  const seed = Date.now() % 1_000_000;
  const lines = [`FAULTS_SEED=${seed}`];
  const { recoveries, wrong } = await runFaults({ kills, seed }, (line) => lines.push(line));
  expect(wrong, lines.join('\n')).toEqual([]);
  expect(recoveries).toHaveLength(kills);
}, 400_000);
