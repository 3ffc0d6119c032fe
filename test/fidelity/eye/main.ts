import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { publish, readResults, renderSection, type Section } from '../report.ts';
import { compareSections } from './compare.ts';
import { corpusDocuments } from './corpus.ts';
import { judgeFiles, type RunOptions } from './run.ts';
import { judgeOfficeFiles } from './run-office.ts';
import { cutPages, drawStrangers, readStrangers } from './strangers.ts';
import { sampleSummary, summaryOf } from './summary.ts';
import { targets } from './word-map.ts';
import { listWorst, writeWorst } from './worst.ts';

const docs = join(import.meta.dirname, '../../../docs');

const options = {
  eye: { type: 'boolean' },
  /** The directory of the results. */
  out: { type: 'string', default: 'fidelity' },
  /** The names of scripts. */
  targets: { type: 'string', default: targets.map(({ name }) => name).join() },
  /** The number of pages of each file that are judged. */
  pages: { type: 'string', default: '12' },
  /** The number of worst pages that are drawn, by each measure. */
  worst: { type: 'string', default: '10' },
  /** A directory of fetched repositories: judges the pages of strangers' files in sample.tsv instead. */
  sample: { type: 'string' },
  /** Whether the figures are compared with those in results.json. */
  baseline: { type: 'boolean', default: false },
  /** Whether the table is stored in results.json, and the worst page of each measure in docs/gallery/worst. */
  publish: { type: 'boolean', default: false },
} as const;

/**
 * Runs `npm run fidelity -- --eye [FILES…] [--out DIR]`. Judges PDF, DOCX and XLSX files, by default those of the
 * corpus, and writes a table and pictures to a directory.
 */
export async function runEye(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const run: RunOptions = {
    output: resolve(values.out),
    targets: values.targets.split(','),
    pages: Number(values.pages),
  };
  mkdirSync(run.output, { recursive: true });
  const paths = positionals.length > 0 ? positionals.map((path) => resolve(path)) : corpusDocuments();
  if (values.sample !== undefined) {
    await judgeSample(values.sample, run, values);
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
  writeFileSync(join(run.output, 'README.md'), `${renderSection(section)}\n`);
  writeFileSync(join(run.output, 'worst.txt'), listWorst(results, Number(values.worst)));
  writeWorst(results, run.output, Number(values.worst));
  report(section, values);
  if (values.publish) writeWorst(results, run.output, 1, join(docs, 'gallery/worst'));
}

async function judgeSample(folder: string, run: RunOptions, show: Show): Promise<void> {
  const strangers = readStrangers();
  const results = await judgeFiles(cutPages(strangers, resolve(folder), join(run.output, 'pages')), run);
  drawStrangers(results, run.output);
  const kinds = new Map(strangers.map(({ number, kind }) => [number, kind]));
  const section = sampleSummary(results, ({ path }) => kinds.get(basename(path, '.pdf')) ?? '');
  writeFileSync(join(run.output, 'README.md'), `${renderSection(section)}\n`);
  report(section, show);
}

interface Show {
  baseline: boolean;
  publish: boolean;
}

/** Prints figures, or what has changed since they were stored, and stores them in place of the earlier ones. */
function report(section: Section, { baseline, publish: publishes }: Show): void {
  const path = join(import.meta.dirname, 'results.json');
  const earlier = readResults(path).find(({ title }) => title === section.title);
  if (publishes) publish(path, [section]);
  else if (!baseline) console.log(renderSection(section));
  if (baseline) console.log(earlier ? compareSections(earlier, section).join('\n') : 'nothing is stored');
}
