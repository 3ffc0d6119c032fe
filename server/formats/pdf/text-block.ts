import type { SegmentKind } from '../document.ts';
import type { InlineContent } from '../inline-content.ts';
import type { Matrix, Rectangle } from './geometry.ts';
import type { Outline, ShownText } from './page-content.ts';

/** Text that is translated and typeset as a whole: a paragraph, a heading, a table cell, a label. */
export interface TextBlock {
  /** Unique in the file and the same in each reading: `p3.b12`, page and position in reading order. */
  id: string;
  page: number;
  kind: SegmentKind;
  /** The source with tags around the spans whose style differs from the block's. */
  content: InlineContent;
  /** By tag number. */
  spans: Map<number, TextStyle>;
  style: TextStyle;
  /**
   * From the block's space to the page's user space. In the block's space the text is along the x axis, y is up, and the unit
   * is a point on the displayed page. The matrix only rotates and moves; the sizes include the scale.
   */
  matrix: Matrix;
  /** From the first line's ascent to the last line's descent, in the block's space. */
  box: Rectangle;
  /** In the block's space, from the top. At least one. */
  lines: { left: number; right: number; baseline: number }[];
  alignment: 'left' | 'right' | 'center' | 'justified';
  /** Whether blocks above or below have the same aligned edge. If so, the block must not grow over that edge. */
  sharesEdge: boolean;
  /**
   * The indent of the first line, from the left edge of the other lines (right edge in right-to-left text). Negative if the
   * other lines are indented.
   */
  indent: number;
  /** From baseline to baseline, in points. For a single line, the default of its style. */
  leading: number;
  /** The bullet or number in front of its text. It does not move, unless the translation has the opposite direction. */
  label: BlockLabel | null;
  /** The source glyphs, which are removed when the block is translated. */
  glyphs: GlyphRange[];
  /**
   * The innermost area that is drawn around it (a table cell between rules, a filled box), in the block's space; null
   * without such an area.
   */
  container: Rectangle | null;
}

export interface BlockLabel {
  text: string;
  style: TextStyle;
  /** Its left edge, in the block's space. */
  left: number;
  glyphs: GlyphRange[];
}

/** Glyphs of one operator, from `from` to before `to`. */
export interface GlyphRange {
  text: ShownText;
  from: number;
  to: number;
}

export interface TextStyle {
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  italic: boolean;
  /** In points on the displayed page. */
  size: number;
  /** The rise of a superscript or subscript, in points. */
  rise: number;
  /** Operators that set the fill color; empty for black. */
  color: string;
  outline?: Outline | undefined;
}
