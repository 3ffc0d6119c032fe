import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LayoutKind } from '#server/formats/document-kind.ts';
import { sizeToRead } from '#server/formats/layout-formats.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { type FileCost, workOnFile } from './documents/file-work.ts';
import { openLibreOffice } from './documents/load-and-save.ts';
import { pdfReport } from './documents/pdf-file.ts';
import { benchRefusals } from './documents/refusals.ts';
import { benchWholeJobs } from './documents/whole-jobs.ts';
import { largestWordFile, wordReport } from './documents/word-file.ts';
import { largestWorkbook, textWorkbook } from './documents/workbook-file.ts';
import { median, requirePremise } from './load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);

/** Files that are translated in place: the file work alone, whole jobs of a service, and files that are refused. */
export async function benchDocuments(print: (line: string) => void): Promise<void> {
  await benchBesideLibreOffice(print);
  await benchLargest(print);
  await benchGrowth(print);
  await benchPages(print);
  await benchWholeJobs(print);
  await benchRefusals(print);
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/**
 * Check (of Office files), extract and rebuild in fresh child processes, alternating with LibreOffice, which loads and saves the
 * same file in its format.
 */
async function benchBesideLibreOffice(print: (line: string) => void): Promise<void> {
  const files: [what: string, format: LayoutKind, bytes: Uint8Array][] = [
    ['a DOCX of 300 pages', 'docx', wordReport(300)],
    ['an XLSX of 50,000 cells', 'xlsx', textWorkbook(50_000)],
    ['a PDF of 100 pages', 'pdf', await pdfReport(100)],
    ['a PDF of 14 pages (two-column-paper.pdf)', 'pdf', corpusFile('pdf/two-column-paper.pdf')],
  ];
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  try {
    const paths = files.map(([, format], index) => join(folder, `file-${index}.${format}`));
    for (const [index, path] of paths.entries()) await writeFile(path, files[index]![2]);
    const office = await openLibreOffice(folder, paths[0]!);
    if (!office) print('(LibreOffice is not installed: without the other side)');
    for (const [index, [what, format, bytes]] of files.entries()) {
      const [ours, theirs, ratios]: [FileCost[], number[], number[]] = [[], [], []];
      for (let round = 0; round < rounds; round++) {
        const cost = await workOnFile(format, bytes);
        ours.push(cost);
        if (!office) continue;
        theirs.push(await office.loadAndSave(paths[index]!));
        ratios.push(cost.ms.all / theirs.at(-1)!);
      }
      const of = (task: keyof FileCost['ms']) => seconds(median(ours.map(({ ms }) => ms[task])));
      print(
        `${what}, ${ours[0]!.segments} texts: ${of('all')} s: check with the start of a process ${of('check')}, extract ${of('extract')}, rebuild ${of('rebuild')}`,
      );
      if (office)
        print(
          `    LibreOffice loads and saves it in ${seconds(median(theirs))} s; ours / theirs ${median(ratios).toFixed(2)} (rounds ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')})   (target below 1)`,
        );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Memory and CPU time of the process that does the work, for files at the limit of the unpacked size. */
async function benchLargest(print: (line: string) => void): Promise<void> {
  for (const [format, bytes] of [
    ['docx', largestWordFile()],
    ['xlsx', largestWorkbook()],
  ] as const) {
    const unpacked = sizeToRead(format, bytes);
    requirePremise(unpacked > 180e6, `the ${format} file is near the limit of the unpacked size`);
    const { cpuMs, peakBytes, segments } = await workOnFile(format, bytes);
    print(
      `${format} of ${megabytes(unpacked)} MB unpacked, ${segments} texts: peak memory of its process ${megabytes(peakBytes)} MB   (target below 512); CPU time: check ${seconds(cpuMs.check)}, extract ${seconds(cpuMs.extract)}, rebuild ${seconds(cpuMs.rebuild)} s`,
    );
  }
}

/** Time per cell for workbooks of four sizes, in CPU time, and without the start of the process. */
async function benchGrowth(print: (line: string) => void): Promise<void> {
  const figures: string[] = [];
  for (const cells of [5000, 10_000, 25_000, 50_000]) {
    const bytes = textWorkbook(cells);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { cpuMs } = await workOnFile('xlsx', bytes);
      times.push(cpuMs.extract + cpuMs.rebuild);
    }
    figures.push(
      `${cells}: ${median(times).toFixed(0)} ms, ${((1000 * median(times)) / cells).toFixed(1)} µs a cell`,
    );
  }
  print(`extract and rebuild of an XLSX by cells, CPU time: ${figures.join('; ')}`);
}

/** Memory, CPU time and size by the pages of a PDF. */
async function benchPages(print: (line: string) => void): Promise<void> {
  const measured: [pages: number, filled: number, target: string][] = [
    [10, 1, ''],
    [100, 1, '   (target below 400)'],
    // 1,000 full pages would have more than the 2,000,000 characters of a document (B 8).
    [100, 0.15, ''],
    [1000, 0.15, '   (target at most twice that of 100)'],
  ];
  for (const [pages, filled, target] of measured) {
    const bytes = await pdfReport(pages, filled);
    const { cpuMs, peakBytes, segments, rebuilt } = await workOnFile('pdf', bytes);
    print(
      `pdf of ${pages} ${filled === 1 ? 'full pages' : 'pages that are mostly empty'}, ${segments} texts: peak memory of its process ${megabytes(peakBytes)} MB${target}; CPU time a page: extract ${(cpuMs.extract / pages).toFixed(1)}, rebuild ${(cpuMs.rebuild / pages).toFixed(1)} ms; output / input ${(rebuilt.length / bytes.length).toFixed(2)} (${megabytes(bytes.length)} MB)`,
    );
  }
}
