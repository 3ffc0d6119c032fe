import { FileError } from '../file-error.ts';
import { alternativeTextsOf } from '../office/kept-finding.ts';
import type { Numbering } from '../office/numbering.ts';
import {
  type PositionedXmlEvents,
  readPositionedXml,
  type XmlEndTag,
  type XmlStartTag,
} from '../office/xml-reader.ts';
import { letter } from '../text.ts';
import { BodyReader } from './body-reader.ts';
import { Copies, isDrawing, isOnValue } from './drawing-xml.ts';
import type { Levels } from './list-styles.ts';
import { withName } from './presentation-parts.ts';
import { type Frame, type Placeholder, type Shape, ShapeStack } from './shapes.ts';
import type { TextBody } from './text-body.ts';

/** Finds the places of a table's cells on the slide. Rows may be higher than the file states. */
class TableGrid {
  readonly #table: Frame;
  readonly #columns: number[] = [];
  #column = 0;
  #top = 0;
  #height = 0;
  #cell: Frame | undefined;

  constructor(table: Frame) {
    this.#table = table;
  }

  /** The open cell, in the units of the table. */
  get cell(): Frame | undefined {
    return this.#cell;
  }

  open({ local, attributes }: XmlStartTag): void {
    const sizeOf = (name: string): number => Number(attributes[name]) || 0;
    if (local === 'gridCol') this.#columns.push(sizeOf('w'));
    else if (local === 'tr') {
      this.#top += this.#height;
      this.#height = sizeOf('h');
      this.#column = 0;
    } else if (local === 'tc') {
      const end = this.#column + Math.max(1, Math.min(sizeOf('gridSpan'), this.#columns.length));
      const width = (columns: number[]): number => columns.reduce((sum, one) => sum + one, 0);
      this.#cell = {
        x: this.#table.x + width(this.#columns.slice(0, this.#column)),
        y: this.#table.y + this.#top,
        width: width(this.#columns.slice(this.#column, end)),
        height: this.#height,
      };
      // The cells that a wider one covers follow it as empty cells.
      this.#column++;
    }
  }
}

interface DrawingOptions {
  /** The path of the part, for messages. */
  path: string;
  /** The names that the outermost element may have. */
  roots: readonly string[];
  numbering: Numbering;
  /** The texts of another part that this part repeats. */
  copies?: Copies | undefined;
  /** Returns the lists whose properties a shape inherits, from the most general to the most specific. */
  inherited(placeholder: Placeholder | undefined): readonly Levels[];
  /** Is called for each XML element; it may throw to stop the reading. */
  countElement(): void;
  /** Is called with the text of each field, which stays unchanged. */
  onField?(text: string): void;
  /** Is called for each element that begins an object without readable text, and for each alternative text. */
  onObject?(kind: KeptObject, text?: string): void;
}

/** An object that stays: an embedded document, a picture, the alternative text of a shape, or the tip of a link. */
export type KeptObject = 'document' | 'picture' | 'alternative' | 'tip';

/** The properties of a part besides its texts. */
interface DrawingSummary {
  /** Whether the part is a slide that is not shown. */
  isHidden: boolean;
}

/**
 * Reads a part with DrawingML texts: a slide, a layout, a master, notes, a diagram or comments.
 *
 * @param use is called for each text body, in the order of the file. It must not keep the body, because bodies are large
 * @throws {FileError} `unreadable` or `too_large`; the message names the part
 */
export function readDrawing(
  source: string,
  options: DrawingOptions,
  use: (body: TextBody) => void,
): DrawingSummary {
  const reader = new DrawingReader(source, options, use);
  withName(options.path, () => readPositionedXml(source, reader));
  return { isHidden: reader.isHidden };
}

class DrawingReader implements PositionedXmlEvents {
  isHidden = false;
  readonly #source: string;
  readonly #options: DrawingOptions;
  readonly #use: (body: TextBody) => void;
  readonly #shapes = new ShapeStack();
  #depth = 0;
  /** The cells of the open table, if the place of the table is known. */
  #grid: TableGrid | undefined;
  #body: { reader: BodyReader; depth: number; shape: Shape | undefined } | undefined;
  /** The depths of the outermost `AlternateContent` and of the outermost `Fallback` element; 0 if missing. */
  #alternativesAt = 0;
  #fallbackAt = 0;
  #alternatives = new Copies();

  constructor(source: string, options: DrawingOptions, use: (body: TextBody) => void) {
    this.#source = source;
    this.#options = options;
    this.#use = use;
  }

  openTag(tag: XmlStartTag): void {
    const { countElement, numbering, roots, path, onObject } = this.#options;
    countElement();
    const depth = ++this.#depth;
    if (depth === 1) {
      if (!roots.includes(tag.local))
        throw new FileError('unreadable', `${path} is not a part of a presentation of the declared type`);
      const { show } = tag.attributes;
      this.isHidden = show !== undefined && !isOnValue(show);
    }
    const { local } = tag;
    const tip = tag.attributes['tooltip'] ?? '';
    if (/^hlink/.test(local) && this.#fallbackAt === 0 && letter.test(tip)) onObject?.('tip', tip);
    if (this.#body) {
      this.#body.reader.open(tag);
      return;
    }
    this.#shapes.open(tag, depth);
    if (isDrawing(tag)) this.#grid?.open(tag);
    if (local === 'AlternateContent' && this.#alternativesAt === 0) {
      this.#alternativesAt = depth;
      this.#alternatives = new Copies();
    } else if (local === 'Fallback' && this.#fallbackAt === 0) this.#fallbackAt = depth;
    else if (local === 'oleObj' && this.#fallbackAt === 0) onObject?.('document');
    else if (local === 'pic' && this.#fallbackAt === 0) onObject?.('picture');
    else if (local === 'cNvPr' && this.#fallbackAt === 0) {
      const texts = alternativeTextsOf(tag);
      if (texts.length > 0) onObject?.('alternative', texts.join(''));
    } else if (local === 'tbl' && isDrawing(tag)) {
      numbering.openTable();
      const frame = this.#shapes.current?.frame;
      this.#grid = frame && new TableGrid(frame);
    } else if (local === 'tr' && isDrawing(tag)) numbering.openRow();
    else if (local === 'tc' && isDrawing(tag)) numbering.openCell();
    else if (local === 'txBody' || (local === 't' && !isDrawing(tag))) this.#openBody(depth);
  }

  text(text: string): void {
    this.#body?.reader.text(text);
  }

  closeTag(tag: XmlEndTag): void {
    const depth = this.#depth--;
    if (this.#body) {
      if (depth > this.#body.depth) this.#body.reader.close(tag);
      else this.#closeBody(this.#body, tag.end);
      return;
    }
    this.#shapes.close(depth);
    if (depth === this.#alternativesAt) this.#alternativesAt = 0;
    if (depth === this.#fallbackAt) this.#fallbackAt = 0;
    if (tag.local === 'tbl' && isDrawing(tag)) {
      this.#options.numbering.closeTable();
      this.#grid = undefined;
    }
  }

  #openBody(depth: number): void {
    const { numbering, inherited, copies, onField } = this.#options;
    const shape = this.#shapes.current;
    const isFallback = this.#fallbackAt > 0;
    const reader = new BodyReader({
      ...{ source: this.#source, numbering },
      inherited: inherited(shape?.placeholder),
      match: (texts) => {
        const found = isFallback ? this.#alternatives.match(texts) : copies?.match(texts);
        if (!isFallback && this.#alternativesAt > 0) this.#alternatives.add(found?.texts ?? texts);
        return found ?? { texts, isRepeated: false };
      },
      onField: (text) => {
        if (!isFallback) onField?.(text);
      },
    });
    this.#body = { reader, depth, shape };
  }

  #closeBody({ reader, shape }: { reader: BodyReader; shape: Shape | undefined }, end: number): void {
    this.#body = undefined;
    this.#use({
      ...reader.result(),
      shape,
      frame: this.#grid?.cell ?? shape?.frame,
      hasOtherTextFrame: hasOtherTextFrame(this.#source.slice(end, end + 500), shape),
      isHidden: this.isHidden || shape?.isHidden === true,
      inTable: this.#options.numbering.isInTable,
      isFallback: this.#fallbackAt > 0,
    });
  }
}

/**
 * Whether the place of a text, which diagrams have after it, is much smaller than its shape.
 *
 * @param after the XML after the text body
 */
function hasOtherTextFrame(after: string, shape: Shape | undefined): boolean {
  const written = /^\s*<(?:\w+:)?txXfrm\b[^>]*>.*?<(?:\w+:)?ext cx="(\d+)" cy="(\d+)"/s.exec(after);
  if (!written || !shape?.frame) return false;
  const [, width, height] = written.map(Number);
  return width! < 0.8 * shape.frame.width || height! < 0.8 * shape.frame.height;
}
