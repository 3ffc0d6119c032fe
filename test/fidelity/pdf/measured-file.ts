import type { Finding } from '#server/formats/document.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { partsOf } from '#server/formats/pdf/continuations.ts';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import { normalize } from '#server/formats/pdf/normalize.ts';
import { openPdf } from '#server/formats/pdf/open-pdf.ts';
import { runsOf } from '#server/formats/pdf/statistics.ts';
import { pageOfBlock } from '#server/formats/pdf/text-block.ts';
import { hasPdftotext, textByPdftotext } from '#test/formats/golden-pdf-readers.ts';
import { qpdfCheck } from '#test/formats/qpdf-check.ts';
import type { Comparison } from '../office.ts';
import { type Counts, countEach } from '../report.ts';
import { targetLanguage } from '../stub-translation.ts';
import { findTranslations } from './copied-text.ts';
import { readImages } from './images.ts';
import { readStructure } from './structure.ts';
import { type TranslatedFile, type TranslatedSegment, translateFile } from './translated-file.ts';
import { type Explained, explain } from './word-exceptions.ts';
import { compareWords, wordsOf } from './words.ts';

/** A file of the corpus that the stub engine has translated, and its figures. */
export interface MeasuredFile {
  name: string;
  comparisons: Comparison[];
  /** Errors that `qpdf --check` reports for the result. */
  complaints: string;
  /** The size of the result divided by the size of the source. */
  size: number;
  segments: number;
  /** The number of texts that are not translated, by reason. */
  kept: Counts;
  findings: Finding[];
  /** Null if pdftotext is not installed. */
  words: MeasuredWords | null;
}

/** The words that pdftotext finds in the source and in the result. */
export interface MeasuredWords {
  total: number;
  /** Words of the source that are neither in a segment nor in an untranslated text. */
  missing: Explained[];
  /** Words that occur more often in segments than on the page. */
  twice: string[];
  /** Words of the result that are neither in a translation nor in an untranslated text. */
  left: Explained[];
  /** The number of segments whose translation is in the result. Each needs its own occurrence. */
  translatedOnce: number;
  /** The number of segments whose translation was cut, according to the findings. */
  cut: number;
}

export async function measureFile(name: string): Promise<MeasuredFile> {
  const file = await translateFile(name, ({ source }) => [`[${targetLanguage}] `, ...source]);
  const { source, bytes, segments, findings } = file;
  const kept = await readKept(source);
  return {
    name,
    comparisons: await compareStructure(file),
    complaints: await qpdfCheck(bytes),
    size: bytes.length / source.length,
    segments: segments.length,
    kept: countEach(kept.flat().flatMap(({ reason }) => (reason === 'blank' ? [] : [reason]))),
    findings,
    words: hasPdftotext ? compareTexts(file, kept) : null,
  };
}

async function compareStructure({ source, bytes }: TranslatedFile): Promise<Comparison[]> {
  const [before, after] = [await readStructure(source), await readStructure(bytes)];
  const comparison = (kind: string, key: keyof typeof before): Comparison => ({
    kind,
    before: before[key],
    after: after[key],
  });
  const fields = (kind: string, key: 'fields' | 'widgets'): Comparison => ({
    kind,
    before: before[key],
    after: after[key].map((field, index) => asBefore(field, before[key][index])),
  });
  return [
    comparison('pages', 'pages'),
    { kind: 'images', before: await readImages(source), after: await readImages(bytes) },
    comparison('links', 'links'),
    comparison('other annotations', 'otherAnnotations'),
    comparison('bookmarks', 'bookmarks'),
    comparison('page labels', 'pageLabels'),
    comparison('named destinations', 'destinations'),
    fields('fields', 'fields'),
    fields('places of fields', 'widgets'),
  ];
}

/** Returns a text field as it was, if it only became shorter at its start, by a quarter at most. */
function asBefore(field: string, source: string | undefined): string {
  const [{ rect: own, ...other }, { rect, ...one }] = [field, source ?? field].map((text) =>
    JSON.parse(text),
  );
  const isText = one.type === 'text' || one.fieldType === 'Tx';
  const isShorter = own[0] > rect[0] && own[0] - rect[0] <= 0.251 * (rect[2] - rect[0]);
  const isAtEnd = [1, 2, 3].every((side) => Math.abs(own[side] - rect[side]) < 0.001);
  const isSame = JSON.stringify(other) === JSON.stringify(one);
  return source && isText && isShorter && isAtEnd && isSame ? source : field;
}

interface Kept {
  reason: string;
  text: string;
}

/** The texts of each page that the engine does not translate. */
async function readKept(source: Uint8Array): Promise<Kept[][]> {
  const pdf = await openPdf(await normalize(source));
  try {
    const pages: Kept[][] = [];
    for (let number = 1; number <= pdf.pageCount; number++)
      pages.push(findBlocks(await pdf.readPage(number)).kept);
    return pages;
  } finally {
    await pdf.close();
  }
}

/** Groups the indexes of the pages: those that have parts of one text are compared as one. */
function groupsOf(segments: readonly TranslatedSegment[], count: number): number[][] {
  const ends = segments.map(({ page, regionId }) => [page, pageOfBlock(partsOf(regionId).at(-1)!)] as const);
  const continued = new Set(ends.flatMap(([page, end]) => (end > page ? [page] : [])));
  return runsOf(Array.from({ length: count }).keys(), (_run, index) => continued.has(index));
}

function compareTexts(file: TranslatedFile, kept: readonly Kept[][]): MeasuredWords {
  const { name, segments } = file;
  const [before, after] = [file.source, file.bytes].map((bytes) =>
    textByPdftotext(bytes)
      .split('\f')
      .map((page) => wordsOf(page)),
  );
  const words: MeasuredWords = {
    total: 0,
    missing: [],
    twice: [],
    left: [],
    translatedOnce: findTranslations(file).copied.length,
    cut: file.findings.filter(({ code }) => code === 'text_truncated').length,
  };
  for (const pages of groupsOf(segments, kept.length)) {
    const wordsOn = (read: readonly string[][]) => pages.flatMap((index) => read[index]!);
    const source = wordsOn(before!);
    const own = segments.filter(({ page }) => pages.includes(page - 1));
    const translated = own.flatMap((segment) => wordsOf(plainText(segment.source)));
    const keptTexts = pages.flatMap((index) => kept[index]!);
    const all = [...translated, ...keptTexts.flatMap(({ text }) => wordsOf(text))];
    words.total += source.length;
    const { missing, surplus } = compareWords(source, all);
    words.missing.push(...missing.map((word) => explain(name, word)));
    const isUnknown = (word: string) => explain(name, word).why === null;
    // pdftotext may not find untranslated texts, so only words of translations count here.
    words.twice.push(...surplus.filter((word) => translated.includes(word) && isUnknown(word)));
    const marks = own.map(() => targetLanguage);
    const { surplus: left } = compareWords([...source, ...marks], wordsOn(after!));
    words.left.push(...left.map((word) => explain(name, word)));
  }
  return words;
}
