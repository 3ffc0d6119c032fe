import type { SegmentKind } from '../document.ts';
import type { InlineContent } from '../inline-content.ts';
import { type Matrix, type Rectangle, transformRectangle, union } from './geometry.ts';
import type { Outline, Paint, ShownGlyph, ShownText } from './page-content.ts';
import { greatest, least } from './statistics.ts';

/** A text that is translated and typeset as a whole: a paragraph, a heading, a table cell, or a label. */
export interface TextBlock {
  /**
   * The id, such as `p3.b12`, from the page number and the position in reading order. It is unique in the file and the
   * same in every reading.
   */
  id: string;
  page: number;
  kind: SegmentKind;
  /** The source text, with tags around the spans whose style differs from the block's style. */
  content: InlineContent;
  /** The same with open hyphens at the ends of lines, if it has any. */
  open?: InlineContent;
  /** The style of each tagged span, by tag number. */
  spans: Map<number, TextStyle>;
  /** The symbols that are drawn as in the source, by the number of their void tag. */
  moved: Map<number, MovedGlyphs>;
  style: TextStyle;
  /**
   * Maps the block's space to the page's user space. In the block's space, the text is along the x axis, y points
   * upwards, and the unit is a point on the displayed page. The matrix only rotates and moves; the scale of the page is
   * included in the sizes.
   */
  matrix: Matrix;
  /** The box from the first line's ascent to the last line's descent, in the block's space. */
  box: Rectangle;
  /** The lines of the source in the block's space, from the top; at least one. */
  lines: { left: number; right: number; baseline: number }[];
  alignment: 'left' | 'right' | 'center' | 'justified';
  /** Whether blocks above or below have the same aligned edge. If so, the translation must not grow over this edge. */
  sharesEdge: boolean;
  /**
   * The indent of the first line relative to the left edge of the other lines, in points. In right-to-left text, the
   * right edges are used. A negative value means that the other lines are indented.
   */
  indent: number;
  /** The space between letters in addition to their widths, in em of the block's size. Missing if it is not wide. */
  letterSpacing?: number;
  /** The size of small capitals, which stand for small letters, as a share of the block's size. */
  smallCapitals?: number;
  /** Whether words are divided at the ends of lines. */
  isHyphenated?: boolean;
  /** The distance between baselines, in points. For a single line, the default of its style. */
  leading: number;
  /**
   * The bullet or number in front of the text; null if missing. It stays at its position, unless the translation
   * has the opposite direction.
   */
  label: BlockLabel | null;
  /** The glyphs of the source. They are removed when the block is translated. */
  glyphs: GlyphRange[];
  /**
   * The innermost drawn area around the block, in the block's space: a table cell between rules, or a filled box. Null
   * if there is none.
   */
  container: Rectangle | null;
  /**
   * The lines that are drawn under or through the text, and the images of its shadow. They are removed, and the lines are
   * drawn again with the translation.
   */
  rules: Paint[];
}

export interface BlockLabel {
  text: string;
  style: TextStyle;
  /** The left edge of the label, in the block's space. */
  left: number;
  glyphs: GlyphRange[];
}

/** @param index the position of the block in reading order, from 1 */
export function blockId(page: number, index: number): string {
  return `p${page}.b${index}`;
}

/** Returns the page number of a block by its id. */
export function pageOfBlock(id: string): number {
  return Number(/^p(\d+)\.b/.exec(id)?.[1]);
}

/** Glyphs that are drawn with their own font and codes, at the position of their tag in the translation. */
export interface MovedGlyphs {
  /** The glyphs, each with the offset of its origin from the left end and the baseline of the tag, in points. */
  parts: { glyphs: GlyphRange; x: number; y: number }[];
  /** The fraction bars and other rules of a formula, relative to the left end and the baseline of the tag, in points. */
  bars?: { box: Rectangle; color: string }[];
  /** The width of all glyphs, in points. */
  width: number;
}

/** Consecutive glyphs of one operator: those with the indexes from `from` to `to` - 1. */
export interface GlyphRange {
  text: ShownText;
  from: number;
  to: number;
}

/**
 * Returns the area of glyphs on the page, in user space. Blanks do not count, unless all glyphs are blanks: those before a
 * price may fill its row.
 */
export function boxOfGlyphs(ranges: readonly GlyphRange[]): Rectangle {
  const boxesOf = (isSeen: (glyph: ShownGlyph) => boolean) =>
    ranges.flatMap(({ text, from, to }) => {
      const own = text.glyphs.slice(from, to).filter(isSeen);
      if (own.length === 0) return [];
      const left = least(own.map(({ x }) => x));
      const right = greatest(own.map(({ x, advance }) => x + advance));
      const [bottom, top] = [-text.font.descent, text.font.ascent];
      return transformRectangle(text.matrix, { left, right, bottom, top });
    });
  const seen = boxesOf(({ text }) => text.trim() !== '');
  return (seen.length > 0 ? seen : boxesOf(() => true)).reduce(union);
}

export interface TextStyle {
  family: 'serif' | 'sans' | 'mono';
  bold: boolean;
  light?: boolean | undefined;
  italic: boolean;
  /** The font size, in points on the displayed page. */
  size: number;
  /** The rise of a superscript (positive) or subscript (negative), in points. */
  rise: number;
  /** The operators that set the fill color; empty for black. */
  color: string;
  outline?: Outline | undefined;
  /** The links, markups and rules of the text. Equal decorations have equal keys. */
  decoration?: Decoration | undefined;
}

export interface Decoration {
  key: string;
  /** The positions of the first annotations of each link and markup, in the page's list of annotations. */
  marks: readonly number[];
  rules: readonly TextRule[];
}

/** The thickness from which a rule is a box behind its text, in em. */
export const minHighlight = 0.5;

/** A line under or through a text, or a box behind it. Lengths are in em. */
export interface TextRule {
  /** The position of its middle above the baseline; negative for an underline. */
  rise: number;
  thickness: number;
  /** The operators that set the color of the line; undefined for the color of the text. */
  color: string | undefined;
}
