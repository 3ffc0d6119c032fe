import type { InlineContent } from '../../inline-content.ts';
import type { FontName } from '../../typesetting/fonts.ts';
import { directionOf, fontOf } from '../../typesetting/languages.ts';
import { shapeParagraph } from '../../typesetting/paragraph.ts';
import { invert, type Matrix, type Rectangle, transformRectangle, union } from '../geometry.ts';
import type { TextBlock } from '../text-block.ts';
import type { Frame } from './fit.ts';
import { alignLabel, labelWidth, type StyledText, shapeRuns, styledRuns } from './styled-text.ts';

/** A block with its translation. */
export interface BlockTranslation {
  block: TextBlock;
  target: InlineContent;
  /** Whether the text is the same in both languages. Its glyphs are not set again. */
  isSame?: boolean;
  /** For a text that continues in another block: the id of this block, and the translation for this one and those after. */
  next?: { id: string; rest: InlineContent };
}

export interface Languages {
  sourceLanguage: string;
  targetLanguage: string;
}

/**
 * The minimum distance between baselines by main font, in em. Scripts with marks above and below their letters need a
 * greater distance than Latin.
 */
const minLeading: Partial<Record<FontName, number>> = {
  arabic: 1.2,
  devanagari: 1.2,
  thai: 1.25,
  simplifiedChinese: 1.2,
  traditionalChinese: 1.2,
  japanese: 1.2,
  korean: 1.2,
};
const minLatinLeading = 1.05;

/** Whether the source and the target language have opposite directions. */
export function isMirrored({ sourceLanguage, targetLanguage }: Languages): boolean {
  return directionOf(sourceLanguage) !== directionOf(targetLanguage);
}

/** A rotation of the page after which the text of certain blocks is along the x axis. */
export interface TextRotation {
  toPage: Matrix;
  fromPage: Matrix;
}

/** Returns the rotation for a block, and a name for it. Blocks with the same name have the same rotation. */
export function rotationOf({ matrix: [a, b, c, d] }: TextBlock): TextRotation & { name: string } {
  const toPage: Matrix = [a, b, c, d, 0, 0];
  const name = [a, b, c, d].map((value) => value.toFixed(3)).join(' ');
  return { toPage, fromPage: invert(toPage) ?? [1, 0, 0, 1, 0, 0], name };
}

/**
 * Shapes a translation, and determines the position of its source in the rotated space of the page.
 *
 * @param stretch the width of the letters as a share of their width in the font
 */
export function makeFrame(
  { block, target, isSame = false }: BlockTranslation,
  { fromPage }: TextRotation,
  margins: Rectangle,
  languages: Languages,
  stretch = 1,
): Frame {
  const { style, matrix, lines } = block;
  const [, , , , e, f] = matrix;
  const [a, b, c, d] = fromPage;
  const [x, y] = [a * e + c * f, b * e + d * f];
  const box = moved(block.box, x, y);
  const container = block.container && moved(block.container, x, y);
  const last = lines.at(-1)!.baseline + y;
  const rightToLeft = directionOf(languages.targetLanguage) === 'rtl';
  const isTurned = isMirrored(languages);
  const least = (minLeading[fontOf(languages.targetLanguage)] ?? minLatinLeading) * style.size;
  // The distance between lines is at least half an em, because lines that overlap more than this are not lines of a
  // paragraph.
  const own = Math.max(block.leading, style.size / 2);
  const normal = fontOf(languages.targetLanguage) === 'sans' ? own : Math.max(own, least);
  const apart = block.kind === 'table_cell' ? beforeEdge.cell : beforeEdge.text;
  const bounds = union(box, container ? within(container, box, style.size, apart) : margins);
  const room = block.alignment === 'right' ? box.right - bounds.left : bounds.right - box.left;
  const text = shapeTarget(styledRuns(block, target), block, languages, room / stretch);
  const look = `${style.family} ${style.bold} ${style.italic} ${style.size.toFixed(1)}`;
  // If a block has only one line, the indent of further lines is not known. They start after the bullet, if there is
  // one.
  const indent =
    lines.length > 1 || block.indent < 0
      ? block.indent / style.size
      : block.alignment === 'center'
        ? 0
        : -labelWidth(text) * stretch;
  return {
    id: block.id,
    text: alignedText(text, { indent, stretch }),
    size: style.size,
    stretch,
    box,
    bounds,
    singleLine: lines.length === 1,
    lines: lines.map(({ left, right }) => ({ left: left + x, right: right + x })),
    isRelaxed: false,
    stays: isSame,
    baseline: lines[0]!.baseline + y,
    descent: Math.max(0, last - box.bottom),
    leading: { normal, tight: Math.min(normal, least) },
    alignment: isTurned ? mirroredAlignment(block, rightToLeft) : block.alignment,
    sharesEdge: block.sharesEdge,
    rightToLeft,
    mirrored: isTurned && rightToLeft && block.alignment === 'left',
    isCell: block.kind === 'table_cell',
    isHeading: block.kind === 'heading',
    flows: block.kind !== 'table_cell' || !container,
    isItem: false,
    style: `${block.kind === 'table_cell'} ${look}`,
    letterSpacing: block.letterSpacing ?? 0,
    look,
    container,
    makesColumn: lines.length > 1 || block.kind === 'table_cell',
    indent,
  };
}

/** Aligns the first line of a text after its bullet or number with the other lines. */
export function alignedText(
  text: StyledText,
  { indent, stretch }: Pick<Frame, 'indent' | 'stretch'>,
): StyledText {
  return indent < 0 ? alignLabel(text, -indent / stretch) : text;
}

/** @param room the width that a single line may have, in points of letters that are not condensed */
export function shapeTarget(
  runs: StyledText['runs'],
  block: TextBlock,
  { targetLanguage: language }: Languages,
  room?: number,
): StyledText {
  return shapeRuns(runs, block, { language, direction: directionOf(language), room });
}

/**
 * Returns the alignment of a translation. Call it only if the source has another direction: left-aligned text then
 * becomes right-aligned, and right-aligned text becomes left-aligned. A single line of a right-to-left source keeps its
 * alignment.
 */
function mirroredAlignment({ alignment, lines }: TextBlock, rightToLeft: boolean): TextBlock['alignment'] {
  if (rightToLeft && alignment === 'left') return 'right';
  if (!rightToLeft && alignment === 'right' && lines.length > 1) return 'left';
  return alignment;
}

/** The distances from the upper and the lower edge of its container that a cell and another text keep at most, in em. */
const beforeEdge = { cell: 0.15, text: 0.3 };

/**
 * Returns the area that a text may use in its container. The text keeps the distances that its source has from the
 * edges of the container, within limits.
 */
function within(container: Rectangle, box: Rectangle, size: number, most: number): Rectangle {
  const sideMargin = Math.min(box.left - container.left, container.right - box.right);
  const above = Math.min(box.bottom - container.bottom, container.top - box.top);
  const x = Math.min(0.3 * size, Math.max(1, sideMargin));
  const y = Math.min(most * size, Math.max(0.5, above));
  return {
    left: container.left + x,
    right: container.right - x,
    bottom: container.bottom + y,
    top: container.top - y,
  };
}

/**
 * The maximum width of a margin, as a share of the page. Wider empty space is not a margin; the page is only partly
 * filled.
 */
const maxMarginWidth = 0.15;
/** The minimum height of the margin at the bottom, as a share of the page. */
const minMarginHeight = 0.05;

/**
 * Returns the area of a page that text may use, in rotated space. If one side of the page is not filled, the margin on
 * this side is as wide as the margin on the opposite side.
 */
export function marginsOf(
  page: Rectangle,
  texts: readonly Rectangle[],
  { fromPage }: TextRotation,
): Rectangle {
  const area = transformRectangle(fromPage, page);
  if (texts.length === 0) return area;
  const text = texts.map((box) => transformRectangle(fromPage, box)).reduce(union);
  const margin = (own: number, opposite: number, length: number): number => {
    const most = maxMarginWidth * length;
    return Math.max(0, own <= most ? own : Math.min(opposite, most));
  };
  const [width, height] = [area.right - area.left, area.top - area.bottom];
  const [left, right] = [text.left - area.left, area.right - text.right];
  const [bottom, top] = [text.bottom - area.bottom, area.top - text.top];
  return {
    left: area.left + margin(left, right, width),
    right: area.right - margin(right, left, width),
    // The bottom of a page is filled only as far as its text goes. A picture may be above the text.
    bottom:
      area.bottom +
      Math.min(bottom, Math.max(Math.min(top, maxMarginWidth * height), minMarginHeight * height)),
    top: area.top - margin(top, bottom, height),
  };
}

export function moved({ left, bottom, right, top }: Rectangle, x: number, y: number): Rectangle {
  return { left: left + x, bottom: bottom + y, right: right + x, top: top + y };
}

/**
 * If a left-to-right text becomes right-to-left, moves the bullet or number in front of the text into its translation,
 * because the label must then be at the right end of the first line. The label stays at its position if it is in a
 * table cell, or if no font has its characters.
 */
export function withLabelInText(item: BlockTranslation, languages: Languages): BlockTranslation {
  const { block, target } = item;
  const { label } = block;
  const isTurned =
    directionOf(languages.targetLanguage) === 'rtl' && directionOf(languages.sourceLanguage) === 'ltr';
  const begins = block.alignment === 'left' || block.alignment === 'justified';
  if (!isTurned || !label || !begins || block.kind === 'table_cell') return item;
  const box = { ...block.box, left: label.left };
  if (!hasFont(label.text, languages.targetLanguage)) return item;
  const tag = Math.max(0, ...block.spans.keys()) + 1;
  return {
    block: {
      ...block,
      box,
      label: null,
      indent: label.left - block.box.left,
      spans: new Map([...block.spans, [tag, label.style]]),
      glyphs: [...label.glyphs, ...block.glyphs],
    },
    target: [{ tag, type: 'open' }, label.text, { tag, type: 'close' }, ' ', ...target],
  };
}

function hasFont(text: string, language: string): boolean {
  const { clusters } = shapeParagraph(text, { language, direction: directionOf(language) });
  return clusters.every(({ glyphs }) => glyphs.every(({ id }) => id !== 0));
}
