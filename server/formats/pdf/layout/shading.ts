import { intersection, type Matrix, type Rectangle, transformRectangle } from '../geometry.ts';
import type { PageContent, Paint } from '../page-content.ts';
import type { Piece } from './pieces.ts';

const white = /^(?:1 g|1 1 1 rg|0 0 0 0 k|\S+ cs 1(?: 1 1)? scn)$/;
/** As factors of the font size: the maximum height of shading, and its maximum distance from the ends of its text. */
const maxHeight = 1.8;
const maxDistance = 0.3;
/** The height of the middle of letters above the baseline, as a share of the font size. */
const middleOfLetters = 0.3;

/** The maximum number of objects below white boxes that are compared with them. It limits the time for drawings. */
const maxGrounds = 256;

/**
 * Returns a page's painted objects without white boxes on the white page, which are not visible, and without the white
 * shading of texts. Programs paint it behind the letters of a line, so it is not an area to which the text belongs.
 *
 * @param inverse maps the page's user space to the space of the pieces
 */
export function withoutShading({ paints }: PageContent, pieces: readonly Piece[], inverse: Matrix): Paint[] {
  const areas = new Map<Paint, Rectangle>();
  for (const paint of paints)
    if (paint.kind === 'fill' && paint.color !== undefined && white.test(paint.color))
      areas.set(paint, transformRectangle(inverse, paint.box));
  if (areas.size === 0) return paints;
  const grounds = paints.filter((paint) => paint.kind !== 'stroke' && !paint.parts && !areas.has(paint));
  const starts = Map.groupBy(pieces, ({ left }) => Math.round(left));
  const ends = Map.groupBy(pieces, ({ right }) => Math.round(right));
  const isAt = (places: ReadonlyMap<number, readonly Piece[]>, edge: 'left' | 'right', area: Rectangle) => {
    const place = Math.round(area[edge]);
    return [-4, -3, -2, -1, 0, 1, 2, 3, 4].some((step) =>
      places.get(place + step)?.some((piece) => {
        const { baseline, size } = piece;
        const middle = baseline + middleOfLetters * size;
        return (
          Math.abs(piece[edge] - area[edge]) < maxDistance * size &&
          area.bottom < middle &&
          area.top > middle &&
          area.top - area.bottom < maxHeight * size
        );
      }),
    );
  };
  const isOnPaper = (paint: Paint) =>
    grounds.length <= maxGrounds &&
    !grounds.some(({ box, order }) => order < paint.order && intersection(box, paint.box));
  return paints.filter((paint) => {
    const area = areas.get(paint);
    if (!area) return true;
    return !isOnPaper(paint) && !(isAt(starts, 'left', area) && isAt(ends, 'right', area));
  });
}
