import type { Matrix, Rectangle } from './geometry.ts';

/**
 * What a page shows, read from its content streams and from the form XObjects that they paint. All places are in the page's
 * user space, before its /Rotate.
 */
export interface PageContent {
  /** From 1. */
  number: number;
  /** The part of the page that a reader sees: its crop box within its media box. */
  box: Rectangle;
  rotation: 0 | 90 | 180 | 270;
  /** In painting order. */
  texts: ShownText[];
  /** In painting order. */
  paints: Paint[];
  /** Fields, links and other annotations that a reader sees or clicks. */
  annotations: { kind: 'widget' | 'link' | 'other'; box: Rectangle }[];
}

/** Something painted that is not text. Translated text is not set over it, unless the source text stood on it. */
export interface Paint {
  kind: 'image' | 'fill' | 'stroke';
  /** Within the clip. */
  box: Rectangle;
  /** Shared with the texts: a later one covers an earlier one. */
  order: number;
  /** Hides what it covers: no transparency, no soft mask, no blend mode. */
  opaque: boolean;
  /** Of a curved or sloped line, as an arrow in a diagram: boxes along it. Most of its own box is free. */
  parts?: Rectangle[];
}

/** Where a text operator stands. The same form XObject painted twice is two places. */
export interface OperatorPlace {
  /** Which painting of a form XObject on this page, counted in painting order from 1; 0 is the page itself. */
  use: number;
  /** The operator and its operands, as byte offsets into the decoded stream (of a page: its streams, joined by a line end). */
  start: number;
  end: number;
}

/** Why a text is not translated, but left as it is. */
export type KeptReason =
  | 'invisible' // render mode 3, or 7 with nothing painted through it
  | 'clipped' // outside the clip or the page
  | 'covered' // an opaque paint hides it
  | 'partly_covered' // an opaque paint hides a part of it, or of a word that goes on in it
  | 'undecodable' // the font does not tell which characters its codes stand for
  | 'vertical' // a vertical writing mode
  | 'stencil' // something is painted through its letters
  | 'unpaired'; // the two readings of the stream differ here

/** What one text operator (Tj, TJ, ' or ") shows. */
export interface ShownText {
  place: OperatorPlace;
  order: number;
  glyphs: ShownGlyph[];
  font: TextFont;
  /**
   * From em space to user space: (0, 0) is the origin of the first glyph, (1, 0) one em to the right on the baseline, (0, 1) one em
   * up. Horizontal scaling and rise are in it, character and word spacing are in the glyphs' places.
   */
  matrix: Matrix;
  /** The operators that set its fill color, such as `0 0 0 rg`. Empty for the initial color, black. */
  color: string;
  /** Undefined: its letters are only filled, or the strokes do not show. */
  outline?: Outline | undefined;
  /** The names of its optional content groups in the page's resources (/OC /name BDC), outermost first. Mostly none. */
  optionalContent: string[];
  kept: KeptReason | null;
}

/** The strokes along the edges of letters. */
export interface Outline {
  /** As operators that set a fill color. Empty for black. */
  color: string;
  /** In em. */
  width: number;
  /** Whether the letters are filled, too. */
  isFilled: boolean;
}

/** Tells outlines apart that look different. */
export function outlineKey(outline: Outline | undefined): string {
  return outline ? `${outline.isFilled} ${outline.width} ${outline.color}` : '';
}

export interface ShownGlyph {
  /** The characters that it stands for: none, one, or several (a ligature). */
  text: string;
  /** From the operator's first glyph along the baseline, in em. */
  x: number;
  /** In em, without character and word spacing. */
  advance: number;
}

/** The font of a text as far as its looks can be imitated. */
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
