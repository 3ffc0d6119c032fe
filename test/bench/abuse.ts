import { attacks } from '#test/abuse/attacks.ts';
import { type Attack, measureAttack } from '#test/abuse/measure-attack.ts';

import { requirePremise } from './load.ts';

/**
 * Runs each attack with a separate service. `BENCH_ATTACKS` can contain the names of the attacks to run, separated by
 * commas.
 */
export async function benchAbuse(print: (line: string) => void): Promise<void> {
  const asked = process.env['BENCH_ATTACKS']?.split(',');
  for (const [name, attack] of Object.entries<Attack>(attacks)) {
    if (asked && !asked.includes(name)) continue;
    const { healthz, memory, longestBlock, figures } = await measureAttack(attack);
    requirePremise(healthz.count >= 10, `${name}: requests during the attack, not only ${healthz.count}`);
    requirePremise(healthz.failed < healthz.count / 2, `${name}: the service is alive`);
    print(`${name}: ${attack.title}`);
    print(
      // Fewer than 100 requests have no 99th percentile.
      `  healthz ${healthz.count} asked, ${healthz.failed} failed, p50 ${healthz.p50}, p99 ${healthz.count < 100 ? '-' : healthz.p99}, max ${healthz.max} ms (100, 300)`,
    );
    print(`  memory ${memory.before} MB before, ${memory.peak} peak, ${memory.after} after (within 100)`);
    print(`  longest block of the event loop: ${longestBlock} ms of CPU time`);
    for (const [figure, value] of Object.entries(figures)) print(`  ${figure}: ${value}`);
  }
}
