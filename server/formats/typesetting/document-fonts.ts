import type { PDFDocument, PDFRef } from '@cantoo/pdf-lib';
import { type DirectionMarkPosition, findDirectionMarks } from './direction-marks.ts';
import type { FontName } from './fonts.ts';
import type { Line } from './lines.ts';
import type { Cluster } from './shaping.ts';
import { hex, type PlacedCode, SubsetFont, writeFont } from './subset-font.ts';

/** A text matrix (PDF 32000-1, 9.4.2): [1, 0, 0, 1, x, y] sets upright text from the point x, y. */
export type TextMatrix = readonly [number, number, number, number, number, number];

/** A line ready for a content stream. */
export interface ShownLine {
  /** A whole text object, BT to ET; empty for a line without text. Does not set colour or render mode. */
  operators: string;
  /** The fonts that it names. Add them to the font resources of the page or form. */
  fonts: ReadonlyMap<string, PDFRef>;
}

interface DocumentFont {
  subset: SubsetFont;
  resource: string;
  ref: PDFRef;
}

/** The fonts of one PDF document. Records the characters that are shown; `embed` writes subsets with only these. */
export class DocumentFonts {
  readonly #document: PDFDocument;
  readonly #prefix: string;
  /** For each name, the last font has room and the others are full. */
  readonly #fonts = new Map<FontName, DocumentFont[]>();

  /** @param prefix of the names of font resources; the document's own names must not begin with it */
  constructor(document: PDFDocument, { prefix = 'Set' }: { prefix?: string } = {}) {
    this.#document = document;
    this.#prefix = prefix;
  }

  /**
   * Returns the operators that show a line. The runs and their clusters are written from left to right, because PDF requires
   * visual order for right-to-left text.
   *
   * @param matrix places the line's left end on its baseline
   */
  show(line: Line, { fontSize, matrix }: { fontSize: number; matrix: TextMatrix }): ShownLine {
    const fonts = new Map<string, PDFRef>();
    const parts: string[] = [];
    const pen = { drawn: 0, wanted: 0 };
    let current: DocumentFont | undefined;
    let array: string[] = [];
    const marks = findDirectionMarks(line.runs);
    const flush = (): void => {
      if (array.length > 0) parts.push(`[${array.join('')}] TJ`);
      array = [];
    };
    for (const run of line.runs) {
      flush();
      for (const cluster of run.clusters) {
        const { font, codes } = this.#codesFor(cluster, marks.get(cluster));
        if (font !== current) {
          flush();
          parts.push(`/${font.resource} ${decimal(fontSize)} Tf`);
          fonts.set(font.resource, font.ref);
          current = font;
        }
        for (const { code, offset } of codes) {
          const adjustment = Math.round(pen.drawn - pen.wanted - offset);
          if (adjustment !== 0) array.push(String(adjustment));
          array.push(`<${hex(code)}>`);
          pen.drawn += font.subset.characters[code - 1]!.width - adjustment;
        }
        pen.wanted += 1000 * cluster.advance;
      }
    }
    flush();
    const operators = parts.length > 0 ? `BT ${matrix.map(decimal).join(' ')} Tm ${parts.join(' ')} ET` : '';
    return { operators: operators.replaceAll('><', ''), fonts };
  }

  /** Writes the used fonts into the document. Do not call `show` afterwards. */
  embed(): void {
    for (const fonts of this.#fonts.values())
      for (const { ref, subset } of fonts) writeFont(this.#document.context, ref, subset);
    this.#fonts.clear();
  }

  #codesFor(
    cluster: Cluster,
    mark: DirectionMarkPosition | undefined,
  ): { font: DocumentFont; codes: readonly PlacedCode[] } {
    const font = this.#fonts.get(cluster.font)?.at(-1);
    const codes = font?.subset.codesFor(cluster, mark);
    if (font && codes) return { font, codes };
    const next = this.#open(cluster.font);
    return { font: next, codes: next.subset.codesFor(cluster, mark)! };
  }

  #open(name: FontName): DocumentFont {
    const fonts = this.#fonts.get(name) ?? [];
    const font = {
      subset: new SubsetFont(name),
      resource: `${this.#prefix}-${name}${fonts.length > 0 ? `-${fonts.length + 1}` : ''}`,
      ref: this.#document.context.nextRef(),
    };
    fonts.push(font);
    this.#fonts.set(name, fonts);
    return font;
  }
}

/** Formats a number for PDF: no exponent, at most four decimals. */
function decimal(value: number): string {
  return String(Number(value.toFixed(4)));
}
