import { ParseSpeeds, type PDFDict, PDFDocument, type PDFStream } from '@cantoo/pdf-lib';
import { FileError } from '../file-error.ts';
import { Meter } from '../pdfjs/budget.ts';
import { openPdfjs, type PdfjsDocument } from '../pdfjs/open-pdfjs.ts';
import { decodeStream, getDict, pageBytes } from './objects.ts';
import type { OperatorPlace, PageContent } from './page-content.ts';
import { pageAnnotations, pageBox, pageResources, pageRotation } from './page-geometry.ts';
import { FontReader } from './reading/fonts/font-reader.ts';
import { readGlyphOrders } from './reading/fonts/glyph-orders.ts';
import { readLigatures } from './reading/fonts/ligatures.ts';
import type { KnownStrokes } from './reading/fonts/measured-face.ts';
import type { FormUse, Interpretation } from './reading/interpretation.ts';
import { Interpreter } from './reading/interpreter.ts';
import { OptionalContent } from './reading/optional-content.ts';
import { readPdfjsTexts } from './reading/pdfjs-texts.ts';
import { type ReadText, shownTexts } from './reading/shown-texts.ts';
import { StructureTree } from './reading/structure-tree.ts';

/** A page with the data that is needed to remove text from it. */
export interface ReadPage extends PageContent {
  texts: ReadText[];
  /** The paintings of forms on the page. The use with the number n has the index n - 1. */
  uses: FormUse[];
  /** The Do operators that paint a form inside the same form. */
  loops: OperatorPlace[];
  /**
   * The number of text operators in tiling patterns and soft masks. Each operator counts once. These texts are neither
   * read nor changed.
   */
  indirectTexts: number;
}

export interface OpenPdf {
  document: PDFDocument;
  pageCount: number;
  /**
   * Reads a page. A part of the data comes from the file as it was opened, so the page must not have been changed since
   * then.
   *
   * @param number the page number, from 1
   * @throws {FileError} `too_large` if reading takes too much work for the size of the file, or `unreadable`
   */
  readPage(number: number): Promise<ReadPage>;
  /** Reads the operators of a page in its current state, including changes. */
  interpretPage(number: number): Interpretation;
  close(): Promise<void>;
}

/**
 * Opens a PDF twice: as objects that can be changed and saved, and in pdf.js, which decodes its fonts. Only one page at
 * a time has its operators in memory.
 *
 * @throws {FileError} `unreadable`, `too_large`, or `protected` if opening the file requires a password
 */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  const pdfjs = await openPdfjs(bytes);
  try {
    const document = await loadObjects(bytes);
    const pageCount = document.getPageCount();
    // If the page counts differ, the two readers interpret a damaged page tree differently, so their page numbers do
    // not match.
    if (pageCount !== pdfjs.pageCount) throw new FileError('unreadable', 'the PDF cannot be read');
    const layers = new OptionalContent(document);
    const tree = new StructureTree(document);
    const interpreterOf = (page: PDFDict, meter: Meter): Interpreter =>
      new Interpreter(pageBox(page), layers, tree, meter);
    const meter = new Meter(bytes.length);
    const strokes: KnownStrokes = new Map();
    return {
      document,
      pageCount,
      readPage: (number) => readPage(number, document, pdfjs, strokes, (page) => interpreterOf(page, meter)),
      interpretPage: (number) =>
        interpret(document.getPage(number - 1).node, (page) => interpreterOf(page, new Meter(bytes.length))),
      close: () => pdfjs.close(),
    };
  } catch (error) {
    await pdfjs.close();
    throw error;
  }
}

async function loadObjects(bytes: Uint8Array): Promise<PDFDocument> {
  try {
    const document = await PDFDocument.load(bytes, {
      parseSpeed: ParseSpeeds.Fastest,
      updateMetadata: false,
      preserveXFA: true,
    });
    // This call throws if the page tree is damaged.
    document.getPages();
    return document;
  } catch (error) {
    throw new FileError('unreadable', 'the PDF cannot be read', { cause: error });
  }
}

async function readPage(
  number: number,
  document: PDFDocument,
  pdfjs: PdfjsDocument,
  strokes: KnownStrokes,
  interpreterOf: (page: PDFDict) => Interpreter,
): Promise<ReadPage> {
  const decoded = await pdfjs.use(async (opened) => {
    const page = await opened.getPage(number);
    const texts = await readPdfjsTexts(page);
    page.cleanup();
    return texts;
  });
  const { node } = document.getPage(number - 1);
  const box = pageBox(node);
  const content = interpret(node, interpreterOf);
  const texts = shownTexts(content, decoded, box, new FontReader(decoded, strokes));
  readGlyphOrders(texts);
  await readLigatures(texts);
  const shapes = [...new Set(texts.map((text) => text.shapes))].flatMap((own = []) => own);
  const letters = new Set(shapes.map(({ order }) => order));
  return {
    number,
    box,
    rotation: pageRotation(node),
    texts,
    paints: content.paints.filter(({ order }) => !letters.has(order)),
    annotations: pageAnnotations(node),
    uses: content.uses,
    loops: content.loops,
    indirectTexts: countTexts(content.indirect, () => interpreterOf(node)),
  };
}

function interpret(page: PDFDict, interpreterOf: (page: PDFDict) => Interpreter): Interpretation {
  return interpreterOf(page).read(pageBytes(page), pageResources(page), page);
}

/** Returns the number of texts in patterns and soft masks, including those in nested patterns and forms. */
function countTexts(streams: ReadonlySet<PDFStream>, interpreter: () => Interpreter): number {
  const seen = new Set(streams);
  let count = 0;
  // The loop also visits the streams that are added to the set during the loop.
  for (const stream of seen) {
    const read = interpreter().read(decodeStream(stream), getDict(stream.dict, 'Resources'), stream.dict);
    count += read.texts.filter(({ pieces }) => pieces.some((piece) => typeof piece !== 'number')).length;
    for (const inner of read.indirect) seen.add(inner);
  }
  return count;
}
