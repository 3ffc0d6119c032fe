import type { SegmentKind } from '../document.ts';
import type { InlineContent } from '../inline-content.ts';
import type { Matrix, Rectangle } from './geometry.ts';
import type { Outline, ShownText } from './page-content.ts';

/** Text that is translated as a whole and set again as a whole: a paragraph, a heading, a table cell, a label. */
export interface TextBlock {
  /** Unique in the file and the same at each reading: `p3.b12`, page and place in reading order. */
  id: string;
  page: number;
  kind: SegmentKind;
  /** The source with tags around the spans whose style differs from the block's. */
  content: InlineContent;
  /** By tag number. */
  spans: Map<number, TextStyle>;
  style: TextStyle;
  /**
   * From the block's own space to the page's user space. In the block's space the text runs along the x axis, y is up, and the unit
   * is the point as a reader sees it; it only turns and moves (a scale is in the sizes).
   */
  matrix: Matrix;
  /** From the first line's ascent to the last line's descent, in the block's space. */
  box: Rectangle;
  /** In the block's space, from the top. At least one. */
  lines: { left: number; right: number; baseline: number }[];
  alignment: 'left' | 'right' | 'center' | 'justified';
  /** Whether blocks above or below it have the edge, too, with which it is aligned: it must not grow over that. */
  sharesEdge: boolean;
  /** Of the first line, from the left edge of the others (right edge in right-to-left text). Negative: the others are indented. */
  indent: number;
  /** From baseline to baseline, in points. Of one line: what its style asks for. */
  leading: number;
  /** The bullet or number in front of its text, which stays where it is unless the text turns its direction. */
  label: BlockLabel | null;
  /** The glyphs that it was read from: they are removed when it is translated. */
  glyphs: GlyphRange[];
  /** The innermost area drawn for it (a table cell between rules, a filled box), in the block's space; null if there is none. */
  container: Rectangle | null;
}

export interface BlockLabel {
  text: string;
  style: TextStyle;
  /** Its left edge, in the block's space. */
  left: number;
  glyphs: GlyphRange[];
}

/** Glyphs of one operator, `from` to before `to`. */
export interface GlyphRange {
  text: ShownText;
  from: number;
  to: number;
}

export interface TextStyle {
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  italic: boolean;
  /** In points, as a reader sees it. */
  size: number;
  /** Of a superscript or subscript, in points upwards. */
  rise: number;
  /** Operators that set the fill color; empty for black. */
  color: string;
  outline?: Outline | undefined;
}
