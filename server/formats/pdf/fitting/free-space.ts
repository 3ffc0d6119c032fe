import type { Rectangle } from '../geometry.ts';

interface Obstacle extends Rectangle {
  /** The id of the block that the obstacle belongs to. A block is not an obstacle to itself. */
  owner: string | null;
  solid: boolean;
}

const columns = 32;
const rows = 48;

/**
 * Finds how far a rectangle can grow before it meets an obstacle. Obstacles are stored in the cells of a grid over the page, so
 * a query reads only those near the rectangle.
 */
export class FreeSpace {
  readonly #area: Rectangle;
  readonly #cells: Obstacle[][] = [];

  /** @param area the page; objects outside of it count as being at its edge */
  constructor(area: Rectangle) {
    this.#area = area;
  }

  /** @param options.solid whether text must not be over it; `inside` finds only solid obstacles */
  add(
    rectangle: Rectangle,
    { owner = null, solid = false }: { owner?: string | null; solid?: boolean } = {},
  ): void {
    const obstacle = { ...rectangle, owner, solid };
    const { left, right } = rectangle;
    for (let column = this.#column(left); column <= this.#column(right); column++)
      for (let row = this.#row(rectangle.bottom); row <= this.#row(rectangle.top); row++)
        this.#cell(column, row).push(obstacle);
  }

  /**
   * Returns the left edge of the nearest obstacle to the right, at most `until`. An obstacle that extends into the left half of
   * `from` does not count.
   */
  right(from: Rectangle, until: number, owner: string): number {
    const middle = (from.left + from.right) / 2;
    let nearest = until;
    for (let column = this.#column(middle); column <= this.#column(nearest); column++)
      for (let row = this.#row(from.bottom); row <= this.#row(from.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (
            obstacle.owner !== owner &&
            obstacle.left > middle &&
            obstacle.right > from.right &&
            obstacle.bottom < from.top &&
            obstacle.top > from.bottom
          )
            nearest = Math.min(nearest, obstacle.left);
    return nearest;
  }

  /** Returns the right edge of the nearest obstacle to the left, at least `until`. */
  left(from: Rectangle, until: number, owner: string): number {
    const middle = (from.left + from.right) / 2;
    let nearest = until;
    for (let column = this.#column(middle); column >= this.#column(nearest); column--)
      for (let row = this.#row(from.bottom); row <= this.#row(from.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (
            obstacle.owner !== owner &&
            obstacle.right < middle &&
            obstacle.left < from.left &&
            obstacle.bottom < from.top &&
            obstacle.top > from.bottom
          )
            nearest = Math.max(nearest, obstacle.right);
    return nearest;
  }

  /**
   * Returns the top of the nearest obstacle below, at least `until`, and whether it is another block's text.
   * @param reach the distance by which an obstacle may extend into `from`
   */
  below(from: Rectangle, until: number, owner: string, reach: number): { edge: number; isText: boolean } {
    let nearest = { edge: until, isText: false };
    for (let row = this.#row(from.bottom + reach); row >= this.#row(nearest.edge); row--)
      for (let column = this.#column(from.left); column <= this.#column(from.right); column++)
        for (const obstacle of this.#cell(column, row))
          if (
            obstacle.owner !== owner &&
            obstacle.top > nearest.edge &&
            obstacle.top < from.bottom + reach &&
            obstacle.bottom < from.bottom &&
            obstacle.left < from.right &&
            obstacle.right > from.left
          )
            nearest = { edge: obstacle.top, isText: obstacle.owner !== null };
    return nearest;
  }

  /** Returns the bottom of the nearest obstacle above, at most `until`. */
  above(from: Rectangle, until: number, owner: string): number {
    const middle = (from.bottom + from.top) / 2;
    let nearest = until;
    for (let row = this.#row(middle); row <= this.#row(nearest); row++)
      for (let column = this.#column(from.left); column <= this.#column(from.right); column++)
        for (const obstacle of this.#cell(column, row))
          if (
            obstacle.owner !== owner &&
            obstacle.bottom > middle &&
            obstacle.top > from.top &&
            obstacle.left < from.right &&
            obstacle.right > from.left
          )
            nearest = Math.min(nearest, obstacle.bottom);
    return nearest;
  }

  /** Lists the solid obstacles that overlap a rectangle. */
  inside(box: Rectangle, owner: string): Rectangle[] {
    const found = new Set<Obstacle>();
    for (let column = this.#column(box.left); column <= this.#column(box.right); column++)
      for (let row = this.#row(box.bottom); row <= this.#row(box.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (obstacle.solid && obstacle.owner !== owner && overlaps(obstacle, box)) found.add(obstacle);
    return [...found];
  }

  /**
   * Whether only obstacles of the owners overlap a rectangle. An obstacle that contains the whole rectangle is its background.
   */
  isFree(box: Rectangle, owners: ReadonlySet<string | null>): boolean {
    for (let column = this.#column(box.left); column <= this.#column(box.right); column++)
      for (let row = this.#row(box.bottom); row <= this.#row(box.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (!owners.has(obstacle.owner) && overlaps(obstacle, box) && !holds(obstacle, box)) return false;
    return true;
  }

  #cell(column: number, row: number): Obstacle[] {
    const index = row * columns + column;
    this.#cells[index] ??= [];
    return this.#cells[index];
  }

  #column(x: number): number {
    const { left, right } = this.#area;
    return within(Math.floor((columns * (x - left)) / (right - left)), columns);
  }

  #row(y: number): number {
    const { bottom, top } = this.#area;
    return within(Math.floor((rows * (y - bottom)) / (top - bottom)), rows);
  }
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
  return one.left < other.right && one.right > other.left && one.bottom < other.top && one.top > other.bottom;
}

function holds(outer: Rectangle, inner: Rectangle): boolean {
  return (
    outer.left <= inner.left &&
    outer.right >= inner.right &&
    outer.bottom <= inner.bottom &&
    outer.top >= inner.top
  );
}

function within(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index || 0));
}
