import { countLines } from '../../typesetting/lines.ts';
import type { Rectangle } from '../geometry.ts';
import type { FreeSpace } from './free-space.ts';
import type { StyledText } from './styled-text.ts';

/**
 * A translation to fit, and the position of its source. Lengths are in points, in a space in which the text is along
 * the x axis.
 */
export interface Frame {
  id: string;
  text: StyledText;
  size: number;
  /** The width of the letters as a share of their width in the font: less than 1 for condensed text. */
  stretch: number;
  /** The box of the source text. */
  box: Rectangle;
  /** The area to which the text may grow: the page's margins or the table cell. It contains the box. */
  bounds: Rectangle;
  singleLine: boolean;
  /** The left and right ends of the source's lines. */
  lines: { left: number; right: number }[];
  /** The baseline of the source's first line. */
  baseline: number;
  /** The distance from the last baseline of the source to the bottom of the box. */
  descent: number;
  /** The distances between baselines: the normal one, and the minimum if there is too little space. */
  leading: { normal: number; tight: number };
  alignment: 'left' | 'right' | 'center' | 'justified';
  /** Whether blocks above or below have the same edge. If so, the text must not grow over this edge. */
  sharesEdge: boolean;
  rightToLeft: boolean;
  /** Whether the text was left-aligned in a left-to-right source and becomes right-aligned. */
  mirrored: boolean;
  isCell: boolean;
  isHeading: boolean;
  /** Whether the text is the same in both languages, so that its glyphs stay. */
  stays: boolean;
  /**
   * Whether the text is a paragraph of running text. Such a paragraph may move up or down together with the adjacent
   * ones.
   */
  flows: boolean;
  /** Whether the text is the item of a list whose bullet can move up or down with it. */
  isItem: boolean;
  /** The left edge of this bullet. */
  labelLeft?: number;
  /**
   * A key of family, weight, slant, size, and whether the text is in a table. Texts with the same style can get a
   * common size.
   */
  style: string;
  /** The wide letter spacing of the source, in em; 0 if missing. */
  letterSpacing: number;
  /** The same key without the table. Texts with the same look that are in one row or column can get a common size. */
  look: string;
  /** The innermost drawn area that contains the text, such as a filled box or a table cell; null if missing. */
  container: Rectangle | null;
  /**
   * Whether this is the last attempt before the text is truncated. The text may then grow upwards and against its
   * alignment, whatever its surroundings are.
   */
  isRelaxed: boolean;
  /** Whether the text is a paragraph or a table cell. The end of such a text can be the end edge of its column. */
  makesColumn: boolean;
  /**
   * The same frame before a part of its box was cut off because of another object. It is tried before the text is
   * truncated.
   */
  uncut?: Frame;
  /** The area of the rules and the untranslated lines that belong to the text, below it. */
  below?: Rectangle;
  /** The right end to which the blank after the text may move. */
  blankEnd?: number;
  /** The right end of a single line that goes past the end of its column. */
  lineEnd?: number;
  /** The texts after this one on its line, such as a date. They move with it. */
  mates?: Frame[];
  /** The edges of the row in which the text and the number after it have exchanged their places. */
  row?: { left: number; right: number };
  /** For a paragraph that begins or ends next to an object: the lines next to the object. */
  beside?: Beside;
  /** Whether the text continues in another one, so that its last line ends as the other lines. */
  continues?: boolean;
  /** The indent of the first line, in em. If negative: minus the indent of all other lines. */
  indent: number;
}

/** The position and size of a fitted text. */
export interface Fit {
  /** The font size as a share of the source's font size. */
  scale: number;
  left: number;
  right: number;
  /** The baseline of the first line. */
  baseline: number;
  leading: number;
  lines: number;
  /** The lines that are next to an object. */
  beside?: Beside;
}

/** The edges of the lines of a paragraph that are next to an object. */
export interface Beside {
  left: number;
  right: number;
  /** Whether these are the last lines, not the first ones. */
  isAtEnd: boolean;
  /** The number of the first lines: those next to the object, or those above it. */
  lines: number;
}

/** Whether a line of a paragraph is next to the object. */
export function isBeside({ isAtEnd, lines }: Beside, line: number): boolean {
  return isAtEnd ? line >= lines : line < lines;
}

type Edges = Pick<Rectangle, 'left' | 'right'>;

/**
 * The share of a box's width by which lines may be wider than the box, up to one point. The tolerance is needed because
 * the source was measured in another font.
 */
const tolerance = 0.005;
/**
 * The minimum distances in em: from a line to objects next to it, from a paragraph to objects next to it, and from a
 * text to objects below it.
 */
const distances = { line: 0.6, paragraph: 1.2, below: 0.2 };

/**
 * The minimum part of the gap between a text and the text below, or the object above, that stays free: a share of the
 * gap, up to a maximum in em.
 */
const [shareOfGap, maxGap] = [0.5, 1];
/** The height of capital letters, and the depth of small ones that other objects may touch, in em. */
const [capitals, descenders] = [0.75, 0.15];
/** The number of leadings that are tried below the normal one for a paragraph next to an object. */
const leadingSteps = 6;
/** The share of a line by which a wide line may be nearer to an object than in the source. */
const intoObject = 0.2;
/** The width below which a text counts as a label, in em. */
const maxLabelWidth = 10;

/**
 * Returns the width of the first line and of the other lines between two edges, in em of the scaled and condensed text.
 */
export function lineWidth(frame: Frame, { left, right, scale }: Pick<Fit, 'left' | 'right' | 'scale'>) {
  const { indent, size, stretch } = frame;
  const width = (right - left + Math.min(1, tolerance * (right - left))) / (size * scale * stretch);
  const others = width - Math.max(0, -indent) / stretch;
  const first = width - Math.max(0, indent) / stretch;
  return { first, others };
}

/** Returns the last baseline of a frame's source. */
export function lastBaselineOf({ box, descent, uncut }: Frame): number {
  return (uncut?.box ?? box).bottom + descent;
}

/** Returns the number of lines of a frame's source. */
export function sourceLinesOf(frame: Frame): number {
  return 1 + Math.round((frame.baseline - lastBaselineOf(frame)) / frame.leading.normal);
}

/** Returns the number of lines that the text needs between two edges. */
export function linesBetween(frame: Frame, edges: Pick<Fit, 'left' | 'right' | 'scale'>): number {
  let lines = 0;
  for (const [index, { shaped, width }] of frame.text.paragraphs.entries()) {
    const widthOf = lineWidths(frame, edges, index === 0);
    lines += width <= widthOf(0) ? 1 : countLines(shaped, widthOf);
  }
  return lines;
}

/** Returns the widths of the lines of a paragraph, in em of the scaled and condensed text. */
export function lineWidths(
  frame: Frame,
  edges: Pick<Fit, 'left' | 'right' | 'scale' | 'beside'>,
  isFirst: boolean,
): (line: number) => number {
  const wide = lineWidth(frame, edges);
  const { beside } = edges;
  if (!beside) return (line) => (line === 0 && isFirst ? wide.first : wide.others);
  const narrow = lineWidth(frame, { ...edges, ...beside });
  return (line) => {
    const { first, others } = isBeside(beside, line) ? narrow : wide;
    return line === 0 && isFirst ? first : others;
  };
}

/**
 * Fits a paragraph that begins or ends next to an object, at one size. Returns undefined if the text does
 * not fit.
 */
export function fitBeside(frame: Frame, space: FreeSpace, scale: number): Fit | undefined {
  const { baseline, beside, box, leading, text } = frame;
  const [paragraph, ...rest] = text.paragraphs;
  if (!beside || !paragraph || rest.length > 0) return undefined;
  const region = roomBelow(frame, space, beside.isAtEnd ? beside : box);
  for (let step = 0; step <= leadingSteps; step++) {
    const distance = scale * (leading.normal - (step / leadingSteps) * (leading.normal - leading.tight));
    const above = ((beside.lines - 1) * leading.normal) / distance;
    const lines = beside.isAtEnd
      ? 1 + Math.floor(above + intoObject)
      : Math.ceil(((beside.lines - intoObject) * leading.normal) / distance);
    const fit = { left: box.left, right: box.right, scale, baseline, leading: distance, lines: 1 };
    const own = { ...fit, beside: { ...beside, lines } };
    const count = countLines(paragraph.shaped, lineWidths(frame, own, true));
    const lowest = region.bottom + frame.descent * scale;
    if (widestWordOf(text) <= narrowestLine(frame, { ...fit, ...beside }))
      if (baseline - (count - 1) * distance >= lowest - 0.1 * distance) return { ...own, lines: count };
  }
  return undefined;
}

/**
 * Fits a text at one size: first in its box, then with the space next to the box, then with the space below, and
 * finally with less leading. Returns undefined if the text does not fit.
 *
 * @param least the smallest allowed scale and width of the letters. A word that is too wide even then may be broken at
 *   any size
 */
export function fitAtScale(
  frame: Frame,
  space: FreeSpace,
  scale: number,
  least: { scale: number; stretch: number },
): Fit | undefined {
  const { text } = frame;
  const box = clearBox(frame, space);
  const normal = frame.leading.normal * scale;
  const tight = frame.leading.tight * scale;
  const width = text.paragraphs.reduce((sum, paragraph) => sum + paragraph.width, 0);
  const word = widestWordOf(text);
  const breaksWords = () =>
    word >
    narrowestLine(
      { ...frame, stretch: least.stretch },
      { ...roomBeside(frame, space, true), scale: least.scale },
    );

  const fitInto = (region: Rectangle, leading: number): Fit | undefined => {
    const edges = { left: region.left, right: region.right, scale };
    const capacity = capacityOf(frame, region, scale, leading);
    const { first, others } = lineWidth(frame, edges);
    if (width > capacity * Math.max(first, others)) return undefined;
    if (word > Math.min(first, others) && !breaksWords()) return undefined;
    const lines = linesBetween(frame, edges);
    return lines <= capacity
      ? { ...edges, ...placeLines(frame, region, { scale, leading, lines }) }
      : undefined;
  };

  const inBox = fitInto(box, normal);
  if (inBox) return inBox;
  const side = roomBeside(frame, space, false);
  const inSide = fitInto({ ...box, ...side }, normal);
  if (inSide) return inFewLines(frame, inSide, box, capacityOf(frame, box, scale, normal));
  const regions = [box, side, roomBeside(frame, space, true)].map((edges) => roomBelow(frame, space, edges));
  for (const leading of [normal, tight])
    for (const region of regions) {
      const found = fitInto(region, leading);
      if (found) return found.lines === 1 ? inFewLines(frame, found, side, 1) : found;
    }
  return undefined;
}

/**
 * Returns a fit for a text that fits nowhere: in the largest possible region, with as many lines as this region has.
 */
export function fitInMostRoom(frame: Frame, space: FreeSpace, scale: number): Fit {
  const leading = frame.leading.tight * scale;
  const region = roomBelow(frame, space, roomBeside(frame, space, true));
  const { left, right } = region;
  const lines = capacityOf(frame, region, scale, leading);
  return { left, right, scale, ...placeLines(frame, region, { scale, leading, lines }) };
}

export function widestWordOf({ paragraphs }: StyledText): number {
  return Math.max(...paragraphs.map(({ widestWord }) => widestWord));
}

export function narrowestLine(frame: Frame, edges: Pick<Fit, 'left' | 'right' | 'scale'>): number {
  const { first, others } = lineWidth(frame, edges);
  return Math.min(first, others);
}

function baselinesIn(
  frame: Frame,
  { bottom, top }: Rectangle,
  scale: number,
): { highest: number; lowest: number } {
  const ascent = frame.box.top - frame.baseline;
  return { highest: top - ascent * scale, lowest: bottom + frame.descent * scale };
}

function capacityOf(frame: Frame, region: Rectangle, scale: number, leading: number): number {
  const { highest, lowest } = baselinesIn(frame, region, scale);
  return Math.max(1, 1 + Math.floor((highest - lowest) / leading + 0.1));
}

/**
 * Distributes lines over a region. The leading is limited, so that it is only slightly greater than normal for the size
 * of the text. The lines move up only if they need the space.
 */
function placeLines(
  frame: Frame,
  region: Rectangle,
  { scale, leading, lines }: Pick<Fit, 'scale' | 'leading' | 'lines'>,
): Pick<Fit, 'baseline' | 'leading' | 'lines'> {
  const { highest, lowest } = baselinesIn(frame, region, scale);
  const even = lines > 1 ? (highest - lowest) / (lines - 1) : Number.POSITIVE_INFINITY;
  const most = Math.max(leading, (frame.leading.normal * (1 + scale)) / 2);
  const loose = Math.min(most, even);
  // A single line stays on its baseline, even if its box is over the text below.
  const wanted = lines > 1 ? lowest + (lines - 1) * loose : frame.baseline;
  return { lines, leading: loose, baseline: Math.min(highest, Math.max(frame.baseline, wanted)) };
}

/**
 * Whether the text grows to the left, because its lines start at the right edge or are right-aligned. For centered
 * lines this is false.
 */
export function growsLeft({ alignment, rightToLeft }: Frame): boolean {
  return alignment === 'right' || (alignment === 'justified' && rightToLeft);
}

/** Whether both edges of a text are visible. The text of a right-to-left language has its own way to the other edge. */
export function isJustified({ alignment, rightToLeft }: Frame): boolean {
  return alignment === 'justified' && !rightToLeft;
}

/** Whether a text is so narrow that it is a label. */
export function isLabel({ box, size }: Frame): boolean {
  return box.right - box.left < maxLabelWidth * size;
}

/**
 * Returns the left and right edges to which a text can grow. By default it grows only away from its aligned edge, and a
 * centered text grows equally on both sides. With `bothSides`, a label can also grow over its aligned edge, and a
 * centered text can grow by different amounts.
 */
export function roomBeside(frame: Frame, space: FreeSpace, bothSides: boolean): Edges {
  const { alignment, bounds, box, id, size, singleLine } = frame;
  const isNarrow = singleLine || isLabel(frame);
  const isNear = singleLine || (isNarrow && alignment === 'center');
  const near = size * (isNear ? distances.line : distances.paragraph);
  // The band is lower than the box, because the boxes of tightly spaced lines overlap. The boxes of some fonts are much
  // higher than their capitals.
  const band = {
    ...box,
    bottom: Math.max(box.bottom + 0.12 * size, lastBaselineOf(frame) - descenders * size),
    top: Math.min(box.top - 0.12 * size, frame.baseline + capitals * size),
  };
  // The area of a container already keeps its distance from what is around it.
  const reach = (distance: number) => (frame.container ? 0 : distance);
  const freeLeft = (distance: number) => {
    const until = bounds.left - reach(distance);
    const edge = space.left(band, until, id);
    return Math.min(box.left, edge > until ? Math.max(bounds.left, edge + distance) : bounds.left);
  };
  const freeRight = (distance: number) => {
    const until = bounds.right + reach(distance);
    const edge = space.right(band, until, id);
    return Math.max(box.right, edge < until ? Math.min(bounds.right, edge - distance) : bounds.right);
  };
  if (alignment === 'center') {
    const free = { left: freeLeft(near), right: freeRight(near) };
    if (bothSides) return free;
    const added = Math.min(box.left - free.left, free.right - box.right);
    return { left: box.left - added, right: box.right + added };
  }
  // The right edge of justified text is as visible as the left one.
  if (isJustified(frame) && !frame.isRelaxed) return { left: box.left, right: box.right };
  const against = bothSides && isNarrow && (frame.isRelaxed || !frame.sharesEdge);
  const far = size * distances.paragraph;
  return growsLeft(frame)
    ? { left: freeLeft(near), right: against ? freeRight(far) : box.right }
    : { left: against ? freeLeft(far) : box.left, right: freeRight(near) };
}

/**
 * Returns the box of a text without the part below its baseline, as far as other objects are in this part. A headline
 * often has its next text there, and a second line must not be drawn over this text.
 */
function clearBox({ box, baseline, id, singleLine }: Frame, space: FreeSpace): Rectangle {
  if (!singleLine) return box;
  const { edge } = space.below({ ...box, bottom: baseline }, box.bottom, id, 0);
  return edge > box.bottom ? { ...box, bottom: edge } : box;
}

/**
 * Returns the area between two edges that a text can use if it grows downwards. In a table cell or another container it
 * can also grow upwards.
 *
 * @param column the ids of the texts of its column, which move with it
 */
export function roomBelow(
  frame: Frame,
  space: FreeSpace,
  { left, right }: Edges,
  column?: ReadonlySet<string>,
): Rectangle {
  const { bounds, box, container, id, isRelaxed, singleLine, size } = frame;
  const distance = distances.below * size;
  const from = { left: left + 0.5, right: right - 0.5, bottom: box.bottom, top: box.top };
  const { edge, isText } = space.below(from, bounds.bottom - distance, id, size / 2, column);
  // The text keeps a distance to a text below it, and a column to any object.
  const most = isText ? maxGap : column ? maxGap / 2 : 0;
  const kept = Math.min(shareOfGap * (box.bottom - edge), most * size);
  const limit = edge + Math.max(distance, kept);
  const own = clearBox(frame, space);
  // A paragraph keeps a distance to any object above it, unless it would be truncated otherwise.
  const above = container || isRelaxed ? space.above(from, bounds.top + distance, id) : box.top;
  const keptAbove = isRelaxed || singleLine ? 0 : Math.min(shareOfGap * (above - box.top), maxGap * size);
  const ceiling = above - Math.max(distance, keptAbove);
  return { left, right, bottom: Math.min(own.bottom, limit), top: Math.max(box.top, ceiling) };
}

/** Returns the fit with the narrowest lines that still need at most `mostLines` lines, outside of the edges of `from`. */
function inFewLines(frame: Frame, found: Fit, from: Edges, mostLines: number): Fit {
  const { scale } = found;
  const word = widestWordOf(frame.text);
  const edges = narrowest(
    from,
    found,
    (own) =>
      word <= narrowestLine(frame, { ...own, scale }) && linesBetween(frame, { ...own, scale }) <= mostLines,
  );
  return { ...found, ...edges, lines: linesBetween(frame, { ...edges, scale }) };
}

/** Returns edges between `from` and `to`, which have enough space. They are only slightly farther apart than necessary. */
export function narrowest(from: Edges, to: Edges, fits: (edges: Edges) => boolean): Edges {
  const between = (share: number): Edges => ({
    left: from.left + share * (to.left - from.left),
    right: from.right + share * (to.right - from.right),
  });
  let [low, high] = [0, 1];
  for (let step = 0; step < 6; step++) {
    const middle = (low + high) / 2;
    if (fits(between(middle))) high = middle;
    else low = middle;
  }
  return between(high);
}
