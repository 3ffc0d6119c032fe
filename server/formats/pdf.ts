import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import type {
  ExtractedDocument,
  ExtractOptions,
  Finding,
  PageRectangle,
  RebuildOptions,
  RebuiltDocument,
  Segment,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import { FileError } from './file-error.ts';
import { readPages } from './flatten/pdf.ts';
import { type InlineContent, plainText } from './inline-content.ts';
import { leftShare } from './left-share.ts';
import type { RecognizedPage } from './ocr/tesseract.ts';
import { selectPages } from './page-ranges.ts';
import { findContinued, joinParts, partsOf } from './pdf/continuations.ts';
import { findBlocks } from './pdf/find-blocks.ts';
import { BlockTargets } from './pdf/fitting/divided-texts.ts';
import { withLabelInText } from './pdf/fitting/frames.ts';
import { commonScales } from './pdf/fitting/shrink.ts';
import { type Rectangle, transformRectangle } from './pdf/geometry.ts';
import { KeptCounts } from './pdf/kept-findings.ts';
import { Vocabulary } from './pdf/layout/vocabulary.ts';
import { decrypted, normalize } from './pdf/normalize.ts';
import { getDict } from './pdf/objects.ts';
import { type OpenPdf, openPdf } from './pdf/open-pdf.ts';
import { tallyDocument, tallyPage } from './pdf/page-tally.ts';
import { markRunningHeaders, type PageOfBlocks } from './pdf/running-headers.ts';
import { recognizePage } from './pdf/scans/recognize-page.ts';
import { invisibleTexts, Scans } from './pdf/scans/scans.ts';
import { copyPages, insertPages } from './pdf/source-pages.ts';
import { structureOf } from './pdf/structure.ts';
import { pageOfBlock, type TextBlock } from './pdf/text-block.ts';
import { pageOfItems } from './pdf/word/word-items.ts';
import { placesOf } from './pdf/word/word-rows.ts';
import { describeActive, removeActiveContent } from './pdf/writing/active-content.ts';
import { addContent, unusedFontPrefix } from './pdf/writing/add-content.ts';
import { auditRemoval } from './pdf/writing/audit.ts';
import { AnnotationMover, placesOfAnnotations } from './pdf/writing/move-annotations.ts';
import { removeText } from './pdf/writing/remove-text.ts';
import { fitBlocks, typesetPage } from './pdf/writing/typeset-blocks.ts';
import { openPdfjs } from './pdfjs/open-pdfjs.ts';
import { rejectLargeStreams } from './pdfjs/stream-sizes.ts';
import { SegmentBudget } from './segment-budget.ts';
import type { Selection } from './selection.ts';
import { countCharacters, TextTally } from './text-tally.ts';
import { DocumentFonts } from './typesetting/document-fonts.ts';
import { directionOf } from './typesetting/languages.ts';

/**
 * Passes the text of the selected pages to `take`. Without `take`, this function checks only whether the file has the
 * selected pages, because `extract` rejects an unreadable PDF.
 *
 * @throws {FileError} `unreadable`, `protected`, `too_large`, `selection`
 */
export async function check(bytes: Uint8Array, take?: TakeText, { pages }: Selection = {}): Promise<void> {
  if (take) return readPages(bytes, take, (pageCount) => selectPages(pages, pageCount));
  if (!pages) return;
  const pdf = await openPdfjs(bytes);
  await pdf.close();
  selectPages(pages, pdf.pageCount);
}

/**
 * Lists the texts of the selected pages: one segment for each block of the layout.
 *
 * @throws {FileError} `unreadable`, `protected`, `too_large`, `selection`
 */
export async function extract(bytes: Uint8Array, selection: ExtractOptions = {}): Promise<ExtractedDocument> {
  return withPdf(bytes, async (pdf) => {
    const pages: PageOfBlocks[] = [];
    const places = new Map<string, string>();
    const direction = directionOf(selection.sourceLanguage ?? 'en');
    const counts = new KeptCounts(pdf.document);
    const budget = new SegmentBudget();
    const vocabulary = new Vocabulary();
    const selected = selectPages(selection.pages, pdf.pageCount);
    const tally = new TextTally();
    const scans = new Scans(selection.recognition);
    for (let number = 1; number <= pdf.pageCount; number++) {
      const page = await pdf.readPage(number);
      const isSelected = selected.has(number);
      const found = findBlocks(page, isSelected ? vocabulary : undefined);
      tallyPage(tally, page, found, isSelected);
      if (!isSelected) continue;
      const scan = scans.content(number);
      if (!scans.has(number)) counts.add(page, found.blocks.length, found.kept);
      const { blocks, kept } = scan ? findBlocks(scan, vocabulary) : found;
      if (scan) {
        tallyPage(tally, scan, { blocks, kept }, true);
        scans.keepWords(blocks);
      }
      for (const { content } of blocks) budget.add(content);
      // The glyphs and the other texts are dropped, because a document has too many of them to keep in memory.
      const items = pageOfItems(scan ?? page, { blocks, kept });
      for (const [id, place] of placesOf(items, direction)) places.set(id, place);
      pages.push({ box: items.box, rotation: items.rotation, blocks: items.blocks });
    }
    tallyDocument(tally, pdf.document);
    const areas = new Map(
      pages.flatMap(({ blocks }) =>
        blocks.map(({ id, matrix, box }) => [id, pageRectangle(transformRectangle(matrix, box))] as const),
      ),
    );
    joinParts(pages, findContinued(pages.filter(({ blocks }) => !scans.content(blocks[0]?.page ?? 0))));
    markRunningHeaders(pages);
    const segments = pages.flatMap(({ blocks }) =>
      blocks.map((block) => {
        const parts = partsOf(block.id);
        const rectangles = parts.flatMap((id) => (pageOfBlock(id) === block.page ? [areas.get(id)!] : []));
        return scans.segment(
          segmentOf(block, vocabulary.settle(block.content), rectangles, places.get(parts[0]!)),
        );
      }),
    );
    if (segments.length === 0 && counts.imagePages.length === 0 && !hasEnd(bytes))
      throw new FileError('unreadable', 'incomplete PDF: its end (%%EOF) is missing; send the whole file');
    const isWordFile = selection.output === 'docx';
    const hint = scans.hint(selection.sourceLanguage);
    const characters = segments.reduce((sum, { source }) => sum + countCharacters(plainText(source)), 0);
    const outcome = tally.outcome();
    const findings = counts.findings(
      segments.length,
      { isSigned: isSigned(bytes), isWordFile, hint },
      leftShare(outcome, characters),
    );
    findings.push(...scans.findings());
    const left = pdf.pageCount - selected.size;
    if (left > 0) findings.push(notSelected(left, pdf.pageCount, isWordFile));
    if (segments.length === 0 && !isWordFile) findings.push(...keptActiveContent(pdf.document));
    const imagePages = scans.canRecognize(selection.sourceLanguage) ? counts.imagePages : [];
    return {
      segments,
      pageCount: pdf.pageCount,
      findings,
      outcome,
      ...(imagePages.length > 0 && { imagePages }),
    };
  });
}

/** Recognizes the text of a scanned page. See `LayoutFormat.recognize`. */
export async function recognize(bytes: Uint8Array, page: number, language: string): Promise<RecognizedPage> {
  const file = await decrypted(bytes);
  await rejectLargeStreams(file);
  return recognizePage(file, page, language);
}

/**
 * Replaces the text of the translated blocks by their translations. Removes active content, such as scripts and
 * attached files, and keeps everything else.
 *
 * @throws {FileError} as `extract` does
 * @throws {Error} if a page has lost text outside the translated blocks, if a translation was not drawn, or if the
 *   result lacks other content of the source. Such a file is never returned
 */
export async function rebuild(
  bytes: Uint8Array,
  translations: readonly SegmentTranslation[],
  options: RebuildOptions,
): Promise<RebuiltDocument> {
  if (options.output === 'docx') {
    // Imported only here, because loading the library that writes Word files takes time.
    const { writeWordText } = await import('./pdf/word/word-text.ts');
    return withPdf(bytes, (pdf) => writeWordText(pdf, translations, options));
  }
  const { saved, ...translated } = await withPdf(bytes, (pdf) => translatePages(pdf, translations, options));
  // The source is closed before the result is opened, so that only one of them is in memory.
  const { findings, rectangles } = translated;
  return { bytes: await checkedResult(saved, translated), findings, rectangles };
}

/** A translated PDF that is not checked yet, and the digests of the content that it must have. */
interface TranslatedPdf extends Required<Pick<RebuiltDocument, 'findings' | 'rectangles'>> {
  saved: Uint8Array;
  before: ReturnType<typeof structureOf>;
  /** The indexes of the pages that the source does not have. */
  inserted: ReadonlySet<number>;
}

/**
 * The most pages whose texts are compared before the first page is set, so that texts of one style get one size in the
 * document. These pages are in memory together.
 */
const maxSamples = 8;
const maxSampledGlyphs = 40_000;

/** Returns page numbers that are spread over a document. */
function samplesOf(numbers: readonly number[]): number[] {
  const step = Math.max(1, numbers.length / maxSamples);
  const count = Math.min(maxSamples, numbers.length);
  return Array.from({ length: count }, (_value, index) => numbers[Math.floor(index * step)]!);
}

async function translatePages(
  pdf: OpenPdf,
  translations: readonly SegmentTranslation[],
  options: RebuildOptions,
): Promise<TranslatedPdf> {
  const { document } = pdf;
  const targets = new BlockTargets(translations);
  const fonts = new DocumentFonts(document, { prefix: unusedFontPrefix(document) });
  removeTagsAndXfa(document);
  const findings = removedActiveContent(document);
  const before = structureOf(document);
  const annotations = new AnnotationMover(document);
  const selected = selectPages(options.pages, pdf.pageCount);
  const scans = new Scans(options.recognition);
  const copies = options.output === 'bilingual' ? copyPages(document, selected) : new Map();
  const places = new Map<string, PageRectangle[]>();
  const read = async (number: number) => {
    const page = annotations.withOwnFields(await pdf.readPage(number));
    const scan = scans.content(number);
    const found = findBlocks(scan ?? page);
    targets.add(found.blocks);
    return { page, scan, ...found };
  };
  /** The pages that were read for a text that continues there. */
  const waiting = new Map<number, Awaited<ReturnType<typeof read>>>();
  const fit = async (number: number) => {
    const { page, scan, blocks, kept } = waiting.get(number) ?? (await read(number));
    waiting.clear();
    for (const other of targets.neededFor(number))
      if (other <= pdf.pageCount) waiting.set(other, await read(other));
    const items = targets.of(blocks).map((item) => withLabelInText(item, options));
    return { page, scan, fitted: fitBlocks(scan ?? page, items, options, kept, !scan) };
  };
  const translated = targets.pages;
  const numbers = [...selected].filter((number) => translated.has(number));
  const samples = new Map<number, Awaited<ReturnType<typeof fit>>>();
  let room = maxSampledGlyphs;
  for (const number of samplesOf(numbers)) {
    if (room <= 0) break;
    const sample = await fit(number);
    samples.set(number, sample);
    room -= sample.page.texts.reduce((sum, { glyphs }) => sum + glyphs.length, 0);
  }
  const scales = commonScales(
    [...samples.values()].flatMap(({ fitted }) =>
      fitted.directions.flatMap(({ texts }) => [...texts.needs()]),
    ),
    'document',
  );
  for (const number of numbers) {
    const { page, scan, fitted } = samples.get(number) ?? (await fit(number));
    samples.delete(number);
    const { items } = fitted;
    if (items.length === 0) continue;
    for (const { texts } of fitted.directions) texts.share(scales);
    const set = typesetPage(fitted, fonts);
    const sources = items.flatMap(({ block }) => (set.unchanged.has(block.id) ? [] : block.glyphs));
    const removed = scan ? invisibleTexts(page) : [...sources, ...set.removed];
    const moves = scan ? undefined : set.moves;
    const stream = removeText(document, page, removed, set.rules, moves);
    auditRemoval(pdf, page, removed, set.rules, moves);
    for (const { block } of items)
      if (!set.places.has(block.id)) throw new Error(`the translation of ${block.id} was not set`);
    const operators = scan ? scans.draw(number, sources, set) : set.operators;
    addContent(document, number, operators, set.fonts, {
      below: scan ? '' : set.watermarks,
      replaced: stream,
    });
    annotations.move(page, set);
    for (const finding of set.findings) {
      const unitId = targets.textOf(finding.unitId);
      const isSame = (other: Finding) => other.unitId === unitId && other.code === finding.code;
      // The parts of a text have one finding of a kind.
      if (unitId === finding.unitId || !findings.some(isSame)) findings.push({ ...finding, unitId });
    }
    for (const [id, place] of set.places) {
      const regionId = targets.textOf(id)!;
      if (pageOfBlock(regionId) !== number) continue;
      const own = places.get(regionId) ?? [];
      places.set(regionId, [...own, scans.place(number, pageRectangle(place))]);
    }
    for (const [id, rest] of set.rests) {
      targets.setRest(id, rest);
      samples.delete(pageOfBlock(id));
    }
  }
  const rectangles = [...places].map(([regionId, own]) => ({ regionId, cellId: null, rectangles: own }));
  fonts.embed();
  before.set('places of annotations', placesOfAnnotations(document.getPages()));
  const inserted = insertPages(document, copies);
  const saved = await document.save({
    useObjectStreams: false,
    addDefaultPage: false,
    updateFieldAppearances: false,
  });
  return { saved, before, inserted, findings, rectangles };
}

/**
 * Normalizes a translated PDF.
 *
 * @throws {Error} if the result lacks other content of the source
 */
async function checkedResult(
  saved: Uint8Array,
  { before, inserted }: Pick<TranslatedPdf, 'before' | 'inserted'>,
): Promise<Uint8Array> {
  const rebuilt = await normalize(saved);
  const result = await PDFDocument.load(rebuilt, { updateMetadata: false });
  const after = structureOf(
    result,
    result.getPages().filter((_page, index) => !inserted.has(index)),
  );
  for (const [kind, digest] of before)
    if (after.get(kind) !== digest && !(kind === 'page labels' && inserted.size > 0))
      throw new Error(`the ${kind} of the translated PDF differ from its source`);
  return rebuilt;
}

/**
 * Whether the file is signed. The entry `/ByteRange` of a signature is never in a compressed stream, so it can be found
 * by a search in the bytes of the file.
 */
function isSigned(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('/ByteRange');
}

/** Whether the last 1024 bytes have the marker of the end, as PDF 32000-1, annex H.3 asks of readers. */
function hasEnd(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(-1024)).includes('%%EOF');
}

async function withPdf<T>(bytes: Uint8Array, use: (pdf: OpenPdf) => Promise<T>): Promise<T> {
  await rejectLargeStreams(await decrypted(bytes));
  const pdf = await openPdf(await normalize(bytes));
  try {
    return await use(pdf);
  } finally {
    await pdf.close();
  }
}

function segmentOf(
  { id, kind, page }: TextBlock,
  source: InlineContent,
  rectangles: PageRectangle[],
  place?: string,
): Segment {
  const isRunning = kind === 'header' || kind === 'footer';
  const part = isRunning ? kind : (place ?? (kind === 'heading' ? kind : undefined));
  const end = pageOfBlock(partsOf(id).at(-1)!);
  return {
    regionId: id,
    cellId: null,
    kind,
    page,
    place: [`page ${page}`, part, end > page && `continues on page ${end}`].filter(Boolean).join(', '),
    rectangles,
    source,
  };
}

/** Rounds the coordinates to a hundredth of a point, because smaller differences are not visible. */
function pageRectangle({ left, bottom, right, top }: Rectangle): PageRectangle {
  return [left, bottom, right, top].map((value) => Math.round(100 * value) / 100) as PageRectangle;
}

function notSelected(left: number, pageCount: number, isWordFile: boolean): Finding {
  const effect = isWordFile ? 'the Word file does not have the text' : 'the text stays unchanged';
  const message = `${left === 1 ? '1 page is' : `${left} of ${pageCount} pages are`} not selected; ${effect}`;
  return { severity: 'info', code: 'not_selected', message, unitId: null };
}

function removedActiveContent(document: PDFDocument): Finding[] {
  const removed = describeActive(removeActiveContent(document));
  if (removed === '') return [];
  const message = `the translated file does not have the active content of the source: ${removed}`;
  return [{ severity: 'warning', code: 'active_content_removed', message, unitId: null }];
}

/**
 * Returns the finding about the active content of a file without text. Such a file is returned unchanged; the content
 * is removed here only from the document in memory, to count it.
 */
function keptActiveContent(document: PDFDocument): Finding[] {
  const kept = describeActive(removeActiveContent(document));
  if (kept === '') return [];
  const message = `the file is returned unchanged with its active content: ${kept}`;
  return [{ severity: 'warning', code: 'unsupported_content_kept', message, unitId: null }];
}

/** Removes XFA forms, and the accessibility tags, which describe the source text. */
function removeTagsAndXfa({ catalog }: PDFDocument): void {
  catalog.delete(PDFName.of('StructTreeRoot'));
  catalog.delete(PDFName.of('MarkInfo'));
  getDict(catalog, 'AcroForm')?.delete(PDFName.of('XFA'));
}
