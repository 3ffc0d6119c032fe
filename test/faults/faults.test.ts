import { expect, test } from 'vitest';
import { runFaults } from './run.ts';

/** Two of each kind. `npm run test:faults` does twenty times as many. */
const kills = 10;

test('10 kills under load: nothing is lost or billed twice, no pool dead, no record without its job, no PostgreSQL left', async () => {
  const seed = Date.now() % 1_000_000;
  const lines = [`FAULTS_SEED=${seed}`];
  const { recoveries, wrong } = await runFaults({ kills, seed }, (line) => lines.push(line));
  expect(wrong, lines.join('\n')).toEqual([]);
  expect(recoveries).toHaveLength(kills);
}, 400_000);
