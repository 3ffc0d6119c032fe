import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { corpusFile } from '#test/corpus/files.ts';
import { docxFidelity } from './docx.ts';
import { runEye } from './eye/main.ts';
import { type FileFidelity, type OfficeFormat, officeSection, type RoundTrips } from './office.ts';
import { writeGallery } from './pdf/gallery.ts';
import { pdfSection } from './pdf.ts';
import { renderReport, renderSection, type Section } from './report.ts';
import { type RoundTripFormat, roundTrips } from './round-trip.ts';
import { missingForScans } from './scans/measure.ts';
import { scanSection } from './scans/section.ts';
import { xlsxFidelity } from './xlsx.ts';

/** The formats, in the order of the page. */
export const officeFormats: readonly OfficeFormat[] = [docxFidelity, xlsxFidelity];

export const page = join(import.meta.dirname, '../../docs/fidelity.md');

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

/** Replaces the section about scans, which is the last one of the page. */
async function writeScans(): Promise<void> {
  const missing = missingForScans();
  if (missing) return console.warn(`scans were not measured: ${missing}`);
  const before = readFileSync(page, 'utf8').split('\n## Scans\n')[0]!.trimEnd();
  writeFileSync(page, `${before}\n\n${renderSection(await scanSection())}\n`);
}

/**
 * Without arguments, writes the page. With `--gallery`, writes the pictures of PDF pages instead; with `--eye`, judges
 * translations by how they look; with `--scans`, measures the recognition of scanned pages.
 */
if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--gallery')) await writeGallery();
  else if (process.argv.includes('--eye')) await runEye(process.argv.slice(2));
  else if (process.argv.includes('--scans')) await writeScans();
  else {
    const sections: Section[] = [];
    for (const format of officeFormats) sections.push(await measureOffice(format));
    sections.push(await pdfSection());
    const before = readFileSync(page, 'utf8');
    // The text files are real files of public projects, which are not in the repository: their section stays.
    const textFiles = before.slice(before.indexOf('\n## Text files\n'));
    const after = renderReport(sections) + textFiles;
    writeFileSync(page, after);
    console.log(before === after ? 'docs/fidelity.md is as it was' : 'docs/fidelity.md has changed');
  }
}
