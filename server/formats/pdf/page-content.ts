import type { Typeface } from '../typesetting/fonts.ts';
import type { Matrix, Rectangle } from './geometry.ts';

/**
 * The visible content of a page, as read from its content streams and from the form XObjects that these streams paint.
 * All positions are in the page's user space, before /Rotate is applied.
 */
export interface PageContent {
  /** The page number, from 1. */
  number: number;
  /** The visible part of the page: the intersection of its crop box and its media box. */
  box: Rectangle;
  rotation: 0 | 90 | 180 | 270;
  /** The texts in painting order. */
  texts: ShownText[];
  /** The painted objects in painting order. */
  paints: Paint[];
  /** The form fields, links and other annotations that are visible or clickable. */
  annotations: PageAnnotation[];
}

export interface PageAnnotation {
  /** `markup` is a highlight, an underline or a strike-out over text. */
  kind: 'widget' | 'link' | 'markup' | 'other';
  box: Rectangle;
  /** The areas of the text under a link or a markup. */
  areas?: Rectangle[];
  /** The position in the page's list of annotations. */
  index?: number;
  /** Whether it is an empty field for a text or a choice. Such a field can become shorter. */
  isBlank?: boolean;
  /** The maximum number of characters of a form field. */
  maxLength?: number | undefined;
  /** A key for the action of a link. Links with the same key that follow each other belong to one text. */
  action?: string;
}

/** Painted content other than text. Translated text is not placed over it, unless the source text was over it. */
export interface Paint {
  kind: 'image' | 'fill' | 'stroke';
  /** The bounding box of the visible part, within the clip. */
  box: Rectangle;
  /**
   * The position in the painting order, in one sequence with the texts. An object with a higher number covers earlier
   * objects.
   */
  order: number;
  /** Whether the object hides the content below it. False if it has transparency, a soft mask or a blend mode. */
  opaque: boolean;
  /** The operators of the object, if they can be removed without a change of other objects. */
  place?: OperatorPlace;
  /**
   * Whether `place` is only the operator that paints the path, because other operators are between those that build it.
   * The operator `n` must replace it.
   */
  keepsPath?: true;
  /** For an object with `keepsPath` that can be moved: all of its operators, and the operators of a color among them. */
  path?: OperatorPlace & { colors: string };
  /** For the shape of a letter: its area in square points, negative for the hole in a letter or for all but holes. */
  ink?: number;
  /** The operators that set the color, written as operators for a fill color; undefined if not known. */
  color?: string;
  /** For an object that can be moved, because `place` or `path` is all of its operators: maps its space to the page's user space. */
  ctm?: Matrix;
  /** The clip of an object with a `ctm`: it would not be visible elsewhere. */
  clip?: Rectangle;
  /** For an image with a soft mask: whether most of it is transparent, as the shadow of a text is. */
  isFaint?: () => boolean;
  /**
   * For a curved or sloped line, such as an arrow in a diagram, and for an area such as a triangle: rectangles along the
   * line or in the area. They are used instead of `box`, because much of that box is free.
   */
  parts?: Rectangle[];
}

/** The distances by which painted objects move, in the page's user space. Each object has a `ctm`. */
export type PaintMoves = ReadonlyMap<Paint, readonly [x: number, y: number]>;

/**
 * The position of an operator in the content of a page. If a form XObject is painted twice, its operators have two
 * positions.
 */
export interface OperatorPlace {
  /**
   * The number of the form's painting that contains the operator. Paintings of forms on a page are counted in painting
   * order, from 1; 0 is the page itself.
   */
  use: number;
  /**
   * The start and end of the operator with its operands, as byte offsets in the decoded stream. For a page, its content
   * streams are joined by line ends.
   */
  start: number;
  end: number;
}

/** The text of a glyph whose characters are unknown. */
export const unknownText = '\ufffd';

/** The reason why a text cannot be translated and stays unchanged. */
export type KeptReason =
  | 'invisible' // render mode 3, or render mode 7 if nothing is painted through the letters
  | 'tiny' // too small to read
  | 'clipped' // the text is outside the clip or the page
  | 'covered' // an opaque object hides the text
  | 'partly_covered' // an opaque object hides a part of the text, or another part of a word that continues in it
  | 'undecodable' // the font does not define the characters of some letters
  | 'vertical' // the text has a vertical writing mode
  | 'stencil' // something is painted through the letters
  | 'unpaired'; // the two readings of the content stream differ at this position

/**
 * A paragraph, heading, item or cell as the author's program declared it in the structure tree of a tagged PDF: PDF
 * 32000-1, 14.7 and 14.8. Texts with the same object belong to the same element.
 */
export interface StructureElement {
  /** The standard structure type, such as `P`, `H1`, `LBody` or `TD`. */
  type: string;
  /** The type of the element around it. */
  within?: string;
}

/** The text that one text operator shows (Tj, TJ, ' or "). */
export interface ShownText {
  place: OperatorPlace;
  order: number;
  glyphs: ShownGlyph[];
  font: TextFont;
  /**
   * Maps em space to user space. In em space, (0, 0) is the origin of the first glyph, (1, 0) is one em to the right on
   * the baseline, and (0, 1) is one em up. The matrix includes horizontal scaling and rise. Character and word spacing
   * are included in the positions of the glyphs.
   */
  matrix: Matrix;
  /** The operators that set the fill color, such as `0 0 0 rg`. Empty for black, which is the initial color. */
  color: string;
  /** The strokes along the edges of the letters; undefined if missing, or if they are not visible. */
  outline?: Outline | undefined;
  /**
   * The names of the optional content groups around the text in the page's resources (/OC /name BDC), outermost first.
   * Usually empty.
   */
  optionalContent: string[];
  /** The paragraph, heading, item or cell that contains the text, if the file declares it. */
  element?: StructureElement | undefined;
  /** The filled shapes of its letters, if the text itself is transparent. They are not among the page's `paints`. */
  shapes?: readonly Paint[];
  kept: KeptReason | null;
}

/** Strokes along the edges of letters. */
export interface Outline {
  /** The operators that set the color of the strokes, written as operators for a fill color. Empty for black. */
  color: string;
  /** The width of the strokes, in em. */
  width: number;
  /** Whether the letters are also filled. */
  isFilled: boolean;
}

/** Returns a key for an outline. Outlines that look different have different keys. */
export function outlineKey(outline: Outline | undefined): string {
  return outline ? `${outline.isFilled} ${outline.width} ${outline.color}` : '';
}

export interface ShownGlyph {
  /** The characters that the glyph represents: none, one, or several (a ligature). U+FFFD if they are unknown. */
  text: string;
  /** The character code of a glyph whose characters are unknown, or that may look different from its character. */
  symbol?: number;
  /** The position on the baseline relative to the operator's first glyph, in em. */
  x: number;
  /** The width of the glyph in em, without character and word spacing. */
  advance: number;
}

/** The properties of a font that are needed to imitate its appearance. */
export interface TextFont {
  /** The PostScript name of the font without its subset tag. */
  name: string;
  family: 'serif' | 'sans' | 'mono';
  /** The typeface that looks like the font; null if it is that of the family. */
  typeface?: Typeface | null;
  bold: boolean;
  /** Whether the letters are thinner than regular ones. */
  light?: boolean;
  italic: boolean;
  /**
   * The height of the font above the baseline and (`descent`) its depth below the baseline, in em. Both are positive.
   */
  ascent: number;
  descent: number;
  /** The height at which the font draws letters, in em. The matrices of its texts include it. */
  rise?: number;
}
