import { attacks } from '#test/abuse/attacks.ts';
import { type Attack, measureAttack } from '#test/abuse/measure-attack.ts';
import type { Bench, Run } from './bench.ts';
import { requirePremise } from './load.ts';

export const abuse: Bench = {
  title: 'Attacks: the latency of /healthz and the memory of the API under each',
  parts: Object.fromEntries(
    Object.entries<Attack>(attacks).map(([name, attack]) => [name, (run) => attackAlone(run, name, attack)]),
  ),
};

/** Runs an attack with a separate service. */
async function attackAlone(run: Run, name: string, attack: Attack): Promise<void> {
  run.note(attack.title);
  const { healthz, memory, longestBlock, figures } = await measureAttack(attack);
  requirePremise(healthz.count >= 10, `requests during the attack, not only ${healthz.count}`);
  requirePremise(healthz.failed < healthz.count / 2, 'the service is alive');
  // Fewer than 100 requests have no 99th percentile.
  if (healthz.count >= 100) run.figure(`${name}: p99`, healthz.p99, 'ms', { most: 100 });
  run.figure(`${name}: maximum`, healthz.max, 'ms', { most: 300 });
  run.figure(`${name}: memory before`, memory.before, 'MB');
  run.figure(`${name}: memory, peak`, memory.peak, 'MB');
  run.figure(`${name}: memory after`, memory.after, 'MB', { most: memory.before + 100 });
  run.note(
    `  ${healthz.failed} of ${healthz.count} requests failed; the longest block took ${longestBlock} ms`,
  );
  for (const [figure, value] of Object.entries(figures)) run.note(`  ${figure}: ${value}`);
}
