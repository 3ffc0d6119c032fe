import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { sizeToRead } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { type FileCost, workOnFile, workOnFiles } from './documents/file-work.ts';
import { openLibreOffice } from './documents/load-and-save.ts';
import { pdfReport } from './documents/pdf-file.ts';
import { textSlides } from './documents/presentation-file.ts';
import { benchRefusals } from './documents/refusals.ts';
import { benchWholeJobs } from './documents/whole-jobs.ts';
import { largestWordFile, wordReport } from './documents/word-file.ts';
import { largestWorkbook, textWorkbook } from './documents/workbook-file.ts';
import { median, requirePremise } from './load.ts';

const rounds = Number(process.env['BENCH_ROUNDS'] ?? 3);

/**
 * Measures files that are translated keeping the layout: only the work on the file, complete jobs of a service, and
 * files that are rejected.
 */
export async function benchDocuments(print: (line: string) => void): Promise<void> {
  await benchBesideLibreOffice(print);
  await benchLargest(print);
  await benchGrowth(print);
  await benchPages(print);
  await benchLengths(print);
  await benchWholeJobs(print);
  await benchRefusals(print);
}

const seconds = (ms: number): string => (ms / 1000).toFixed(2);
const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);

/**
 * Measures check (of Office files), extraction and reconstruction in new child processes. Alternates with LibreOffice,
 * which opens the same file and saves it in its own format.
 */
async function benchBesideLibreOffice(print: (line: string) => void): Promise<void> {
  const files: [what: string, format: LayoutKind, bytes: Uint8Array][] = [
    ['a DOCX of 300 pages', 'docx', wordReport(300)],
    ['an XLSX of 50,000 cells', 'xlsx', textWorkbook(50_000)],
    ['a PPTX of 300 slides', 'pptx', textSlides(300)],
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

/** Measures the memory and CPU time of the process that does the work, for files with the maximum unpacked size. */
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

/** Measures the CPU time per cell for workbooks of four sizes. The start of the process is not included. */
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

/** Measures PDF files of three lengths, and LibreOffice's export of a Word file of about as many pages as PDF. */
async function benchLengths(print: (line: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  try {
    let office: Awaited<ReturnType<typeof openLibreOffice>> | undefined;
    for (const pages of [10, 100, 600]) {
      // 600 full pages would exceed the limit of 2,000,000 characters per document.
      const report = await pdfReport(pages, 0.7);
      const costs = await workOnFiles('pdf', [report, report]);
      for (const [index, { cpuMs, peakBytes, segments }] of costs.entries()) {
        requirePremise(segments > 5 * pages, 'all pages have text');
        const perPage = (cpuMs.extract + cpuMs.rebuild) / pages;
        print(
          `pdf of ${pages} pages, ${segments} texts, in ${index === 0 ? 'a new process' : 'the same process again'}: CPU time a page ${perPage.toFixed(1)} ms: extract ${(cpuMs.extract / pages).toFixed(1)}, rebuild ${(cpuMs.rebuild / pages).toFixed(1)}   (target 60); peak memory ${megabytes(peakBytes)} MB   (target below 400)`,
        );
      }
      const path = join(folder, `report-${pages}.docx`);
      await writeFile(path, wordReport(pages));
      office ??= await openLibreOffice(folder, path);
      if (!office) continue;
      const { ms, pdf } = await office.exportPdf(path);
      const exported = (await PDFDocument.load(pdf)).getPageCount();
      requirePremise(exported >= pages && exported < 2 * pages, 'the exported file is about as long');
      print(
        `    LibreOffice exports a Word file as a PDF of ${exported} pages in ${seconds(ms)} s: ${(ms / exported).toFixed(1)} ms a page`,
      );
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures memory, CPU time and size for PDF files with different numbers of pages. */
async function benchPages(print: (line: string) => void): Promise<void> {
  const measured: [pages: number, filled: number, target: string][] = [
    [10, 1, ''],
    [100, 1, '   (target below 400)'],
    // 1,000 full pages would exceed the limit of 2,000,000 characters per document (B 8).
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
