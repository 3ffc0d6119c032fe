import { apply, area, type Matrix, type Rectangle, transformRectangle } from '../geometry.ts';
import type { OperatorPlace } from '../page-content.ts';
import { greatest, least } from '../statistics.ts';

/** A part of a path that is drawn without interruption. */
export interface Subpath {
  /** The box around the subpath, in the page's user space. It contains the control points of curves. */
  box: Rectangle;
  /** Whether the subpath is exactly its box. */
  isRectangle: boolean;
  /**
   * For an open curved line, and for a line with sloped parts: the control points of each part of the line; null for all
   * other subpaths.
   */
  curve: readonly (readonly Point[])[] | null;
  /** For a closed area with sloped or curved sides: the control points of each side; null for all other subpaths. */
  sides: readonly (readonly Point[])[] | null;
  /** Whether the subpath has more parts than a frame, such as a pattern of fine lines. */
  isPattern?: boolean;
  /** Whether the area inside is less than half of the box, as that of a wave is. */
  isThin?: boolean;
  /** The area inside, negative if the subpath turns to the right; the sides of curves are their chords. */
  area: number;
  /** The position of the operator that adds a rectangle to the path. */
  place?: OperatorPlace;
  /** The start of the subpath's operators; undefined if it continues from another subpath. */
  start?: number | undefined;
}

/**
 * The maximum number of parts of a line whose control points are stored. For lines with more parts, only the box is
 * stored.
 */
const maxParts = 12;
/** The maximum number of points of a subpath that is recognized as a rectangle. */
const maxPoints = 9;

export type Point = readonly [x: number, y: number];

/** Collects the subpaths of a path, mainly as boxes, because only the painted area is needed. */
export class Path {
  subpaths: Subpath[] = [];
  /** The first points of the open subpath, in the page's user space. `#box` contains all of its points. */
  #points: [number, number][] = [];
  #box: Rectangle | undefined;
  #hasCurves = false;
  #isSloped = false;
  #first: Point = [0, 0];
  #last: Point = [0, 0];
  #parts: (readonly Point[])[] = [];
  /** Twice the area on the left of the parts, seen from the origin. */
  #swept = 0;
  #start: number | undefined;

  moveTo(ctm: Matrix, x: number, y: number, start: number): void {
    this.#close();
    this.#start = start;
    this.#add(ctm, x, y);
    this.#first = apply(ctm, x, y);
    this.#last = this.#first;
  }

  lineTo(ctm: Matrix, x: number, y: number): void {
    this.#add(ctm, x, y);
    const end = apply(ctm, x, y);
    this.#isSloped ||= !near(this.#last[0], end[0]) && !near(this.#last[1], end[1]);
    this.#addPart([this.#last, end]);
  }

  /** Adds the line to the start of the open subpath. */
  lineToStart(): void {
    if (same(this.#first, this.#last)) return;
    this.#isSloped ||= !near(this.#last[0], this.#first[0]) && !near(this.#last[1], this.#first[1]);
    this.#addPart([this.#last, this.#first]);
  }

  /** @param points pairs of coordinates: the control points and the end of the curve */
  curveTo(ctm: Matrix, points: readonly number[]): void {
    this.#hasCurves = true;
    const controls = [this.#last];
    for (let index = 0; index + 1 < points.length; index += 2) {
      this.#add(ctm, points[index]!, points[index + 1]!);
      controls.push(apply(ctm, points[index]!, points[index + 1]!));
    }
    this.#addPart(controls);
  }

  rectangle(ctm: Matrix, x: number, y: number, width: number, height: number, place: OperatorPlace): void {
    this.#close();
    const box = {
      left: Math.min(x, x + width),
      right: Math.max(x, x + width),
      bottom: Math.min(y, y + height),
      top: Math.max(y, y + height),
    };
    this.subpaths.push({
      box: transformRectangle(ctm, box),
      isRectangle: isUpright(ctm),
      curve: null,
      sides: null,
      area: width * height * (ctm[0] * ctm[3] - ctm[1] * ctm[2]),
      place,
      start: place.start,
    });
  }

  /** Ends the path, and returns its subpaths. */
  take(): Subpath[] {
    this.#close();
    const { subpaths } = this;
    this.subpaths = [];
    return subpaths;
  }

  #addPart(controls: readonly Point[]): void {
    if (this.#parts.length <= maxParts) this.#parts.push(controls);
    const end = controls.at(-1)!;
    this.#swept += this.#last[0] * end[1] - end[0] * this.#last[1];
    this.#last = end;
  }

  #add(ctm: Matrix, x: number, y: number): void {
    const [px, py] = apply(ctm, x, y);
    if (!Number.isFinite(px) || !Number.isFinite(py)) return;
    if (this.#points.length <= maxPoints) this.#points.push([px, py]);
    const box = this.#box;
    if (box === undefined) {
      this.#box = { left: px, right: px, bottom: py, top: py };
      return;
    }
    if (px < box.left) box.left = px;
    if (px > box.right) box.right = px;
    if (py < box.bottom) box.bottom = py;
    if (py > box.top) box.top = py;
  }

  #close(): void {
    const [first, last] = [this.#first, this.#last];
    const swept = this.#swept + last[0] * first[1] - first[0] * last[1];
    if (this.#box !== undefined && this.#points.length > 1)
      this.subpaths.push({
        box: this.#box,
        isRectangle: !this.#hasCurves && isRectangle(this.#points, this.#box),
        curve: this.#isCurve() ? this.#parts : null,
        sides: this.#hasSides() ? [...this.#parts, [this.#last, this.#first]] : null,
        isPattern: (this.#hasCurves || this.#isSloped) && this.#parts.length > maxParts,
        isThin: Math.abs(swept) < area(this.#box),
        area: swept / 2,
        start: this.#start,
      });
    this.#start = undefined;
    this.#points = [];
    this.#box = undefined;
    this.#hasCurves = false;
    this.#isSloped = false;
    this.#parts = [];
    this.#swept = 0;
  }

  /**
   * Whether the subpath is a curved or sloped line. A curved one that ends at its start is the frame of an area, such as
   * a rounded rectangle, so it is not a line. Triangles are lines, because most of their box is free.
   */
  #isCurve(): boolean {
    const isOpen = !same(this.#first, this.#last);
    const isLine = this.#hasCurves ? isOpen : this.#isSloped;
    return isLine && this.#parts.length <= maxParts;
  }

  /** Whether a filled subpath may be much smaller than its box. */
  #hasSides(): boolean {
    return (this.#hasCurves || this.#isSloped) && this.#parts.length > 1 && this.#parts.length <= maxParts;
  }
}

const boxesOfPart = 8;

/** Returns rectangles along a curved or sloped line. */
export function boxesAlong(curve: readonly (readonly Point[])[]): Rectangle[] {
  return straightParts(curve).map(([[fromX, fromY], [x, y]]) => ({
    left: Math.min(x, fromX),
    right: Math.max(x, fromX),
    bottom: Math.min(y, fromY),
    top: Math.max(y, fromY),
  }));
}

/** Returns short straight lines along a curved or sloped line. */
function straightParts(curve: readonly (readonly Point[])[]): [from: Point, to: Point][] {
  return curve.flatMap((controls) => {
    const points = Array.from({ length: boxesOfPart + 1 }, (_, index) =>
      pointOf(controls, index / boxesOfPart),
    );
    return points.slice(1).map((point, index): [Point, Point] => [points[index]!, point]);
  });
}

/** The number of slices of an area, and the share of its box from which an area is like its box. */
const sliceCount = 16;
const likeBox = 0.75;

/**
 * Returns rectangles in an area with these sides, one above the other; undefined if the area fills most of its box, as a
 * rounded rectangle or a circle does.
 */
export function slicesOf(sides: readonly (readonly Point[])[], box: Rectangle): Rectangle[] | undefined {
  const lines = straightParts(sides);
  const height = (box.top - box.bottom) / sliceCount;
  const slices = Array.from({ length: sliceCount }, (_, index): Rectangle => {
    const [bottom, top] = [box.bottom + index * height, box.bottom + (index + 1) * height];
    const places = lines.flatMap(([[fromX, fromY], [toX, toY]]) => {
      const [low, high] = [Math.max(bottom, Math.min(fromY, toY)), Math.min(top, Math.max(fromY, toY))];
      if (low > high) return [];
      if (fromY === toY) return [fromX, toX];
      return [low, high].map((y) => fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX));
    });
    return { left: least(places), right: greatest(places), bottom, top };
  }).filter(({ left, right }) => right > left);
  const size = slices.reduce((sum, slice) => sum + area(slice), 0);
  return size < likeBox * area(box) ? slices : undefined;
}

/**
 * Returns a point of a Bézier curve by de Casteljau's algorithm. `share` is the curve's parameter, from 0 at the start
 * to 1 at the end.
 */
export function pointOf(controls: readonly Point[], share: number): Point {
  let points = controls;
  while (points.length > 1)
    points = points.slice(1).map(([x, y], index) => {
      const [fromX, fromY] = points[index]!;
      return [fromX + share * (x - fromX), fromY + share * (y - fromY)];
    });
  return points[0]!;
}

/** Whether the matrix maps upright rectangles to upright rectangles. */
export function isUpright([a, b, c, d]: Matrix): boolean {
  const small = 1e-6 * Math.max(Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d));
  return (Math.abs(b) <= small && Math.abs(c) <= small) || (Math.abs(a) <= small && Math.abs(d) <= small);
}

/**
 * Whether a closed line follows the edge of the box. It must contain the four corners, and may contain other points on
 * the sides, such as a start in the middle of a side.
 */
function isRectangle(points: readonly Point[], box: Rectangle): boolean {
  if (points.length > maxPoints) return false;
  const corners = withoutStraight(points.filter((point, index) => !same(point, points.at(index - 1)!)));
  if (corners.length !== 4) return false;
  const turns = corners.every(([x, y], index) => {
    const [nextX, nextY] = corners[(index + 1) % 4]!;
    return (near(x, nextX) || near(y, nextY)) && isCorner(x, y, box);
  });
  return turns && !same(corners[0]!, corners[2]!) && !same(corners[1]!, corners[3]!);
}

function withoutStraight(points: readonly Point[]): Point[] {
  return points.filter(([x, y], index) => {
    const [beforeX, beforeY] = points.at(index - 1)!;
    const [afterX, afterY] = points[(index + 1) % points.length]!;
    const isStraight = (near(beforeX, x) && near(x, afterX)) || (near(beforeY, y) && near(y, afterY));
    return !isStraight;
  });
}

const near = (one: number, other: number): boolean => Math.abs(one - other) < 0.01;
const same = ([x, y]: readonly [number, number], [X, Y]: readonly [number, number]): boolean =>
  near(x, X) && near(y, Y);
const isCorner = (x: number, y: number, { left, right, bottom, top }: Rectangle): boolean =>
  (near(x, left) || near(x, right)) && (near(y, bottom) || near(y, top));
