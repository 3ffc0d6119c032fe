import { type PDFDict, PDFDocument, PDFName, type PDFObject, type PDFRef } from '@cantoo/pdf-lib';
import { type OpenPdf, openPdf, type ReadPage } from '#server/formats/pdf/open-pdf.ts';

/** Creates an object to which the resources of a page refer. */
export type Made = (document: PDFDocument) => PDFObject;

export interface MadePage {
  content: string | Uint8Array | (string | Uint8Array)[];
  /** Resources by category and name, in addition to the font /F (Helvetica in WinAnsi encoding). */
  resources?: Record<string, Record<string, Made>>;
  /** Further entries of the page or of the catalog. */
  page?: Record<string, unknown>;
  catalog?: Record<string, Made>;
}

/** A PDF file with these pages of 400 by 400 points. */
export async function madePdf(...pages: MadePage[]): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context } = document;
  for (const { content, resources = {}, page: entries = {}, catalog = {} } of pages) {
    const page = document.addPage([400, 400]);
    const pieces = Array.isArray(content) ? content : [content];
    page.node.set(
      PDFName.of('Contents'),
      context.obj(pieces.map((piece) => context.register(context.stream(piece)))),
    );
    const all = { ...resources, Font: { F: helvetica, ...resources['Font'] } };
    page.node.set(PDFName.of('Resources'), resourcesOf(document, all));
    for (const [key, value] of Object.entries(entries))
      page.node.set(PDFName.of(key), context.obj(value as string));
    for (const [key, make] of Object.entries(catalog)) document.catalog.set(PDFName.of(key), make(document));
  }
  return document.save({ useObjectStreams: false });
}

export function resourcesOf(document: PDFDocument, resources: Record<string, Record<string, Made>>): PDFDict {
  const made = Object.entries(resources).map(([category, objects]) => [
    category,
    document.context.obj(
      Object.fromEntries(Object.entries(objects).map(([name, make]) => [name, make(document)])),
    ),
  ]);
  return document.context.obj(Object.fromEntries(made) as Record<string, PDFObject>);
}

export const helvetica: Made = ({ context }) =>
  context.register(
    context.obj({ Type: 'Font', Subtype: 'Type1', BaseFont: 'Helvetica', Encoding: 'WinAnsiEncoding' }),
  );

interface Type3 {
  matrix?: readonly number[];
  box?: readonly number[];
  /** The first code, from which the widths and the glyphs are numbered. */
  first: number;
  widths: readonly number[];
  /** The operators that draw each glyph, by its name. */
  glyphs: Record<string, string>;
  /** The names of the glyphs by their codes, if they are not numbered. */
  differences?: readonly (number | string)[];
  /** The entries of its character map, such as `<63> <000d>`. */
  characters?: readonly string[];
}

/** A Type 3 font, whose glyphs are drawn by operators. */
export const type3 =
  ({ matrix = [0.001, 0, 0, 0.001, 0, 0], box = [0, -200, 1000, 900], first, ...font }: Type3): Made =>
  ({ context }) => {
    const stream = (text: string) => context.register(context.stream(text));
    const drawn = Object.entries(font.glyphs).map(([name, operators]) => [name, stream(operators)]);
    const map = `1 begincodespacerange <00> <ff> endcodespacerange ${font.characters?.length} beginbfchar\n${font.characters?.join('\n')}\nendbfchar`;
    const all: Record<string, unknown> = {
      ...{ Type: 'Font', Subtype: 'Type3', FontMatrix: matrix, FontBBox: box, Resources: {} },
      ...{ FirstChar: first, LastChar: first + font.widths.length - 1, Widths: font.widths },
      Encoding: { Differences: font.differences ?? [first, ...Object.keys(font.glyphs)] },
      CharProcs: Object.fromEntries(drawn),
      ...(font.characters && { ToUnicode: stream(map) }),
    };
    return context.register(context.obj(all as Record<string, string>));
  };

/** A form XObject; it may have its own resources. */
export function form(
  content: string,
  resources?: Record<string, Record<string, Made>>,
  entries: Record<string, unknown> = {},
): Made {
  const made = new WeakMap<PDFDocument, PDFRef>();
  return (document) => {
    const known = made.get(document);
    if (known) return known;
    const stream = document.context.stream(content, {
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, 400, 400],
      ...(entries as Record<string, string>),
    });
    if (resources) stream.dict.set(PDFName.of('Resources'), resourcesOf(document, resources));
    const reference = document.context.register(stream);
    made.set(document, reference);
    return reference;
  };
}

export const object =
  (literal: Record<string, unknown>): Made =>
  ({ context }) =>
    context.register(context.obj(literal as Record<string, string>));

/** Opens a PDF file while `work` runs. */
export async function withOpenPdf<T>(bytes: Uint8Array, work: (pdf: OpenPdf) => Promise<T>): Promise<T> {
  const pdf = await openPdf(bytes);
  try {
    return await work(pdf);
  } finally {
    await pdf.close();
  }
}

/** Reads the first page of a PDF file that is created from `page`. */
export async function readMade(page: MadePage): Promise<ReadPage> {
  return withOpenPdf(await madePdf(page), (pdf) => pdf.readPage(1));
}

export function textOf({ glyphs }: { glyphs: readonly { text: string }[] }): string {
  return glyphs.map(({ text }) => text).join('');
}

/** Operators that show a text in Helvetica with 10 points. */
export const at = (x: number, y: number, text: string): string => `BT /F 10 Tf ${x} ${y} Td (${text}) Tj ET `;

export async function readAll(pdf: OpenPdf): Promise<ReadPage[]> {
  const pages: ReadPage[] = [];
  for (let number = 1; number <= pdf.pageCount; number++) pages.push(await pdf.readPage(number));
  return pages;
}
