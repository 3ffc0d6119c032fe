import { holds, overlaps, type Rectangle } from '../geometry.ts';
import { append } from '../statistics.ts';

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
  readonly #cells = new Map<number, Obstacle[]>();

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
    }: Partial<Omit<Obstacle, keyof Rectangle>> = {},
  ): void {
    const obstacle = { ...rectangle, owner, over, isText, solid };
    const { left, right } = rectangle;
    for (let column = this.#column(left); column <= this.#column(right); column++)
      for (let row = this.#row(rectangle.bottom); row <= this.#row(rectangle.top); row++)
        append(this.#cells, row * columns + column, obstacle);
  }

  /**
   * Returns the left edge of the nearest obstacle to the right of `from`, or `until` if no obstacle is nearer.
   * Ignores obstacles of `owner`, and obstacles that start in the left half of `from`.
   */
  right(from: Rectangle, until: number, owner: string): number {
    const middle = (from.left + from.right) / 2;
    let nearest = until;
    for (const { left, right } of this.#inWay({ ...from, left: middle, right: until }, owner))
      if (left > middle && right > from.right) nearest = Math.min(nearest, left);
    return nearest;
  }

  /** Does the same for the right edge of the nearest obstacle to the left. */
  left(from: Rectangle, until: number, owner: string): number {
    const middle = (from.left + from.right) / 2;
    let nearest = until;
    for (const { left, right } of this.#inWay({ ...from, left: until, right: middle }, owner))
      if (right < middle && left < from.left) nearest = Math.max(nearest, right);
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
    const area = { ...from, bottom: until, top: from.bottom + reach };
    for (const { bottom, top, isText, owner: own } of this.#inWay(area, owner))
      if (top > nearest.edge && top < area.top && bottom < from.bottom && !owners?.has(own ?? ''))
        nearest = { edge: top, isText };
    return nearest;
  }

  /**
   * Returns the bottom of the nearest obstacle above `from`, or `until` if no obstacle is nearer.
   * Ignores obstacles that start in the lower half of `from`.
   */
  above(from: Rectangle, until: number, owner: string): number {
    const middle = (from.bottom + from.top) / 2;
    let nearest = until;
    for (const { bottom, top } of this.#inWay({ ...from, bottom: middle, top: until }, owner))
      if (bottom > middle && top > from.top) nearest = Math.min(nearest, bottom);
    return nearest;
  }

  /** Returns the solid obstacles that overlap a rectangle, except those of `owner`. */
  inside(box: Rectangle, owner: string): (Rectangle & { owner: string | null })[] {
    return [...new Set(this.#inWay(box, owner))].filter(({ solid }) => solid);
  }

  /**
   * Whether no obstacle overlaps a rectangle, except obstacles of the given owners and backgrounds. An obstacle is a
   * background if it contains the whole rectangle.
   */
  isFree(box: Rectangle, ...owners: ReadonlySet<string>[]): boolean {
    const isOwn = (id: string): boolean => owners.some((ids) => ids.has(id));
    for (const obstacle of this.#over(box)) {
      const { owner, over } = obstacle;
      if (!holds(obstacle, box) && !(owner !== null && isOwn(owner)) && ![...(over ?? [])].some(isOwn))
        return false;
    }
    return true;
  }

  /** Yields the obstacles that overlap a rectangle and are in the way of the text of a block. */
  *#inWay(box: Rectangle, id: string): Generator<Obstacle> {
    for (const obstacle of this.#over(box))
      if (obstacle.owner !== id && !obstacle.over?.has(id)) yield obstacle;
  }

  /** Yields the obstacles that overlap a rectangle, some of them several times. */
  *#over(box: Rectangle): Generator<Obstacle> {
    for (let column = this.#column(box.left); column <= this.#column(box.right); column++)
      for (let row = this.#row(box.bottom); row <= this.#row(box.top); row++)
        for (const obstacle of this.#cells.get(row * columns + column) ?? [])
          if (overlaps(obstacle, box)) yield obstacle;
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

function within(index: number, count: number): number {
  return Math.min(count - 1, Math.max(0, index || 0));
}
