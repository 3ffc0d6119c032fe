import type { PDFRef } from '@cantoo/pdf-lib';
import { drawnStyle } from './font-style.ts';
import type { GlyphRun } from './lines.ts';
import type { Cluster } from './shaping.ts';
import { hex, type PlacedCode, type SubsetFont } from './subset-font.ts';

/** A text matrix (PDF 32000-1, 9.4.2). For example, [1, 0, 0, 1, x, y] writes upright text from the point (x, y). */
export type TextMatrix = readonly [number, number, number, number, number, number];

/** A line that is ready to be added to a content stream. */
export interface ShownLine {
  /**
   * Complete text objects, from BT to ET; empty for a line without text. They leave the colors of the line's last span,
   * and the render mode 0.
   */
  operators: string;
  /** The fonts that the operators use, by name. The caller must add them to the font resources of the page or form. */
  fonts: ReadonlyMap<string, PDFRef>;
}

/** The style of a span of a paragraph, apart from its font. */
export interface ShownSpan {
  bold: boolean;
  italic: boolean;
  /** The rise above the baseline, in em of the paragraph's size. */
  rise: number;
  /** The operators that set the fill color; empty for black. */
  color: string;
  /** The strokes along the edges of the letters. The color is written as a fill color, and the width is in em. */
  outline?: { color: string; width: number; isFilled: boolean } | undefined;
  /** The space between letters, in em of the span's size. The advances of the clusters include it. */
  spacing?: number;
}

/** A font of the document, with its name in the resources. */
export interface DocumentFont {
  subset: SubsetFont;
  resource: string;
  ref: PDFRef;
}

/**
 * The stroke width, in em, that makes regular letters look as dark as bold ones. It was measured on the characters of
 * Noto Sans SC.
 */
const bolderStroke = 0.035;
/**
 * The tangent of the angle by which upright letters are slanted to look italic. Poppler treats a slanted font as 1.6%
 * larger, and compares the distances between letters with this size. With more slant, it would split words of
 * right-to-left text (`direction-marks.ts`).
 */
const slant = 0.18;

/** Writes the operators of one line as a text object. */
export class LineWriter {
  readonly #matrix: TextMatrix;
  readonly #fontSize: number;
  readonly #parts: string[] = [];
  readonly #fonts = new Map<string, PDFRef>();
  #array: string[] = [];
  /** The settings that apply to the next text: the operators that were written last. */
  #current = { place: '', font: '', color: '', drawing: '', spacing: '0 Tc' };
  /** The space that the reader adds after each code, in thousandths of an em. */
  #spacing = 0;
  /**
   * Positions in thousandths of an em from the last text matrix: where the PDF reader is (`drawn`), and where the next
   * cluster must start (`wanted`).
   */
  #pen = { drawn: 0, wanted: 0 };
  /** The end of the text written so far, in em of the paragraph's size, from the left end of the line. */
  #x = 0;
  #scale = 1;

  constructor(matrix: TextMatrix, fontSize: number) {
    this.#matrix = matrix;
    this.#fontSize = fontSize;
  }

  /** @param x the start of the run, in em of the paragraph's size, from the left end of the line */
  startRun({ font, scale }: GlyphRun, x: number, span: ShownSpan | undefined): void {
    this.#flush();
    const { bolder, slanted } = span ? drawnStyle(font, span) : { bolder: false, slanted: false };
    const rise = (span?.rise ?? 0) * this.#fontSize;
    this.#scale = scale;
    const place = `${scale} ${rise} ${slanted}`;
    if (place !== this.#current.place || Math.abs(x - this.#x) > 1e-6) {
      const [a, b, c, d, e, f] = this.#matrix;
      const lean = slanted ? slant : 0;
      const along = x * this.#fontSize;
      const start = [a * along + c * rise + e, b * along + d * rise + f];
      this.#parts.push(`${[a, b, c + lean * a, d + lean * b, ...start].map(decimal).join(' ')} Tm`);
      this.#pen = { drawn: 0, wanted: 0 };
      this.#current.font = '';
      this.#x = x;
    }
    this.#current.place = place;
    const color = span ? span.color || '0 g' : '';
    if (!translucent.test(color)) this.#endTranslucency();
    if (color !== this.#current.color) this.#parts.push(color);
    // A stroke would be seen through a translucent letter.
    const isBolder = bolder && !translucent.test(color);
    const stroke = span?.outline ?? (isBolder ? { color, width: bolderStroke, isFilled: true } : undefined);
    const drawing = stroke ? strokeOperators(stroke, this.#fontSize * scale) : '';
    if (drawing !== this.#current.drawing) this.#parts.push(drawing || '0 Tr');
    // Programs that copy text do not read this space as a space between words, as they would with a TJ adjustment.
    this.#spacing = Math.round(1000 * (span?.spacing ?? 0));
    const spacing = `${decimal((this.#spacing / 1000) * this.#fontSize * scale)} Tc`;
    if (spacing !== this.#current.spacing) this.#parts.push(spacing);
    Object.assign(this.#current, { color, drawing, spacing });
  }

  write(cluster: Cluster, { resource, ref, subset }: DocumentFont, codes: readonly PlacedCode[]): void {
    if (resource !== this.#current.font) {
      this.#flush();
      this.#parts.push(`/${resource} ${decimal(this.#fontSize * this.#scale)} Tf`);
      this.#fonts.set(resource, ref);
      this.#current.font = resource;
    }
    for (const { code, offset } of codes) {
      const adjustment = Math.round(this.#pen.drawn - this.#pen.wanted - offset);
      if (adjustment !== 0) this.#array.push(String(adjustment));
      this.#array.push(`<${hex(code)}>`);
      this.#pen.drawn += subset.characters[code - 1]!.width - adjustment + this.#spacing;
    }
    this.#advance(cluster);
  }

  /**
   * Leaves the space of a box free.
   *
   * @param draw returns what is drawn in the box, by the start of the box: in em of the paragraph's size, from the left
   *   end of the line
   */
  writeBox(box: Cluster, draw: (x: number) => ShownLine | undefined): void {
    const drawn = draw(this.#x);
    if (drawn) {
      this.#flush();
      this.#parts.push(`ET ${drawn.operators} BT`);
      for (const [name, ref] of drawn.fonts) this.#fonts.set(name, ref);
      this.#current.place = '';
    }
    this.#advance(box);
  }

  #advance({ advance, scale }: Cluster): void {
    this.#pen.wanted += 1000 * advance;
    this.#x += advance * scale;
  }

  end(): ShownLine {
    this.#flush();
    if (this.#fonts.size === 0) return { operators: '', fonts: this.#fonts };
    this.#endTranslucency();
    if (this.#current.drawing) this.#parts.push('0 Tr');
    if (this.#current.spacing !== '0 Tc') this.#parts.push('0 Tc');
    return { operators: `BT ${this.#parts.join(' ')} ET`.replaceAll('><', ''), fonts: this.#fonts };
  }

  #endTranslucency(): void {
    if (translucent.test(this.#current.color)) this.#parts.push(alphaOperator(1));
  }

  #flush(): void {
    if (this.#array.length > 0) this.#parts.push(`[${this.#array.join('')}] TJ`);
    this.#array = [];
  }
}

/** The operator by which the color of a translucent text starts. */
const translucent = /\sgs(?:\s|$)/;

/** Finds the names of the graphics states of `alphaOperator`, and their alphas. */
export const alphaNames = /(?<=\/)LinguaLoopAlpha([01](?:\.\d+)?)(?= gs)/g;

/** Returns the operator that sets the alpha of fills. Its graphics state must be among the page's resources. */
export function alphaOperator(alpha: number): string {
  return `/LinguaLoopAlpha${decimal(Math.min(1, Math.max(0, alpha)))} gs`;
}

function strokeOperators({ color, width, isFilled }: NonNullable<ShownSpan['outline']>, em: number): string {
  return `${strokeColor(color || '0 g')} ${decimal(width * em)} w 1 j ${isFilled ? 2 : 1} Tr`;
}

/** Converts operators that set a fill color to operators that set the same stroke color. */
export function strokeColor(color: string): string {
  return color.replace(/(?<=^|\s)(g|rg|k|cs|scn?)(?=\s|$)/g, (operator) => operator.toUpperCase());
}

/** Formats a number for a PDF: without an exponent, and with at most four decimals. */
function decimal(value: number): string {
  return String(Number(value.toFixed(4)));
}
