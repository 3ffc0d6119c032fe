import type { Rectangle } from '../geometry.ts';
import { append } from './statistics.ts';

/** The maximum distance between neighboring cells, in points. */
const maxNeighborDistance = 8;
/** The length of a section of an edge, in points. Boxes are found by the sections that they cover. */
const bandWidth = 32;

/**
 * Determines which boxes around texts are cells of a table. A box is a cell if there is another box directly next to
 * it, above it or below it.
 */
export class Cells {
  /** The boxes, by one of their edges, its position, and the sections that it covers along its length. */
  readonly #byEdge = new Map<string, Rectangle[]>();

  constructor(boxes: Iterable<Rectangle>) {
    const seen = new Set<string>();
    for (const box of boxes) {
      const key = [box.left, box.bottom, box.right, box.top].map(Math.round).join(' ');
      if (seen.has(key)) continue;
      seen.add(key);
      for (const band of bands(box.bottom, box.top)) {
        this.#add(`left ${bucket(box.left)} ${band}`, box);
        this.#add(`right ${bucket(box.right)} ${band}`, box);
      }
      for (const band of bands(box.left, box.right)) {
        this.#add(`top ${bucket(box.top)} ${band}`, box);
        this.#add(`bottom ${bucket(box.bottom)} ${band}`, box);
      }
    }
  }

  #add(key: string, box: Rectangle): void {
    append(this.#byEdge, key, box);
  }

  hasNeighbor(box: Rectangle): boolean {
    const { left, bottom, right, top } = box;
    const [heights, widths] = [bands(bottom, top), bands(left, right)];
    return (
      this.#has('left', right, heights, (other) => sharesHeight(box, other) && other.left >= right - 1) ||
      this.#has('right', left, heights, (other) => sharesHeight(box, other) && other.right <= left + 1) ||
      this.#has('top', bottom, widths, (other) => sharesWidth(box, other) && other.top <= bottom + 1) ||
      this.#has('bottom', top, widths, (other) => sharesWidth(box, other) && other.bottom >= top - 1)
    );
  }

  #has(
    edge: keyof Rectangle,
    place: number,
    along: number[],
    matches: (other: Rectangle) => boolean,
  ): boolean {
    return along.some((band) =>
      [-1, 0, 1].some((step) =>
        this.#byEdge
          .get(`${edge} ${bucket(place) + step} ${band}`)
          ?.some((other) => Math.abs(other[edge] - place) <= maxNeighborDistance && matches(other)),
      ),
    );
  }
}

function bucket(place: number): number {
  return Math.round(place / maxNeighborDistance);
}

function bands(from: number, to: number): number[] {
  const first = Math.floor(from / bandWidth);
  return Array.from({ length: Math.floor(to / bandWidth) - first + 1 }, (_, index) => first + index);
}

function sharesHeight(one: Rectangle, other: Rectangle): boolean {
  const common = Math.min(one.top, other.top) - Math.max(one.bottom, other.bottom);
  return common > 0.5 * Math.min(one.top - one.bottom, other.top - other.bottom);
}

function sharesWidth(one: Rectangle, other: Rectangle): boolean {
  const common = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  return common > 0.5 * Math.min(one.right - one.left, other.right - other.left);
}
