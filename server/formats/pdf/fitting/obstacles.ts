import {
  apply,
  intersection,
  invert,
  type Matrix,
  type Rectangle,
  transformRectangle,
  union,
} from '../geometry.ts';
import { withoutHidden, withoutWhite } from '../layout/hidden-paints.ts';
import { flip, joinPieces } from '../layout/rule-index.ts';
import type { KeptReason, PageContent, Paint, ShownText } from '../page-content.ts';
import { runsOf } from '../statistics.ts';
import { boxOfGlyphs, type GlyphRange, type TextBlock } from '../text-block.ts';

/**
 * The maximum number of rectangles for drawings. If a page has more of them, similar rectangles are joined. A map, for
 * example, may have many thousands.
 */
const maxDrawings = 4000;
/** The maximum length of a dot or dash of a line, in points. */
const maxDash = 4;
/**
 * The share of the page's width and height from which a painted area is the page's background. A background is not an
 * obstacle.
 */
const background = 0.9;

/** The height of lower-case letters, in em. */
const letterHeight = 0.5;

/** The height of a line to write on above the baseline, in em. The usual gap to the text above is the space to write. */
const blankHeight = 0.2;

/** The reasons of untranslated texts that are not visible. Text may be drawn over them. */
const unseen: ReadonlySet<KeptReason> = new Set(['invisible', 'tiny', 'clipped', 'covered']);

/** A visible object of a page, in the page's user space. */
export interface Obstacle {
  box: Rectangle;
  /** Whether text must not be drawn over the object. Text may be drawn over lines and colored areas. */
  solid: boolean;
  /** Whether the object is a text, such as a number that stays in front of a heading. */
  isText?: boolean;
  /** The id of the block whose text may be drawn over the object. */
  owner?: string;
  /** The ids of the blocks that the object covers already in the source. Their texts may be below it again. */
  over?: ReadonlySet<string>;
}

/**
 * Lists the visible content of a page apart from the given texts: other text, images, drawings, annotations, fields.
 * Takes time linear in the visible content.
 *
 * @param blocks the translated texts
 * @param others other texts to leave out
 */
export function obstaclesOf(
  page: PageContent,
  blocks: readonly TextBlock[],
  others: readonly Pick<TextBlock, 'glyphs'>[] = [],
): Obstacle[] {
  const { paintsOf, shapes } = visiblePaints(page);
  const { texts } = page;
  const owners = [...blocks, ...others];
  return [
    ...otherTexts(
      texts.filter((text) => !isSloped(text)),
      owners,
    ),
    // The rectangle around a sloped watermark is much larger than its letters, and other texts may lie in it.
    ...overTexts(otherTexts(texts.filter(isSloped), owners), blocks),
    ...images(paintsOf('image'), blocks),
    ...annotations(page, blocks),
    ...overTexts(
      joined(paintsOf('fill')).map((box) => ({ box, solid: false })),
      blocks,
    ),
    ...shapes.flatMap((parts) => overShape(parts, blocks)),
    // All rules of a table can be one stroke.
    ...joined(paintsOf('stroke')).map((box) => ({ box, solid: false })),
  ];
}

/**
 * Adds to objects the ids of the texts that they overlap in the source: text lies over a colored area or a watermark, and
 * a small drawing may be between its lines.
 */
function overTexts(objects: readonly Obstacle[], blocks: readonly TextBlock[]): Obstacle[] {
  const areas = blocks.flatMap(({ id, lines, matrix, style: { size } }) =>
    lines.map(({ left, right, baseline }, index) => {
      const bottom = Math.min(baseline, lines[index + 1]?.baseline ?? baseline);
      const area = { left, right, bottom, top: baseline + letterHeight * size };
      return { id, area: transformRectangle(matrix, area) };
    }),
  );
  return objects.map((object) => {
    const over = areas.filter(({ area }) => intersection(area, object.box) !== undefined);
    return over.length === 0 ? object : { ...object, over: new Set(over.map(({ id }) => id)) };
  });
}

/** The maximum number of images of a page for which the texts over them are searched. */
const maxOverlays = 500;
/** The minimum share of a text's letters that lie on an image if the text belongs on it. */
const minOnImage = 0.1;

/**
 * Returns the images of a page as obstacles. A text that lies on an image in the source may lie on it again: the image is a
 * background, or its edge is transparent or covered.
 */
function images(boxes: readonly Rectangle[], blocks: readonly TextBlock[]): Obstacle[] {
  const large = new Set(boxes.slice(0, maxOverlays));
  const points = large.size === 0 ? [] : blocks.map(({ id, glyphs }) => ({ id, letters: middlesOf(glyphs) }));
  return boxes.map((box) => {
    if (!large.has(box)) return { box, solid: true };
    const { left, bottom, right, top } = box;
    const over = points.filter(({ letters }) => {
      const on = letters.filter(([x, y]) => x > left && x < right && y > bottom && y < top);
      return on.length > minOnImage * letters.length;
    });
    return { box, solid: true, over: new Set(over.map(({ id }) => id)) };
  });
}

function middlesOf(ranges: readonly GlyphRange[]): [x: number, y: number][] {
  return ranges.flatMap(({ text: { glyphs, matrix }, from, to }) =>
    glyphs
      .slice(from, to)
      .filter(({ text }) => text.trim() !== '')
      .map(({ x, advance }) => apply(matrix, x + advance / 2, letterHeight / 2)),
  );
}

/**
 * Returns the fields and annotations of a page. An annotation such as an icon or a stamp may cover texts. Links and
 * markups are left out, because they have the same position as their text.
 */
function annotations({ annotations }: PageContent, blocks: readonly TextBlock[]): Obstacle[] {
  const of = (kind: 'widget' | 'other') =>
    annotations.filter((one) => one.kind === kind).map(({ box }) => ({ box, solid: true }));
  return [...of('widget'), ...overTexts(of('other'), blocks)];
}

/**
 * Returns an obstacle for each piece of text that belongs to none of the blocks. A piece consists of adjacent glyphs of
 * one operator.
 */
function otherTexts(texts: readonly ShownText[], blocks: readonly Pick<TextBlock, 'glyphs'>[]): Obstacle[] {
  const taken = new Map<ShownText, Set<number>>();
  for (const { glyphs } of blocks)
    for (const { text, from, to } of glyphs) {
      const indices = taken.get(text) ?? new Set();
      for (let index = from; index < to; index++) indices.add(index);
      taken.set(text, indices);
    }
  return texts.flatMap((text) => {
    if (text.kept && unseen.has(text.kept)) return [];
    const own = taken.get(text);
    const runs = runsOf(text.glyphs.keys(), (_run, index) => own?.has(index) === own?.has(index - 1));
    return runs.flatMap((run) => {
      const [from, to] = [run[0]!, run.at(-1)! + 1];
      const written = text.glyphs.slice(from, to).map((glyph) => glyph.text);
      if (own?.has(from) || written.every((letters) => letters.trim() === '')) return [];
      const isLine = written.every((letters) => letters === '_');
      const font = isLine ? { ...text.font, ascent: blankHeight } : text.font;
      const box = boxOfGlyphs([{ text: { ...text, font }, from, to }]);
      return [{ box, solid: true, isText: true }];
    });
  });
}

/** The maximum number of sloped or curved shapes. If a page has more of them, it is a drawing, and their boxes count. */
const maxShapes = 50;

/**
 * Returns the boxes of painted objects by kind, except the page's background and those under a larger box, and the parts
 * of each sloped or curved shape.
 */
function visiblePaints({ box, paints }: PageContent): {
  paintsOf: (kind: Paint['kind']) => Rectangle[];
  shapes: Rectangle[][];
} {
  const width = background * (box.right - box.left);
  const height = background * (box.top - box.bottom);
  const isSmaller = ({ box: { left, right, top, bottom } }: Pick<Paint, 'box'>): boolean =>
    right - left < width || top - bottom < height;
  const painted = paints
    .flatMap((paint) => (paint.kind === 'stroke' && paint.parts?.map((box) => ({ ...paint, box }))) || paint)
    .filter((paint) => paint.opaque || isSmaller(paint));
  const visible = withoutHidden(withoutWhite(painted)).filter(isSmaller);
  const shapes = visible.flatMap(({ kind, parts }) => (kind === 'fill' && parts ? [parts] : []));
  const areBoxes = shapes.length > maxShapes;
  const isBox = ({ kind, parts }: Paint) => kind !== 'fill' || !parts || areBoxes;
  return {
    paintsOf: (kind) => visible.filter((paint) => paint.kind === kind && isBox(paint)).map(({ box }) => box),
    shapes: areBoxes ? [] : shapes,
  };
}

/** Returns the parts of a shape as obstacles. A text over one of them in the source may be over all of them. */
function overShape(parts: readonly Rectangle[], blocks: readonly TextBlock[]): Obstacle[] {
  const own = overTexts(
    parts.map((box) => ({ box, solid: false })),
    blocks,
  );
  const over = new Set(own.flatMap((part) => [...(part.over ?? [])]));
  return own.map((part) => ({ ...part, ...(over.size > 0 && { over }) }));
}

function joined(drawings: readonly Rectangle[]): Rectangle[] {
  let step = 0.25;
  let boxes = joinBySnapping(drawings, step);
  if (boxes.length > maxDrawings) boxes = joinDashes(joinDashes(boxes.map(flip)).map(flip));
  while (boxes.length > maxDrawings && step < 64) {
    step *= 2;
    boxes = joinBySnapping(boxes, step);
  }
  return boxes;
}

/** Joins dots and dashes of vertical lines: the lines of one table may have many thousands. */
function joinDashes(boxes: readonly Rectangle[]): Rectangle[] {
  const isDash = ({ left, bottom, right, top }: Rectangle) => Math.max(right - left, top - bottom) <= maxDash;
  return [...joinPieces(boxes.filter(isDash)), ...boxes.filter((box) => !isDash(box))];
}

/** Joins rectangles whose edges are equal when they are rounded to multiples of `step`. */
function joinBySnapping(rectangles: readonly Rectangle[], step: number): Rectangle[] {
  const joined = new Map<string, Rectangle>();
  for (const rectangle of rectangles) {
    const { left, bottom, right, top } = rectangle;
    const key = [left, bottom, right, top].map((edge) => Math.round(edge / step)).join();
    const known = joined.get(key);
    joined.set(key, known ? union(known, rectangle) : rectangle);
  }
  return [...joined.values()];
}

/** The height above the baseline at which a line is read, in em. */
const middleOfLetters = 0.3;

/**
 * Returns the ids of the watermarks: sloped texts over other texts of the page. They do not share the free space with
 * those texts.
 */
export function watermarksOf(blocks: readonly TextBlock[]): Set<string> {
  const sloped = blocks.filter(isSloped);
  if (sloped.length === 0) return new Set();
  const others = blocks.filter((block) => !isSloped(block)).flatMap(pointsOf);
  return new Set(sloped.filter((block) => lieIn(others, block)).map(({ id }) => id));
}

/** Whether a text is drawn at an angle. */
function isSloped({ matrix: [a, b] }: { matrix: Matrix }): boolean {
  return Math.min(Math.abs(a), Math.abs(b)) > 0.02 * Math.max(Math.abs(a), Math.abs(b));
}

function pointsOf({ lines, matrix, style: { size } }: TextBlock): [number, number][] {
  return lines.flatMap(({ left, right, baseline }) =>
    [left, (left + right) / 2, right].map((x) => apply(matrix, x, baseline + middleOfLetters * size)),
  );
}

function lieIn(points: readonly [number, number][], { matrix, box }: TextBlock): boolean {
  const toBlock = invert(matrix);
  return (
    toBlock !== undefined &&
    points.some(([pageX, pageY]) => {
      const [x, y] = apply(toBlock, pageX, pageY);
      return x > box.left && x < box.right && y > box.bottom && y < box.top;
    })
  );
}
