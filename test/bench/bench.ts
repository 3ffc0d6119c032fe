import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median, rounds } from './load.ts';

/** A benchmark: its parts run one after the other, or alone as `name/part`. */
export interface Bench {
  title: string;
  parts: Record<string, (run: Run) => Promise<void>>;
}

/** The limit of a figure. */
type Target = { most: number } | { least: number };

/** A line of the store: a benchmark, what it has measured, the figure and its target. */
export interface Figure {
  bench: string;
  what: string;
  figure: string;
  target: string;
}

/** Prints the figures of a benchmark, and keeps them for the store. A missed target makes the process fail. */
export class Run {
  readonly figures: Figure[] = [];
  readonly #bench: string;

  constructor(bench: string) {
    this.#bench = bench;
  }

  /** Reports a figure: one number, or the median of rounds. */
  figure(what: string, values: number | readonly number[], unit: string, target?: Target): void {
    const all = typeof values === 'number' ? [values] : values;
    const value = median(all);
    const isMissed = target && ('most' in target ? value > target.most : value < target.least);
    if (isMissed) process.exitCode = 1;
    const limit = target ? ('most' in target ? `≤ ${target.most}` : `≥ ${target.least}`) : '';
    const figure = `${digits(value)} ${unit}`.trim();
    const remarks = [
      ...(all.length > 1 && all.length <= 5 ? [`rounds ${all.map(digits).join(', ')}`] : []),
      ...(limit ? [`target ${limit}`] : []),
    ];
    this.note(
      `${what.padEnd(52)} ${figure.padStart(12)}${remarks.length > 0 ? `   (${remarks.join('; ')})` : ''}${isMissed ? '   MISSED' : ''}`,
    );
    this.figures.push({ bench: this.#bench, what, figure, target: limit && `${limit} ${unit}`.trim() });
  }

  /** Reports the median of the ratios of two sides, of which each round ran directly after the other. */
  ratio(what: string, above: readonly number[], below: readonly number[], target?: Target): void {
    this.figure(
      what,
      above.map((value, round) => value / below[round]!),
      '',
      target,
    );
  }

  /** Prints a line without storing it. */
  note(line: string): void {
    console.log(`  ${line}`);
  }
}

function digits(value: number): string {
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}

/**
 * Measures sides alternately in the rounds of a run. Each round starts with another side.
 * @returns the results of each side, by its name
 */
export async function alternate<K extends string, T>(
  sides: Record<K, () => Promise<T>>,
  times = rounds,
): Promise<Record<K, T[]>> {
  const names = Object.keys(sides) as K[];
  const results = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<K, T[]>;
  for (let round = 0; round < times; round++)
    for (const at of names.keys()) {
      const name = names[(at + round) % names.length]!;
      results[name].push(await sides[name]());
    }
  return results;
}

const storeFile = join(import.meta.dirname, 'results.tsv');

/** Stores figures in place of the earlier ones of the same benchmark and name. */
export function store(figures: readonly Figure[]): void {
  const [head = '', ...lines] = readFileSync(storeFile, 'utf8').trimEnd().split('\n');
  const rows = new Map(lines.map((line) => [line.split('\t').slice(0, 2).join('\t'), line]));
  for (const { bench, what, figure, target } of figures)
    rows.set(`${bench}\t${what}`, [bench, what, figure, target].join('\t'));
  const sorted = [...Map.groupBy(rows.values(), (line) => line.split('\t')[0])].flatMap(([, of]) => of);
  writeFileSync(storeFile, `${[head, ...sorted].join('\n')}\n`);
}
