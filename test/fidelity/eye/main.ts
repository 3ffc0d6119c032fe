import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { corpusPdfs } from './corpus.ts';
import { hasPoppler } from './poppler.ts';
import { judgeFiles } from './run.ts';
import { writeSample } from './sample.ts';
import { summaryOf } from './summary.ts';
import { targets } from './word-map.ts';
import { listWorst, writeWorst } from './worst.ts';

/** Runs `npm run fidelity -- --eye [FILES…] [--out DIR] [--product DIR] [--targets Latin,Arabic] [--pages N]`. */
export async function runEye(args: readonly string[]): Promise<void> {
  if (!hasPoppler) {
    console.warn('skipped: poppler-utils is not installed');
    return;
  }
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      eye: { type: 'boolean' },
      out: { type: 'string', default: 'fidelity' },
      product: { type: 'string', default: join(import.meta.dirname, '../../..') },
      targets: { type: 'string', default: targets.map(({ name }) => name).join() },
      pages: { type: 'string', default: '30' },
      worst: { type: 'string', default: '10' },
      sample: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
    },
  });
  const output = resolve(values.out);
  const files = positionals.length > 0 ? positionals.map((path) => resolve(path)) : corpusPdfs();
  const results = await judgeFiles(files, {
    output,
    checkout: resolve(values.product),
    targets: values.targets.split(','),
    pages: Number(values.pages),
  });
  const summary = summaryOf(results);
  writeFileSync(join(output, 'README.md'), summary);
  writeFileSync(join(output, 'worst.txt'), listWorst(results, Number(values.worst)));
  writeWorst(results, output, Number(values.worst));
  writeSample(results, output, Number(values.sample), Number(values.seed));
  console.log(summary);
}
