import type { Rectangle } from '../geometry.ts';
import type { Paint } from '../page-content.ts';

const cells = 32;
/**
 * The maximum number of stored objects that cover a cell partly. Above it, the earliest objects are dropped, because
 * they cover the fewest texts.
 */
const maxPartial = 400;

/**
 * Determines whether an opaque object that is painted later hides a point. The page is divided into a grid of cells.
 */
export class Coverage {
  readonly #box: Rectangle;
  /** For each cell, the order number of the last opaque object that covers the whole cell; -1 if missing. */
  readonly #whole = new Float64Array(cells * cells).fill(-1);
  /** For each cell, the opaque objects that cover a part of it, in painting order. */
  readonly #partial: (Paint[] | undefined)[] = [];
  /** The order number of the last opaque object. */
  #last = -1;

  /** @param box the visible part of the page */
  constructor(box: Rectangle, paints: readonly Paint[]) {
    this.#box = box;
    for (const paint of paints) if (paint.opaque) this.#add(paint);
  }

  /** Whether any opaque object was painted after the object with the order number `after`. */
  mayCover(after: number): boolean {
    return this.#last > after;
  }

  covers(x: number, y: number, after: number): boolean {
    const cell = this.#row(y) * cells + this.#column(x);
    if (this.#whole[cell]! > after) return true;
    const paints = this.#partial[cell] ?? [];
    for (let index = paints.length - 1; index >= 0; index--) {
      const { box, order } = paints[index]!;
      if (order < after) return false;
      if (x >= box.left && x <= box.right && y >= box.bottom && y <= box.top) return true;
    }
    return false;
  }

  #add(paint: Paint): void {
    const { box, order } = paint;
    this.#last = order;
    const [left, right] = [this.#column(box.left), this.#column(box.right)];
    const [bottom, top] = [this.#row(box.bottom), this.#row(box.top)];
    for (let row = bottom; row <= top; row++)
      for (let column = left; column <= right; column++) {
        const cell = row * cells + column;
        if (row > bottom && row < top && column > left && column < right) {
          this.#whole[cell] = order;
          continue;
        }
        const paints = this.#partial[cell] ?? [];
        this.#partial[cell] = paints;
        if (paints.length >= maxPartial) paints.splice(0, maxPartial / 2);
        paints.push(paint);
      }
  }

  #column(x: number): number {
    const { left, right } = this.#box;
    return clamp(Math.floor(((x - left) / (right - left)) * cells));
  }

  #row(y: number): number {
    const { bottom, top } = this.#box;
    return clamp(Math.floor(((y - bottom) / (top - bottom)) * cells));
  }
}

const clamp = (cell: number): number => Math.min(cells - 1, Math.max(0, cell));
