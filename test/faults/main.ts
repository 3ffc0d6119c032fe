import { spawnSync } from 'node:child_process';
import { victims } from './cluster.ts';
import { runHosts } from './hosts.ts';
import { missingForHosts } from './network.ts';
import { runFaults } from './run.ts';

const kills = Number(process.env['FAULTS_KILLS'] ?? 200);
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const print = (line: string) => console.log(line);
const [what] = process.argv.slice(2);

const at = (sorted: number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
const sorted = (values: number[]) => values.toSorted((a, b) => a - b);

/** Kills the processes of one host. */
async function onOneHost(): Promise<string[]> {
  const { recoveries, wrong, counts } = await runFaults({ kills, seed }, print);
  const figures = (values: number[]) =>
    [0.5, 0.95, 1].map((share) => String(at(sorted(values), share)).padStart(6)).join(' ');
  print('\nMilliseconds until everything worked again: median, 95th percentile, maximum');
  print('killed       kills  a text is translated   jobs run');
  for (const victim of victims) {
    const of = recoveries.filter((recovery) => recovery.victim === victim);
    const [api, worker] = [of.map((one) => one.api), of.map((one) => one.worker)];
    print(`${victim.padEnd(12)} ${String(of.length).padStart(5)}  ${figures(api)}  ${figures(worker)}`);
  }
  printCounts(counts);
  return wrong;
}

/** Kills the processes of two hosts, and cuts one off. */
async function onTwoHosts(): Promise<string[]> {
  const cutSeconds = Number(process.env['FAULTS_CUT'] ?? 45);
  const {
    kills: killed,
    cuts,
    lostResponses,
    wrong,
    counts,
  } = await runHosts({ kills, seed, cutSeconds }, print);
  print('\nkilled      kills  with work  median in progress');
  for (const victim of ['api a', 'worker a', 'api b', 'worker b']) {
    const of = killed.filter((one) => one.victim === victim).map(({ inProgress }) => inProgress);
    const busy = of.filter((count) => count > 0).length;
    print(
      `${victim.padEnd(11)} ${[of.length, busy, at(sorted(of), 0.5)].map((n) => String(n).padStart(5)).join('      ')}`,
    );
  }
  print(
    '\nHost b was cut off: seconds until its transactions and its connections ended, longest pause of a workspace at a',
  );
  for (const { duration, ...cut } of cuts)
    print(
      `${duration} s: ${cut.transactions} open transactions, ${cut.transactionsEnded} ${cut.connectionsEnded} ${cut.longestPause}`,
    );
  print(`\nResponses of the bucket to writes that were lost: ${lostResponses}`);
  printCounts(counts);
  return wrong;
}

function printCounts(counts: Record<string, number>): void {
  print('\nAnswers by kind and status');
  for (const [kind, count] of Object.entries(counts).toSorted()) print(`${kind}: ${count}`);
}

if (what === 'hosts') {
  const missing = missingForHosts();
  if (missing) {
    print(`Skipped: ${missing}`);
    process.exit(0);
  }
  // In a separate network, whose interfaces and rules end with the process.
  if (process.argv[3] !== 'inside') {
    const again = ['--net', process.execPath, ...process.argv.slice(1), 'inside'];
    process.exit(spawnSync('unshare', again, { stdio: 'inherit' }).status ?? 1);
  }
}
print(`${kills} kills, FAULTS_SEED=${seed}`);
const wrong = await (what === 'hosts' ? onTwoHosts() : onOneHost());
print(wrong.length === 0 ? '\nNothing lost, nothing billed twice' : `\nWRONG\n${wrong.join('\n')}`);
process.exit(wrong.length === 0 ? 0 : 1);
