/** A matrix that maps (x, y) to (a x + c y + e, b x + d y + f), as in PDF 32000-1, 8.3.3. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** A rectangle in points. The y axis points upwards; `left <= right` and `bottom <= top`. */
export interface Rectangle {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix of six numbers; undefined for any other number of them. */
export function matrixOf(numbers: readonly number[] | undefined): Matrix | undefined {
  const [a, b, c, d, e, f] = numbers ?? [];
  if (a === undefined || b === undefined || c === undefined) return undefined;
  return d === undefined || e === undefined || f === undefined ? undefined : [a, b, c, d, e, f];
}

/** Returns the matrix that applies `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [A, B, C, D, E, F] = second;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** Returns the inverse matrix; undefined if the matrix is not invertible. */
export function invert([a, b, c, d, e, f]: Matrix): Matrix | undefined {
  const determinant = a * d - b * c;
  if (!Number.isFinite(1 / determinant)) return undefined;
  return [
    d / determinant,
    -b / determinant,
    -c / determinant,
    a / determinant,
    (c * f - d * e) / determinant,
    (b * e - a * f) / determinant,
  ];
}

export function apply([a, b, c, d, e, f]: Matrix, x: number, y: number): [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Returns the smallest upright rectangle that contains the transformed rectangle. */
export function transformRectangle(matrix: Matrix, { left, bottom, right, top }: Rectangle): Rectangle {
  const [a, b, c, d, e, f] = matrix;
  // Each coordinate is a sum of two terms, and each term has its minimum and its maximum at the edges of the rectangle.
  return {
    left: Math.min(a * left, a * right) + Math.min(c * bottom, c * top) + e,
    bottom: Math.min(b * left, b * right) + Math.min(d * bottom, d * top) + f,
    right: Math.max(a * left, a * right) + Math.max(c * bottom, c * top) + e,
    top: Math.max(b * left, b * right) + Math.max(d * bottom, d * top) + f,
  };
}

/** The matrices that turn a page by the degrees of its rotation. */
const turns: Record<0 | 90 | 180 | 270, Matrix> = {
  0: identity,
  90: [0, -1, 1, 0, 0, 0],
  180: [-1, 0, 0, -1, 0, 0],
  270: [0, 1, -1, 0, 0, 0],
};

/** Turns a rectangle of a page as the page is displayed. */
export function displayed(box: Rectangle, rotation: keyof typeof turns): Rectangle {
  return transformRectangle(turns[rotation], box);
}

export function union(one: Rectangle, other: Rectangle): Rectangle {
  return {
    left: Math.min(one.left, other.left),
    bottom: Math.min(one.bottom, other.bottom),
    right: Math.max(one.right, other.right),
    top: Math.max(one.top, other.top),
  };
}

/** Returns the common area of two rectangles; undefined if they have none. */
export function intersection(one: Rectangle, other: Rectangle): Rectangle | undefined {
  const left = Math.max(one.left, other.left);
  const bottom = Math.max(one.bottom, other.bottom);
  const right = Math.min(one.right, other.right);
  const top = Math.min(one.top, other.top);
  return left < right && bottom < top ? { left, bottom, right, top } : undefined;
}

/** Whether two rectangles have a common area. */
export function overlaps(one: Rectangle, other: Rectangle): boolean {
  return one.left < other.right && one.right > other.left && one.bottom < other.top && one.top > other.bottom;
}

/** Whether a rectangle contains another one. */
export function holds(outer: Rectangle, inner: Rectangle): boolean {
  return (
    outer.left <= inner.left &&
    outer.right >= inner.right &&
    outer.bottom <= inner.bottom &&
    outer.top >= inner.top
  );
}

/** Moves each edge of a rectangle outwards; inwards for a negative distance. */
export function widen({ left, bottom, right, top }: Rectangle, by: number): Rectangle {
  return { left: left - by, bottom: bottom - by, right: right + by, top: top + by };
}

export function area({ left, bottom, right, top }: Rectangle): number {
  return (right - left) * (top - bottom);
}

/** The height of the bands by which `Bands` finds objects, in points. */
const bandHeight = 16;
/** The maximum number of bands of an object: more than a usual page has. */
const maxBands = 200;
/** The maximum number of objects of a band. More of them are the points of a chart or a map. */
const maxInBand = 200;

/** Objects by the bands of height that they cross, so that those near a line are found without comparing all. */
export class Bands<T> {
  readonly #bands = new Map<number, T[]>();

  /** Adds an object, except to bands that are full. */
  add({ bottom, top }: Pick<Rectangle, 'bottom' | 'top'>, object: T): void {
    const first = Math.floor(bottom / bandHeight);
    for (let band = first; band <= Math.min(Math.floor(top / bandHeight), first + maxBands); band++) {
      const own = this.#bands.get(band) ?? [];
      this.#bands.set(band, own);
      if (own.length < maxInBand) own.push(object);
    }
  }

  /** Returns the objects of the bands between two heights: those that cross this range, and some next to it. */
  near(bottom: number, top: number): Set<T> {
    const found = new Set<T>();
    for (let band = Math.floor(bottom / bandHeight); band <= Math.floor(top / bandHeight); band++)
      for (const object of this.#bands.get(band) ?? []) found.add(object);
    return found;
  }
}
