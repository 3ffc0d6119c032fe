import type { PDFDict, PDFStream } from '@cantoo/pdf-lib';
import type { Matrix, Rectangle } from '../geometry.ts';
import type { OperatorPlace, Paint, StructureElement } from '../page-content.ts';
import type { Color } from './color.ts';

/**
 * A text operator of a content stream. The positions of its glyphs are not known yet, because they depend on the widths
 * of the glyphs, which are read later.
 */
export interface TextOperator {
  /** The name of the operator: Tj, TJ, ' or ". */
  name: string;
  place: OperatorPlace;
  order: number;
  /** The operands: strings of character codes, and adjustments in thousandths of the font size. */
  pieces: (Uint8Array | number)[];
  /**
   * The previous text, at whose end this text starts; undefined if this text starts at the origin of the line matrix.
   */
  after: TextOperator | undefined;
  lineMatrix: Matrix;
  ctm: Matrix;
  clip: Rectangle | null;
  font: PDFDict;
  fontSize: number;
  charSpacing: number;
  wordSpacing: number;
  /** The horizontal scaling; 1 is normal. */
  scaling: number;
  rise: number;
  renderMode: number;
  /** The width of the strokes, in unscaled user space. */
  lineWidth: number;
  /** Set if the letters of this text clip later content. */
  stencil: Stencil | undefined;
  fill: Color;
  stroke: Color;
  /** The operators that make the text translucent; empty if it is not translucent. */
  translucency: string;
  optionalContent: string[];
  /** Whether the text is in a layer that is hidden, or transparent: Canva writes a copy of text with effects like this. */
  isHidden: boolean;
  /** Returns the path that was filled last before the text: it may be the shapes of letters that the text does not draw. */
  filled: () => readonly Paint[];
  /** The element of the structure tree that contains the text; undefined if the file does not declare it. */
  element: StructureElement | undefined;
  /** The text that the file states for all operators with the same object: PDF 32000-1, 14.9.4. */
  stated: StatedText | undefined;
}

/** The characters of a marked content (/ActualText). */
export interface StatedText {
  text: string;
}

/** Letters that clip the content painted after them, and whether anything has been painted through them. */
export interface Stencil {
  isPainted: boolean;
}

/** One painting of a form XObject on a page. */
export interface FormUse {
  /** The number of the painting whose stream contains this painting; 0 is the page. */
  parent: number;
  /** The start and end of the Do operator with its operand, as offsets in that stream. */
  start: number;
  end: number;
  name: string;
  form: PDFStream;
  /** The resources of the form. If the form has none, those of the stream that paints it. */
  resources: PDFDict | undefined;
}

export interface Interpretation {
  texts: TextOperator[];
  paints: Paint[];
  /** The paintings of forms. The use with the number n has the index n - 1. */
  uses: FormUse[];
  /** The Do operators that paint a form inside the same form. PDF readers ignore them. */
  loops: OperatorPlace[];
  /** Tiling patterns and the groups of soft masks. Their content is only visible through other content. */
  indirect: Set<PDFStream>;
}
