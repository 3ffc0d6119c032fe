import type { PDFDict, PDFStream } from '@cantoo/pdf-lib';
import type { Matrix, Rectangle } from '../geometry.ts';
import type { OperatorPlace, Paint } from '../page-content.ts';
import type { Color } from './color.ts';

/** A text operator from the stream. The positions of its glyphs require their widths, which are read later. */
export interface TextOperator {
  /** Tj, TJ, ' or ". */
  name: string;
  place: OperatorPlace;
  order: number;
  /** Strings of character codes, and adjustments in thousandths of the font size. */
  pieces: (Uint8Array | number)[];
  /** The text at whose end it starts; undefined if it starts at the origin of the line matrix. */
  after: TextOperator | undefined;
  lineMatrix: Matrix;
  ctm: Matrix;
  clip: Rectangle | null;
  font: PDFDict;
  fontSize: number;
  charSpacing: number;
  wordSpacing: number;
  /** 1 is normal. */
  scaling: number;
  rise: number;
  renderMode: number;
  /** The width of its strokes, in unscaled user space. */
  lineWidth: number;
  /** Set if its letters clip later content. */
  stencil: Stencil | undefined;
  fill: Color;
  stroke: Color;
  /** The operators that make it translucent, if any. */
  translucency: string;
  optionalContent: string[];
  /** Whether it is in a layer that is not shown. */
  isHidden: boolean;
}

/** Letters through which content may be painted. */
export interface Stencil {
  isPainted: boolean;
}

/** One painting of a form XObject. */
export interface FormUse {
  /** The use in whose stream it is painted; 0 is the page. */
  parent: number;
  /** The Do operator with its operand, as offsets into that stream. */
  start: number;
  end: number;
  name: string;
  form: PDFStream;
  /** Those of the form, or those of the stream that paints it. */
  resources: PDFDict | undefined;
}

export interface Interpretation {
  texts: TextOperator[];
  paints: Paint[];
  /** Use n has the index n - 1. */
  uses: FormUse[];
  /** The Do operators that paint a form within itself. Readers ignore them. */
  loops: OperatorPlace[];
  /** Tiling patterns and groups of soft masks, whose content is only visible through other content. */
  indirect: Set<PDFStream>;
}
