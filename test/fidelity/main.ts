import { join } from 'node:path';
import { corpusFile } from '#test/corpus/files.ts';
import { docxFidelity } from './docx.ts';
import { runEye } from './eye/main.ts';
import { kindSection } from './kinds.ts';
import { type FileFidelity, type OfficeFormat, officeSection, type RoundTrips } from './office.ts';
import { writeGallery } from './pdf/gallery.ts';
import { runTwin } from './pdf/twin.ts';
import { pdfSection } from './pdf.ts';
import { readResults, renderSection, type Section, type StoredSection, writeResults } from './report.ts';
import { type RoundTripFormat, roundTrips } from './round-trip.ts';
import { missingForScans } from './scans/measure.ts';
import { scanSection } from './scans/section.ts';
import { xlsxFidelity } from './xlsx.ts';

/** The formats, in the order of the results. */
export const officeFormats: readonly OfficeFormat[] = [docxFidelity, xlsxFidelity];

/** The stored results. docs/fidelity.md summarizes them. */
export const resultsFile = join(import.meta.dirname, 'results.json');

async function measureOffice(format: OfficeFormat): Promise<Section> {
  const files = await format.measure();
  const opened = format.open(files);
  if (opened === null) console.warn(`${format.judge} is not installed: nothing was opened`);
  return officeSection(format, files, opened, tripsOf(format, files));
}

/** Lets LibreOffice save the sources and the translations. */
function tripsOf({ title }: OfficeFormat, files: readonly FileFidelity[]): RoundTrips | undefined {
  const format = title.toLowerCase() as RoundTripFormat;
  const sources = files.map(({ name }) => [name, corpusFile(`${format}/${name}`)] as const);
  const before = roundTrips(Object.fromEntries(sources), format);
  const after = roundTrips(
    Object.fromEntries(files.map(({ name, translated }) => [name, translated])),
    format,
  );
  return before && after ? { before, after } : undefined;
}

/** Prints sections, and stores them in place of the earlier sections with the same titles. */
function publish(sections: readonly Section[]): void {
  const byTitle = new Map<string, StoredSection>(
    [...readResults(resultsFile), ...sections].map((section) => [section.title, section]),
  );
  writeResults(resultsFile, [...byTitle.values()]);
  console.log(sections.map(renderSection).join('\n\n'));
}

/**
 * Without arguments, measures the Office and PDF files of the corpus; with `--kinds`, only PDF pages by kind. With `--gallery`, writes the pictures of PDF pages
 * instead; with `--eye`, judges translations by how they look; with `--scans`, measures the recognition of scanned
 * pages; with `--twin FOLDER…`, compares the segments of a PDF with the same document as HTML. The results of text files and presentations stay: their files are not in the repository.
 */
if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--gallery')) await writeGallery();
  else if (process.argv.includes('--eye')) await runEye(process.argv.slice(2));
  else if (process.argv.includes('--kinds')) publish([await kindSection()]);
  else if (process.argv.includes('--twin'))
    await runTwin(
      process.argv.slice(2).filter((path) => !path.startsWith('--')),
      process.argv.includes('--verbose'),
    );
  else if (process.argv.includes('--scans')) {
    const missing = missingForScans();
    if (missing) console.warn(`scans were not measured: ${missing}`);
    else publish([await scanSection()]);
  } else {
    const sections: Section[] = [];
    for (const format of officeFormats) sections.push(await measureOffice(format));
    sections.push(await pdfSection(), await kindSection());
    publish(sections);
  }
}
