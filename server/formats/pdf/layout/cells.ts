import type { Rectangle } from '../geometry.ts';

/** In points: cells so far apart are neighbours. */
const furthestNeighbour = 8;

/** Tells which boxes drawn around texts are cells of a table: those with another box beside, above or below them. */
export class Cells {
  readonly #byEdge = new Map<string, Rectangle[]>();

  constructor(boxes: Iterable<Rectangle>) {
    const seen = new Set<string>();
    for (const box of boxes) {
      const key = [box.left, box.bottom, box.right, box.top].map(Math.round).join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      this.#add(`left ${bucket(box.left)}`, box);
      this.#add(`top ${bucket(box.top)}`, box);
      this.#add(`right ${bucket(box.right)}`, box);
      this.#add(`bottom ${bucket(box.bottom)}`, box);
    }
  }

  #add(key: string, box: Rectangle): void {
    const boxes = this.#byEdge.get(key);
    if (boxes) boxes.push(box);
    else this.#byEdge.set(key, [box]);
  }

  hasNeighbour(box: Rectangle): boolean {
    return (
      this.#has('left', box.right, (other) => sharesHeight(box, other) && other.left >= box.right - 1) ||
      this.#has('right', box.left, (other) => sharesHeight(box, other) && other.right <= box.left + 1) ||
      this.#has('top', box.bottom, (other) => sharesWidth(box, other) && other.top <= box.bottom + 1) ||
      this.#has('bottom', box.top, (other) => sharesWidth(box, other) && other.bottom >= box.top - 1)
    );
  }

  #has(edge: keyof Rectangle, place: number, matches: (other: Rectangle) => boolean): boolean {
    return [-1, 0, 1].some((step) =>
      this.#byEdge
        .get(`${edge} ${bucket(place) + step}`)
        ?.some((other) => Math.abs(other[edge] - place) <= furthestNeighbour && matches(other)),
    );
  }
}

function bucket(place: number): number {
  return Math.round(place / furthestNeighbour);
}

function sharesHeight(one: Rectangle, other: Rectangle): boolean {
  const common = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  return common > 0.5 * Math.min(one.top - one.bottom, other.top - other.bottom);
}

function sharesWidth(one: Rectangle, other: Rectangle): boolean {
  const common = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return common > 0.5 * Math.min(one.right - one.left, other.right - other.left);
}
