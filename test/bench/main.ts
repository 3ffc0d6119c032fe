import { cpus, totalmem } from 'node:os';
import { abuse } from './abuse.ts';
import { alignment } from './alignment.ts';
import { type Bench, Run, store } from './bench.ts';
import { day } from './day.ts';
import { documents } from './documents.ts';
import { gate } from './gate.ts';
import { glossary } from './glossary.ts';
import { growth } from './growth.ts';
import { memory } from './memory.ts';
import { model } from './model.ts';
import { text } from './text.ts';
import { textFiles } from './text-files.ts';
import { web } from './web.ts';

const benches: Record<string, Bench> = {
  ...{ text, model, memory, alignment, glossary, documents },
  ...{ 'text-files': textFiles, web, growth, abuse, gate, day },
};

/**
 * `npm run bench -- text memory/exact` runs a benchmark and a part of one; without names, all run. If a part fails, the
 * next ones still run. `--store` writes the figures into results.tsv.
 */
const args = process.argv.slice(2);
const asked = args.filter((arg) => arg !== '--store');
const all = Object.entries(benches).flatMap(([name, { parts }]) =>
  Object.keys(parts).map((part) => [name, part] as const),
);
const isAsked = ([name, part]: readonly [string, string]) =>
  asked.length === 0 || asked.includes(name) || asked.includes(`${name}/${part}`);
const unknown = asked.find((one) => !all.some(([name, part]) => one === name || one === `${name}/${part}`));
if (unknown) {
  console.error(`there is no benchmark ${unknown}, only ${all.map((one) => one.join('/')).join(', ')}`);
  process.exit(1);
}

console.log(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
for (const [name, part] of all.filter(isAsked)) {
  const { title, parts } = benches[name]!;
  console.log(`\n${name}/${part}: ${title}`);
  const run = new Run(name);
  try {
    await parts[part]!(run);
    if (args.includes('--store')) store(run.figures);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED: ${name}/${part}: ${error instanceof Error ? error.stack : error}`);
  }
}
