import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sizeToRead } from '#server/formats/layout-formats.ts';
import type { LayoutKind } from '#server/formats/layout-kinds.ts';
import { corpusFile } from '#test/corpus/files.ts';
import type { Bench, Run } from './bench.ts';
import { workOnFile, workOnFiles } from './documents/file-work.ts';
import { openLibreOffice } from './documents/load-and-save.ts';
import { pdfReport } from './documents/pdf-file.ts';
import { textSlides } from './documents/presentation-file.ts';
import { wholeJobs } from './documents/whole-jobs.ts';
import { largestWordFile, wordReport } from './documents/word-file.ts';
import { largestWorkbook, textWorkbook } from './documents/workbook-file.ts';
import { requirePremise, rounds } from './load.ts';

export const documents: Bench = {
  title: 'Files that are translated in place: their work, compared with LibreOffice; whole jobs',
  parts: { office, largest, pages, jobs: wholeJobs },
};

/**
 * Measures check (of Office files), extraction and reconstruction in new child processes. Alternates with LibreOffice,
 * which opens the same file and saves it in its own format.
 */
async function office(run: Run): Promise<void> {
  const files: [what: string, format: LayoutKind, bytes: Uint8Array][] = [
    ['DOCX of 300 pages', 'docx', wordReport(300)],
    ['XLSX of 50,000 cells', 'xlsx', textWorkbook(50_000)],
    ['PPTX of 300 slides', 'pptx', textSlides(300)],
    ['PDF of 100 pages', 'pdf', await pdfReport(100)],
    ['PDF of 14 pages, a real paper', 'pdf', corpusFile('pdf/two-column-paper.pdf')],
  ];
  const folder = await mkdtemp(join(tmpdir(), 'lingualoop-bench-'));
  try {
    const paths = files.map(([, format], index) => join(folder, `file-${index}.${format}`));
    for (const [index, path] of paths.entries()) await writeFile(path, files[index]![2]);
    const libreOffice = await openLibreOffice(folder, paths[0]!);
    if (!libreOffice) run.note('LibreOffice is not installed: without the other side');
    for (const [index, [what, format, bytes]] of files.entries()) {
      const [ours, theirs]: [number[], number[]] = [[], []];
      for (let round = 0; round < rounds; round++) {
        ours.push((await workOnFile(format, bytes)).ms.all / 1000);
        if (libreOffice) theirs.push((await libreOffice.loadAndSave(paths[index]!)) / 1000);
      }
      run.figure(what, ours, 's');
      if (!libreOffice) continue;
      run.figure(`${what}: LibreOffice`, theirs, 's');
      run.ratio(`${what}: ours / LibreOffice`, ours, theirs, { most: 1 });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures the memory of the process that does the work, for files with the maximum unpacked size. */
async function largest(run: Run): Promise<void> {
  for (const [format, bytes] of [
    ['docx', largestWordFile()],
    ['xlsx', largestWorkbook()],
  ] as const) {
    requirePremise(
      sizeToRead(format, bytes) > 180e6,
      `the ${format} file is near the limit of the unpacked size`,
    );
    const { peakBytes } = await workOnFile(format, bytes);
    run.figure(`peak memory at 200,000,000 unpacked bytes: ${format}`, peakBytes / 1e6, 'MB', { most: 512 });
  }
}

/** Measures memory, CPU time and size for PDF files of three lengths, in a new process and in the same one again. */
async function pages(run: Run): Promise<void> {
  for (const pages of [10, 100, 600]) {
    // 600 full pages would exceed the limit of 2,000,000 characters per document (B 8).
    const report = await pdfReport(pages, 0.7);
    const [first, again] = await workOnFiles('pdf', [report, report]);
    requirePremise(first!.segments > 5 * pages, 'all pages have text');
    const title = `PDF of ${pages} pages`;
    for (const [what, { cpuMs }] of [
      ['', first!],
      [', again', again!],
    ] as const) {
      const target = pages === 600 ? { most: 60 } : undefined;
      run.figure(`${title}: CPU per page${what}`, (cpuMs.extract + cpuMs.rebuild) / pages, 'ms', target);
    }
    run.figure(`${title}: peak memory`, Math.max(first!.peakBytes, again!.peakBytes) / 1e6, 'MB', {
      most: 400,
    });
    run.figure(`${title}: output / input`, first!.rebuilt.length / report.length, '');
  }
}
