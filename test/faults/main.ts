import { pooledVictims, victims } from './cluster.ts';
import { runFaults } from './run.ts';

const kills = Number(process.env['FAULTS_KILLS'] ?? 200);
const seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 1_000_000);
const print = (line: string) => console.log(line);

print(`${kills} kills, FAULTS_SEED=${seed}`);
const isPooled = process.env['FAULTS_PGBOUNCER'] === '1';
const { recoveries, wrong, counts } = await runFaults({ kills, seed, isPooled }, print);

const at = (sorted: number[], share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
const figures = (values: number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.95, 1].map((share) => String(at(sorted, share)).padStart(6)).join(' ');
};
print('\nMilliseconds until everything worked again: median, 95th percentile, maximum');
print('killed       kills  a text is translated   jobs run');
for (const victim of isPooled ? pooledVictims : victims) {
  const of = recoveries.filter((recovery) => recovery.victim === victim);
  const [api, worker] = [of.map((one) => one.api), of.map((one) => one.worker)];
  print(`${victim.padEnd(12)} ${String(of.length).padStart(5)}  ${figures(api)}  ${figures(worker)}`);
}
print('\nAnswers by kind and status');
for (const [kind, count] of Object.entries(counts).toSorted()) print(`${kind}: ${count}`);
print(wrong.length === 0 ? '\nNothing lost, nothing billed twice' : `\nWRONG\n${wrong.join('\n')}`);
process.exit(wrong.length === 0 ? 0 : 1);
