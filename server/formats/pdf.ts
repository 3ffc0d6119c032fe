import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import type {
  ExtractedDocument,
  Finding,
  PageRectangle,
  RebuildOptions,
  RebuiltDocument,
  Segment,
  SegmentTranslation,
  TakeText,
} from './document.ts';
import { readPages } from './flatten/pdf.ts';
import { formatTagged, plainText } from './inline-content.ts';
import { addContent, unusedFontPrefix } from './pdf/add-content.ts';
import { auditRemoval } from './pdf/audit.ts';
import { findBlocks } from './pdf/find-blocks.ts';
import { type Rectangle, transformRectangle } from './pdf/geometry.ts';
import { KeptCounts } from './pdf/kept-findings.ts';
import { Vocabulary } from './pdf/layout/vocabulary.ts';
import { decrypted, normalise } from './pdf/normalise.ts';
import { getDict } from './pdf/objects.ts';
import { type OpenPdf, openPdf } from './pdf/open-pdf.ts';
import { removeText } from './pdf/remove-text.ts';
import { markRunningTitles, type PageOfBlocks } from './pdf/running-titles.ts';
import { setBlocks } from './pdf/set-blocks.ts';
import { structureOf } from './pdf/structure.ts';
import type { TextBlock } from './pdf/text-block.ts';
import { withTurnedLabel } from './pdf/turned-labels.ts';
import { refuseLargeStreams } from './pdfjs/stream-sizes.ts';
import { SegmentBudget } from './segment-budget.ts';
import { DocumentFonts } from './typesetting/document-fonts.ts';

/**
 * A PDF that cannot be read is refused when it is extracted, not before (C 7), unless its text is asked for.
 *
 * @throws {FileError} `unreadable`, `protected`, `too_large`
 */
export async function check(bytes: Uint8Array, take?: TakeText): Promise<void> {
  if (take) await readPages(bytes, take);
}

/**
 * Lists the texts of the pages, by the blocks in which they are laid out.
 *
 * @throws {FileError} `unreadable`, `protected`, `too_large`
 */
export async function extract(bytes: Uint8Array): Promise<ExtractedDocument> {
  return withPdf(bytes, async (pdf) => {
    const pages: PageOfBlocks[] = [];
    const counts = new KeptCounts(pdf.document);
    const budget = new SegmentBudget();
    const vocabulary = new Vocabulary();
    for (let number = 1; number <= pdf.pageCount; number++) {
      const page = await pdf.readPage(number);
      const { blocks, kept } = findBlocks(page, vocabulary);
      counts.add(page, blocks.length, kept);
      for (const { content } of blocks) budget.add(plainText(content), formatTagged(content));
      // Without the glyphs: the document's are too many to keep.
      const { box, rotation } = page;
      pages.push({ box, rotation, blocks: blocks.map((block) => ({ ...block, glyphs: [], label: null })) });
    }
    markRunningTitles(pages);
    const segments = pages.flatMap(({ blocks }) =>
      blocks.map((block) => segmentOf({ ...block, content: vocabulary.settle(block.content) })),
    );
    return {
      segments,
      pageCount: pdf.pageCount,
      findings: counts.findings(segments.length, isSigned(bytes)),
    };
  });
}

/**
 * Takes the text of the translated blocks off the pages and sets their translations in its place. Everything else stays.
 *
 * @throws {FileError} as `extract` does
 * @throws {Error} if a page has lost other text than that of the blocks, if a translation is not set, or if the result has not all that the
 * source has besides text: no such file is handed out
 */
export async function rebuild(
  bytes: Uint8Array,
  translations: readonly SegmentTranslation[],
  options: RebuildOptions,
): Promise<RebuiltDocument> {
  return withPdf(bytes, async (pdf) => {
    const { document } = pdf;
    const targets = new Map(translations.map(({ regionId, target }) => [regionId, target]));
    const fonts = new DocumentFonts(document, { prefix: unusedFontPrefix(document) });
    dropWhatIsNotKept(document);
    const before = structureOf(document);
    const findings: Finding[] = [];
    const rectangles: RebuiltDocument['rectangles'] = [];
    for (let number = 1; number <= pdf.pageCount; number++) {
      const page = await pdf.readPage(number);
      const items = findBlocks(page).blocks.flatMap((block) => {
        const target = targets.get(block.id);
        return target ? [withTurnedLabel({ block, target }, page, options)] : [];
      });
      if (items.length === 0) continue;
      const removed = items.flatMap(({ block }) => block.glyphs);
      const stream = removeText(document, page, removed);
      auditRemoval(pdf, page, removed);
      const set = setBlocks(page, items, options, fonts);
      for (const { block } of items)
        if (!set.places.has(block.id)) throw new Error(`the translation of ${block.id} was not set`);
      addContent(document, number, set.operators, set.fonts, stream);
      findings.push(...set.findings);
      for (const [regionId, place] of set.places)
        rectangles.push({ regionId, cellId: null, rectangles: [pageRectangle(place)] });
    }
    fonts.embed();
    const saved = await document.save({
      useObjectStreams: false,
      addDefaultPage: false,
      updateFieldAppearances: false,
    });
    const rebuilt = await normalise(saved);
    const after = structureOf(await PDFDocument.load(rebuilt, { updateMetadata: false }));
    for (const [kind, digest] of before)
      if (after.get(kind) !== digest) throw new Error(`the translated PDF has other ${kind} than its source`);
    return { bytes: rebuilt, findings, rectangles };
  });
}

/** Whether the file says which of its bytes a signature covers. These stand in no compressed stream. */
function isSigned(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('/ByteRange');
}

async function withPdf<T>(bytes: Uint8Array, use: (pdf: OpenPdf) => Promise<T>): Promise<T> {
  await refuseLargeStreams(await decrypted(bytes));
  const pdf = await openPdf(await normalise(bytes));
  try {
    return await use(pdf);
  } finally {
    await pdf.close();
  }
}

function segmentOf({ id, kind, page, content, matrix, box }: TextBlock): Segment {
  return {
    regionId: id,
    cellId: null,
    kind,
    page,
    place: `page ${page}`,
    rectangles: [pageRectangle(transformRectangle(matrix, box))],
    source: content,
  };
}

/** To the hundredth of a point: less is not seen. */
function pageRectangle({ left, bottom, right, top }: Rectangle): PageRectangle {
  return [left, bottom, right, top].map((value) => Math.round(100 * value) / 100) as PageRectangle;
}

/** B 4.3 keeps neither accessibility tags, which describe the source text, nor XFA forms. */
function dropWhatIsNotKept({ catalog }: PDFDocument): void {
  catalog.delete(PDFName.of('StructTreeRoot'));
  catalog.delete(PDFName.of('MarkInfo'));
  getDict(catalog, 'AcroForm')?.delete(PDFName.of('XFA'));
}
