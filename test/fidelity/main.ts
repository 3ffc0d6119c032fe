import { join } from 'node:path';
import { corpusFile } from '#test/corpus/files.ts';
import { docxFidelity } from './docx.ts';
import { runEye } from './eye/main.ts';
import { hasPoppler } from './eye/poppler.ts';
import { kindSection } from './kinds.ts';
import { type FileFidelity, type OfficeFormat, officeSection, type RoundTrips } from './office.ts';
import { writeGallery } from './pdf/gallery.ts';
import { pdfSection } from './pdf.ts';
import { publish, renderSection, type Section } from './report.ts';
import { type RoundTripFormat, roundTrips } from './round-trip.ts';
import { missingForScans } from './scans/measure.ts';
import { scanSection } from './scans/section.ts';
import { slides } from './slides.ts';
import { type FolderJudge, judgeFolders } from './strangers.ts';
import { textFiles } from './text-files.ts';
import { measureTexts } from './texts.ts';
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

/** A comparison, which `npm run fidelity` runs by its flag; `corpus` without a flag. */
interface Comparison {
  /** Why it cannot run; undefined if it can. */
  missing?(): string | undefined;
  /** Returns the results that are stored. The results of files that are not in the repository are only printed. */
  run(paths: string[]): Promise<Section[] | undefined>;
}

async function corpusSections(): Promise<Section[]> {
  const sections: Section[] = [];
  for (const format of officeFormats) sections.push(await measureOffice(format));
  sections.push(await pdfSection(), await kindSection());
  return sections;
}

const ofFolders = <Kind extends string>(judge: FolderJudge<Kind>): Comparison => ({
  missing: judge.missing,
  run: async (paths) => void console.log(renderSection(await judgeFolders(judge, paths))),
});

const comparisons: Record<string, Comparison> = {
  corpus: { run: corpusSections },
  kinds: { run: async () => [await kindSection()] },
  scans: { missing: missingForScans, run: async () => [await scanSection()] },
  texts: { run: async () => measureTexts(process.argv.slice(2)) },
  'text-files': ofFolders(textFiles),
  slides: ofFolders(slides),
  gallery: { run: async () => void (await writeGallery()) },
  eye: {
    missing: () => (hasPoppler ? undefined : 'poppler-utils is not installed'),
    run: async () => void (await runEye(process.argv.slice(2))),
  },
};

/**
 * Without arguments, measures the Office and PDF files of the corpus. `--kinds` measures only PDF pages by kind,
 * `--scans` the recognition of scanned pages, `--eye` how translations look, `--texts FOLDER` the texts of tagged PDF files,
 * `--text-files FOLDER…` and `--slides FOLDER…` files of strangers. `--gallery` writes the pictures of PDF pages.
 */
if (process.argv[1] === import.meta.filename) {
  const flags = process.argv.slice(2).filter((arg) => arg.startsWith('--'));
  const asked = flags.map((flag) => flag.slice(2)).find((name) => Object.hasOwn(comparisons, name));
  const comparison = comparisons[asked ?? 'corpus']!;
  const missing = comparison.missing?.();
  if (missing) console.warn(`skipped: ${missing}`);
  else {
    const sections = await comparison.run(process.argv.slice(2).filter((arg) => !arg.startsWith('--')));
    if (sections) publish(resultsFile, sections);
  }
}
