import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { renderSection, writeResults } from '../report.ts';
import { corpusDocuments } from './corpus.ts';
import { hasPoppler } from './poppler.ts';
import { productOf } from './product.ts';
import { judgeRealText, realTextTable } from './real-text.ts';
import { judgeFiles, type RunOptions } from './run.ts';
import { judgeOfficeFiles } from './run-office.ts';
import { writeSample } from './sample.ts';
import { summaryOf } from './summary.ts';
import { targets } from './word-map.ts';
import { listWorst, writeWorst } from './worst.ts';

const docs = join(import.meta.dirname, '../../../docs');

const options = {
  eye: { type: 'boolean' },
  /** The directory of the results. */
  out: { type: 'string', default: 'fidelity' },
  /** A directory with the sources of LinguaLoop that are judged. */
  product: { type: 'string', default: join(import.meta.dirname, '../../..') },
  /** The names of scripts. */
  targets: { type: 'string', default: targets.map(({ name }) => name).join() },
  /** The number of pages of each file that are judged. */
  pages: { type: 'string', default: '12' },
  /** The number of worst pages that are drawn, by each measure. */
  worst: { type: 'string', default: '10' },
  /** The number of pages that are drawn at random, and the seed. */
  sample: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  /** Whether the table is stored in results.json, and the worst page of each measure in docs/gallery/worst. */
  publish: { type: 'boolean', default: false },
  /** A directory with the text of the PDF files as Markdown: `en`, and other languages. */
  memory: { type: 'string' },
} as const;

/**
 * Runs `npm run fidelity -- --eye [FILES…] [--out DIR]`. Judges PDF, DOCX and XLSX files, by default those of the
 * corpus, and writes a table and pictures to a directory.
 */
export async function runEye(args: readonly string[]): Promise<void> {
  if (!hasPoppler) {
    console.warn('skipped: poppler-utils is not installed');
    return;
  }
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const run: RunOptions = {
    output: resolve(values.out),
    checkout: resolve(values.product),
    targets: values.targets.split(','),
    pages: Number(values.pages),
  };
  mkdirSync(run.output, { recursive: true });
  const paths = positionals.length > 0 ? positionals.map((path) => resolve(path)) : corpusDocuments();
  if (values.memory !== undefined) {
    await judgeWithMemory(paths, values.memory, run);
    return;
  }
  const isPdf = (path: string): boolean => /\.pdf$/i.test(path);
  const results = await judgeFiles(paths.filter(isPdf), run);
  const documents = await judgeOfficeFiles(
    paths.filter((path) => !isPdf(path)),
    run,
  );
  if (!documents) console.warn('documents are skipped: LibreOffice is not installed');
  const section = summaryOf(results, documents ?? []);
  const summary = `${renderSection(section)}\n`;
  writeFileSync(join(run.output, 'README.md'), summary);
  writeFileSync(join(run.output, 'worst.txt'), listWorst(results, Number(values.worst)));
  writeWorst(results, run.output, Number(values.worst));
  if (values.sample !== '0') writeSample(results, run.output, Number(values.sample), Number(values.seed));
  if (values.publish) {
    writeResults(join(import.meta.dirname, 'results.json'), [section]);
    writeWorst(results, run.output, 1, join(docs, 'gallery/worst'));
  }
  console.log(summary);
}

async function judgeWithMemory(paths: readonly string[], memory: string, run: RunOptions): Promise<void> {
  if (!existsSync(memory)) {
    console.warn(`skipped: ${memory} does not exist`);
    return;
  }
  const { checkout, output, pages } = run;
  const results = await judgeRealText(paths, memory, productOf(checkout), output, pages);
  const section = { title: 'The eye', notes: '', tables: [realTextTable(results)] };
  writeFileSync(join(output, 'translations.md'), `${renderSection(section)}\n`);
  console.log(renderSection(section));
}
