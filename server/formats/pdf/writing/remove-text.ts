import {
  PDFDict,
  type PDFDocument,
  PDFName,
  type PDFObject,
  type PDFRef,
  type PDFStream,
} from '@cantoo/pdf-lib';
import { deflatedStream } from '../../typesetting/deflated-stream.ts';
import { invert } from '../geometry.ts';
import { decodeStream, getDict, nameKey, pageBytes } from '../objects.ts';
import type { ReadPage } from '../open-pdf.ts';
import type { Paint, PaintMoves, ShownText } from '../page-content.ts';
import { pageResources } from '../page-geometry.ts';
import { formatName, formatNumber } from '../reading/color.ts';
import { isRegular } from '../reading/content-scanner.ts';
import type { FormUse } from '../reading/interpretation.ts';
import type { ReadText } from '../reading/shown-texts.ts';
import type { GlyphRange } from '../text-block.ts';

/** A replacement in a content stream, by byte offsets. */
interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The changes of one stream: the stream of the page, or the stream of a form in one of its paintings. */
interface StreamChange {
  edits: Edit[];
  /** The changed copies of forms that the stream paints instead of the original forms, by their new names. */
  forms: Map<string, PDFRef>;
}

/**
 * Removes glyphs and painted objects from a page, and moves other objects. The bytes of its streams stay the same, except
 * for their operators.
 * If text is removed from a painting of a form, the form is copied with its resources, so that its other paintings stay
 * unchanged.
 *
 * @param page the page as `readPage` returned it for this document, before any text was removed
 * @returns the new content stream of the page, if the content has changed. Nothing else refers to this stream. It is
 *   not deflated, because `addContent` replaces it
 * @throws {RangeError} if a range refers to glyphs that its text does not have. Unpaired texts have no glyphs
 */
export function removeText(
  document: PDFDocument,
  page: ReadPage,
  ranges: readonly GlyphRange[],
  paints: readonly Paint[] = [],
  moves: PaintMoves = new Map(),
): PDFRef | undefined {
  const shapes = shapesOf(ranges.map(({ text }) => text));
  if (ranges.length === 0 && paints.length === 0 && moves.size === 0) return undefined;
  const { node } = document.getPage(page.number - 1);
  const resources = pageResources(node);
  const changes = new Map<number, StreamChange>();
  const changeOf = (use: number): StreamChange => {
    const change = changes.get(use) ?? { edits: [], forms: new Map() };
    changes.set(use, change);
    return change;
  };
  const bytes = new StreamBytes(pageBytes(node), page.uses);
  for (const [text, removed] of removedGlyphs(ranges)) {
    const { use, start, end } = text.place;
    changeOf(use).edits.push({ start, end, text: rewriteOperator(text, removed) });
  }
  for (const { place, keepsPath } of byPlace([...paints, ...shapes]))
    changeOf(place!.use).edits.push({ start: place!.start, end: place!.end, text: keepsPath ? 'n' : '' });
  for (const paint of byPlace([...moves.keys()])) {
    const { use, start, end } = paint.path ?? paint.place!;
    const [a, b, c, d] = invert(paint.ctm!)!;
    const [x, y] = moves.get(paint)!;
    const shift = [a * x + c * y, b * x + d * y].map(formatNumber).join(' ');
    changeOf(use).edits.push({ start, end: start, text: `q 1 0 0 1 ${shift} cm` });
    changeOf(use).edits.push({ start: end, end, text: `Q ${paint.path?.colors ?? ''}` });
  }
  // The original form must not be painted at this position in a copy, because it still contains the removed text.
  for (const { use, start, end } of page.loops) changeOf(use).edits.push({ start, end, text: '' });
  const copies = new FormCopies(document);
  // A painting has a higher number than the painting that contains it, so this reverse order handles inner forms first.
  for (let use = page.uses.length; use > 0; use--) {
    const change = changes.get(use);
    if (change === undefined) continue;
    const { parent, start, end, name } = page.uses[use - 1]!;
    const outer = changeOf(parent);
    const newName = unusedName(`${name}.${use}`, parent === 0 ? resources : page.uses[parent - 1]!.resources);
    outer.forms.set(newName, copies.copy(page.uses[use - 1]!, bytes.of(use), change));
    outer.edits.push({ start, end, text: `${formatName(newName)} Do` });
  }
  const own = changes.get(0);
  if (own === undefined) return undefined;
  const stream = document.context.register(document.context.stream(splice(bytes.of(0), own.edits)));
  node.set(PDFName.of('Contents'), stream);
  if (own.forms.size > 0) node.set(PDFName.of('Resources'), withForms(document, resources, own.forms));
  return stream;
}

/** Returns the shapes of texts with transparent letters, in painting order. They are removed with any glyph of such a text. */
export function shapesOf(texts: readonly ShownText[]): Paint[] {
  // Texts may share one list, so it is read once.
  return [...new Set(texts.map(({ shapes }) => shapes))].flatMap((shapes = []) => shapes);
}

/** Returns one paint for each place: a path that is filled and stroked is two objects with one place. */
function byPlace(paints: readonly Paint[]): Iterable<Paint> {
  const keyed = paints.flatMap((paint) => {
    const { place } = paint;
    return place ? [[`${place.use} ${place.start}`, paint] as const] : [];
  });
  return new Map(keyed).values();
}

/** The decoded streams of the page and of its forms, by the number of the painting. */
class StreamBytes {
  readonly #page: Uint8Array;
  readonly #uses: readonly FormUse[];
  readonly #forms = new Map<PDFStream, Uint8Array>();

  constructor(page: Uint8Array, uses: readonly FormUse[]) {
    this.#page = page;
    this.#uses = uses;
  }

  of(use: number): Uint8Array {
    if (use === 0) return this.#page;
    const { form } = this.#uses[use - 1]!;
    const bytes = this.#forms.get(form) ?? decodeStream(form);
    this.#forms.set(form, bytes);
    return bytes;
  }
}

/** Returns, for each text with a range, whether each of its glyphs is in a range. */
export function removedGlyphs(ranges: readonly GlyphRange[]): Map<ReadText, boolean[]> {
  const removed = new Map<ReadText, boolean[]>();
  for (const { text, from, to } of ranges) {
    const read = text as ReadText;
    if (from < 0 || to > read.glyphs.length || read.codeLengths?.length !== read.glyphs.length)
      throw new RangeError('the text was not read from this page, or has no such glyphs');
    const glyphs = removed.get(read) ?? new Array<boolean>(read.glyphs.length).fill(false);
    glyphs.fill(true, from, to);
    removed.set(read, glyphs);
  }
  return removed;
}

/** The changed copies of forms. If two paintings of a form have the same changes, they share one copy. */
class FormCopies {
  readonly #document: PDFDocument;
  readonly #copies = new Map<PDFStream, Map<string, PDFRef>>();

  constructor(document: PDFDocument) {
    this.#document = document;
  }

  copy({ form, resources }: FormUse, bytes: Uint8Array, { edits, forms }: StreamChange): PDFRef {
    const { context } = this.#document;
    const known = this.#copies.get(form) ?? new Map<string, PDFRef>();
    this.#copies.set(form, known);
    const key = JSON.stringify(edits);
    const found = forms.size === 0 ? known.get(key) : undefined;
    if (found) return found;
    const copy = deflatedStream(context, splice(bytes, edits));
    for (const [name, value] of form.dict.entries())
      if (!ownKeys.has(name.asString())) copy.dict.set(name, value);
    if (forms.size > 0) copy.dict.set(PDFName.of('Resources'), withForms(this.#document, resources, forms));
    const reference = context.register(copy);
    known.set(key, reference);
    return reference;
  }
}

/** Keys that are not copied, because the new stream has its own values for them. */
const ownKeys = new Set(['/Length', '/Filter', '/DecodeParms', '/DL']);

/** Returns a copy of a resource dictionary with additional forms. */
function withForms(
  { context }: PDFDocument,
  resources: PDFDict | undefined,
  forms: ReadonlyMap<string, PDFRef>,
): PDFDict {
  const entries = new Map<PDFName, PDFObject>(resources?.entries());
  const objects = new Map<PDFName, PDFObject>(getDict(resources, 'XObject')?.entries());
  for (const [name, form] of forms) objects.set(nameKey(name), form);
  entries.set(PDFName.of('XObject'), PDFDict.fromMapWithContext(objects, context));
  return PDFDict.fromMapWithContext(entries, context);
}

/**
 * Returns a name for a form that the resources do not contain.
 *
 * @param wanted the preferred name; it must be unique among the new names
 */
function unusedName(wanted: string, resources: PDFDict | undefined): string {
  const objects = getDict(resources, 'XObject');
  let name = wanted;
  while (objects?.has(nameKey(name))) name += '.';
  return name;
}

/** Replaces parts of a stream. Puts a space between a replacement and an adjacent word. */
function splice(bytes: Uint8Array, edits: Edit[]): Uint8Array {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, text } of edits.sort((one, other) => one.start - other.start)) {
    const before = isRegular(bytes[start - 1]) && isRegular(text.charCodeAt(0)) ? ' ' : '';
    const after = isRegular(bytes[end]) ? ' ' : '';
    pieces.push(bytes.subarray(at, start), Buffer.from(before + text + after, 'latin1'));
    at = end;
  }
  pieces.push(bytes.subarray(at));
  return Buffer.concat(pieces);
}

/**
 * Writes a text operator without some of its glyphs. An adjustment of the same length replaces the removed glyphs, so
 * that later text does not move. The codes of the other glyphs stay the same bytes.
 *
 * @param removed for each glyph, whether it is removed
 */
function rewriteOperator(text: ReadText, removed: readonly boolean[]): string {
  const { name, pieces, wordSpacing, charSpacing } = text.operator;
  const { codeLengths, advances } = text;
  const items: string[] = [];
  let codes = '';
  let adjustment = 0;
  const adjust = (by: number): void => {
    if (codes !== '') items.push(`<${codes}>`);
    codes = '';
    adjustment += by;
  };
  let glyph = 0;
  for (const piece of pieces) {
    if (typeof piece === 'number') {
      adjust(piece);
      continue;
    }
    for (let at = 0; at < piece.length; glyph++) {
      const next = at + codeLengths[glyph]!;
      if (removed[glyph]) adjust(-1000 * advances[glyph]!);
      else {
        if (adjustment !== 0) items.push(formatNumber(adjustment));
        adjustment = 0;
        codes += Buffer.from(piece.subarray(at, next)).toString('hex');
      }
      at = next;
    }
  }
  adjust(0);
  if (adjustment !== 0) items.push(formatNumber(adjustment));
  const shown = `[${items.join(' ')}] TJ`;
  if (name === "'") return `T* ${shown}`;
  if (name === '"') return `${formatNumber(wordSpacing)} Tw ${formatNumber(charSpacing)} Tc T* ${shown}`;
  return shown;
}
