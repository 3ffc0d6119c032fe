import { area, holds, intersection, widen } from '../geometry.ts';
import type { Paint } from '../page-content.ts';

/** The maximum number of boxes that are compared with each painted object. It limits the time for drawings. */
const maxCovers = 64;
/** How far a box may extend over the one that hides it, in points. A thinner object must be inside it. */
const margin = 1;
const thin = 3;

/**
 * Removes the objects that are below a larger opaque box which is painted later. Programs leave such boxes when a frame
 * is made larger.
 */
export function withoutHidden(paints: readonly Paint[]): Paint[] {
  const covers = paints
    .filter(({ kind, opaque, parts }) => kind === 'fill' && opaque && !parts)
    .sort((one, other) => area(other.box) - area(one.box))
    .slice(0, maxCovers);
  return paints.filter(({ box, order }) => {
    const slack = Math.min(box.right - box.left, box.top - box.bottom) > thin ? margin : 0;
    return !covers.some((cover) => cover.order > order && holds(widen(cover.box, slack), box));
  });
}

/** White as operators of a fill color. */
const white = /^(?:\S+ cs )?(?:1(?:\.0*)? (?:g|scn)|(?:1(?:\.0*)? ){3}(?:rg|scn)|(?:0(?:\.0*)? ){4}k)$/;
/** The maximum number of objects whose white fills are compared with the others. */
const maxCompared = 5000;

export function isWhite({ color = '', kind }: Paint): boolean {
  return kind === 'fill' && white.test(color);
}

/** Removes white areas on the white page: programs paint them behind each line of a text. */
export function withoutWhite(paints: readonly Paint[]): Paint[] {
  if (paints.length > maxCompared) return [...paints];
  const grounds: Paint[] = [];
  return paints.filter((paint) => {
    const isSeen = !isWhite(paint) || grounds.some(({ box }) => intersection(box, paint.box));
    if (isSeen && paint.kind !== 'stroke') grounds.push(paint);
    return isSeen;
  });
}
