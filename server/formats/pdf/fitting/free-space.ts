import type { Rectangle } from '../geometry.ts';

interface Obstacle extends Rectangle {
  /**
   * The id of the block to which the obstacle belongs; null if it belongs to none. The texts of a block are not
   * obstacles for the same block.
   */
  owner: string | null;
  /** The ids of the blocks that the object covers already in the source. They ignore it. */
  over: ReadonlySet<string> | null;
  solid: boolean;
  isText: boolean;
}

const columns = 32;
const rows = 48;

/**
 * Finds how far a rectangle can grow before it meets an obstacle. Obstacles are stored in the cells of a grid over the
 * page, so a query reads only the cells near the rectangle.
 */
export class FreeSpace {
  readonly #area: Rectangle;
  readonly #cells: Obstacle[][] = [];

  /** @param area the area of the page; objects outside of it are stored in the cells at its edge */
  constructor(area: Rectangle) {
    this.#area = area;
  }

  /**
   * @param options.owner the id of the block to which the rectangle belongs
   * @param options.over the ids of the blocks that may be below the rectangle
   * @param options.isText whether the rectangle is a text; those of blocks always are
   * @param options.solid whether text must not be drawn over the rectangle; `inside` finds only solid obstacles
   */
  add(
    rectangle: Rectangle,
    {
      owner = null,
      over = null,
      isText = owner !== null,
      solid = false,
    }: {
      owner?: string | null;
      over?: ReadonlySet<string> | null;
      isText?: boolean;
      solid?: boolean;
    } = {},
  ): void {
    const obstacle = { ...rectangle, owner, over, isText, solid };
    const { left, right } = rectangle;
    for (let column = this.#column(left); column <= this.#column(right); column++)
      for (let row = this.#row(rectangle.bottom); row <= this.#row(rectangle.top); row++)
        this.#cell(column, row).push(obstacle);
  }

  /**
   * Returns the left edge of the nearest obstacle to the right of `from`, or `until` if no obstacle is nearer.
   * Ignores obstacles of `owner`, and obstacles that start in the left half of `from`.
   */
  right(from: Rectangle, until: number, owner: string): number {
    const middle = (from.left + from.right) / 2;
    let nearest = until;
    for (let column = this.#column(middle); column <= this.#column(nearest); column++)
      for (let row = this.#row(from.bottom); row <= this.#row(from.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (
            isInWay(obstacle, owner) &&
            obstacle.left > middle &&
            obstacle.right > from.right &&
            obstacle.bottom < from.top &&
            obstacle.top > from.bottom
          )
            nearest = Math.min(nearest, obstacle.left);
    return nearest;
  }

  /**
   * Returns the right edge of the nearest obstacle to the left of `from`, or `until` if no obstacle is nearer.
   * Ignores obstacles of `owner`, and obstacles that end in the right half of `from`.
   */
  left(from: Rectangle, until: number, owner: string): number {
    const middle = (from.left + from.right) / 2;
    let nearest = until;
    for (let column = this.#column(middle); column >= this.#column(nearest); column--)
      for (let row = this.#row(from.bottom); row <= this.#row(from.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (
            isInWay(obstacle, owner) &&
            obstacle.right < middle &&
            obstacle.left < from.left &&
            obstacle.bottom < from.top &&
            obstacle.top > from.bottom
          )
            nearest = Math.max(nearest, obstacle.right);
    return nearest;
  }

  /**
   * Returns the top of the nearest obstacle below `from`, and whether the obstacle is a text. Returns
   * `until` if there is no obstacle above this position.
   *
   * @param reach the distance by which an obstacle may extend into `from`
   * @param owners the ids of further blocks whose obstacles are ignored
   */
  below(
    from: Rectangle,
    until: number,
    owner: string,
    reach: number,
    owners?: ReadonlySet<string>,
  ): { edge: number; isText: boolean } {
    let nearest = { edge: until, isText: false };
    for (let row = this.#row(from.bottom + reach); row >= this.#row(nearest.edge); row--)
      for (let column = this.#column(from.left); column <= this.#column(from.right); column++)
        for (const obstacle of this.#cell(column, row))
          if (
            isInWay(obstacle, owner) &&
            !owners?.has(obstacle.owner ?? '') &&
            obstacle.top > nearest.edge &&
            obstacle.top < from.bottom + reach &&
            obstacle.bottom < from.bottom &&
            obstacle.left < from.right &&
            obstacle.right > from.left
          )
            nearest = { edge: obstacle.top, isText: obstacle.isText };
    return nearest;
  }

  /**
   * Returns the bottom of the nearest obstacle above `from`, or `until` if no obstacle is nearer.
   * Ignores obstacles that start in the lower half of `from`.
   */
  above(from: Rectangle, until: number, owner: string): number {
    const middle = (from.bottom + from.top) / 2;
    let nearest = until;
    for (let row = this.#row(middle); row <= this.#row(nearest); row++)
      for (let column = this.#column(from.left); column <= this.#column(from.right); column++)
        for (const obstacle of this.#cell(column, row))
          if (
            isInWay(obstacle, owner) &&
            obstacle.bottom > middle &&
            obstacle.top > from.top &&
            obstacle.left < from.right &&
            obstacle.right > from.left
          )
            nearest = Math.min(nearest, obstacle.bottom);
    return nearest;
  }

  /** Returns the solid obstacles that overlap a rectangle, except those of `owner`. */
  inside(box: Rectangle, owner: string): (Rectangle & { owner: string | null })[] {
    const found = new Set<Obstacle>();
    for (let column = this.#column(box.left); column <= this.#column(box.right); column++)
      for (let row = this.#row(box.bottom); row <= this.#row(box.top); row++)
        for (const obstacle of this.#cell(column, row))
          if (obstacle.solid && isInWay(obstacle, owner) && overlaps(obstacle, box)) found.add(obstacle);
    return [...found];
  }

  /**
   * Whether no obstacle overlaps a rectangle, except obstacles of the given owners and backgrounds. An obstacle is a
   * background if it contains the whole rectangle.
   */
  isFree(box: Rectangle, ...owners: ReadonlySet<string>[]): boolean {
    const isOwn = (id: string): boolean => owners.some((ids) => ids.has(id));
    for (let column = this.#column(box.left); column <= this.#column(box.right); column++)
      for (let row = this.#row(box.bottom); row <= this.#row(box.top); row++)
        for (const obstacle of this.#cell(column, row)) {
          if (!overlaps(obstacle, box) || holds(obstacle, box)) continue;
          const { owner, over } = obstacle;
          if (!(owner !== null && isOwn(owner)) && ![...(over ?? [])].some(isOwn)) return false;
        }
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

/** Whether an obstacle is in the way of the text of a block. */
function isInWay({ owner, over }: Obstacle, id: string): boolean {
  return owner !== id && !over?.has(id);
}

function overlaps(one: Rectangle, other: Rectangle): boolean {
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

function within(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index || 0));
}
