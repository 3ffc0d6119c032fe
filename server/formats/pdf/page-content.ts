import type { Matrix, Rectangle } from './geometry.ts';

/**
 * The visible content of a page, read from its content streams and from the form XObjects that they paint. All positions are in
 * the page's user space, before its /Rotate.
 */
export interface PageContent {
  /** From 1. */
  number: number;
  /** The visible part of the page: its crop box within its media box. */
  box: Rectangle;
  rotation: 0 | 90 | 180 | 270;
  /** In painting order. */
  texts: ShownText[];
  /** In painting order. */
  paints: Paint[];
  /** Fields, links and other annotations that are visible or clickable. */
  annotations: { kind: 'widget' | 'link' | 'other'; box: Rectangle }[];
}

/** Painted content other than text. Translated text is not placed over it, unless the source text was over it. */
export interface Paint {
  kind: 'image' | 'fill' | 'stroke';
  /** Within the clip. */
  box: Rectangle;
  /** Uses the same numbers as the texts: a later object covers an earlier one. */
  order: number;
  /** Whether it hides the content below: no transparency, no soft mask, no blend mode. */
  opaque: boolean;
  /** For a curved or sloped line, such as an arrow in a diagram: boxes along it. Most of its bounding box is free. */
  parts?: Rectangle[];
}

/** The position of a text operator. A form XObject that is painted twice has two positions. */
export interface OperatorPlace {
  /** The painting of a form XObject on this page, counted in painting order from 1; 0 is the page. */
  use: number;
  /** The operator and its operands, as byte offsets into the decoded stream (for a page: its streams, joined by line ends). */
  start: number;
  end: number;
}

/** The reason why a text is not translated and stays unchanged. */
export type KeptReason =
  | 'invisible' // render mode 3, or 7 with nothing painted through it
  | 'clipped' // outside the clip or the page
  | 'covered' // an opaque paint hides it
  | 'partly_covered' // an opaque paint hides a part of it, or a part of a word that continues in it
  | 'undecodable' // the font does not define the characters of its codes
  | 'vertical' // a vertical writing mode
  | 'stencil' // something is painted through its letters
  | 'unpaired'; // the two readings of the stream differ at this position

/** The text of one text operator (Tj, TJ, ' or "). */
export interface ShownText {
  place: OperatorPlace;
  order: number;
  glyphs: ShownGlyph[];
  font: TextFont;
  /**
   * From em space to user space: (0, 0) is the origin of the first glyph, (1, 0) is one em to the right on the baseline, (0, 1)
   * is one em up. It includes horizontal scaling and rise. The positions of the glyphs include character and word spacing.
   */
  matrix: Matrix;
  /** The operators that set its fill color, such as `0 0 0 rg`. Empty for the initial color, black. */
  color: string;
  /** Undefined if its letters are only filled, or if the strokes are not visible. */
  outline?: Outline | undefined;
  /** The names of its optional content groups in the page's resources (/OC /name BDC), outermost first. Usually empty. */
  optionalContent: string[];
  kept: KeptReason | null;
}

/** The strokes along the edges of letters. */
export interface Outline {
  /** The operators that set the same fill color. Empty for black. */
  color: string;
  /** In em. */
  width: number;
  /** Whether the letters are filled, too. */
  isFilled: boolean;
}

/** Returns a key that differs for outlines with different appearance. */
export function outlineKey(outline: Outline | undefined): string {
  return outline ? `${outline.isFilled} ${outline.width} ${outline.color}` : '';
}

export interface ShownGlyph {
  /** The characters of the glyph: none, one, or several (a ligature). */
  text: string;
  /** From the operator's first glyph along the baseline, in em. */
  x: number;
  /** In em, without character and word spacing. */
  advance: number;
}

/** The font of a text, as far as its appearance can be imitated. */
export interface TextFont {
  /** The PostScript name without its subset tag. */
  name: string;
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  italic: boolean;
  /** Above and below the baseline, in em. Both are positive. */
  ascent: number;
  descent: number;
}
