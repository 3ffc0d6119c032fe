import { area, intersection, type Rectangle } from '../geometry.ts';
import { type Frame, growsLeft, lastBaselineOf, widestWordOf } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/**
 * The maximum share of a box that may be cut off. If more would be cut off, the text stays over the object, as in the
 * source.
 */
const maxLoss = 0.55;
/** The maximum distance of an object at the start or the end of a single line from this end, and its width there, in em. */
const maxAtEnd = 1.5;
const maxWidthAtEnd = 4;
/** The maximum width of the part of an object that may stay over the start of a text, in em. */
const maxTouched = 0.6;

/**
 * The minimum number of lines next to an object, and the minimum width of the object's place, in em. The lines of a
 * justified text show it better.
 */
const besideObject = { lines: 3, width: 4, widthOfJustified: 1 };

/**
 * Finds the lines at the start or at the end of a paragraph that are next to an object, such as a picture or a box with
 * other text. The other lines are wider.
 */
export function besideObjects(frame: Frame, space: FreeSpace): Frame {
  const found = besideAtStart(frame, space);
  return found.beside ? found : besideAtEnd(frame, space);
}

/** Finds the last lines of a paragraph that are at the right of an object below its other lines. */
function besideAtEnd(frame: Frame, space: FreeSpace): Frame {
  const { alignment, baseline, box, leading, lines, rightToLeft, size } = frame;
  if (rightToLeft || (alignment !== 'left' && alignment !== 'justified')) return frame;
  const isBeside = ({ left }: Frame['lines'][number]) => left > box.left + besideObject.width * size;
  const first = lines.findLastIndex((line) => !isBeside(line)) + 1;
  const own = lines.slice(first);
  const left = Math.min(...own.map((line) => line.left));
  if (first === 0 || own.some((line) => line.left > left + maxTouched * size)) return frame;
  const place = {
    left: box.left,
    right: left - 0.2 * size,
    bottom: lastBaselineOf(frame),
    top: baseline - (first - 0.5) * leading.normal,
  };
  if (own.length === 0 || space.isFree(place, new Set([frame.id]))) return frame;
  return { ...frame, beside: { left, right: box.right, isAtEnd: true, lines: first }, flows: false };
}

function besideAtStart(frame: Frame, space: FreeSpace): Frame {
  const { alignment, baseline, box, leading, lines, rightToLeft, size } = frame;
  if (rightToLeft || (alignment !== 'left' && alignment !== 'justified')) return frame;
  const width = size * (alignment === 'justified' ? besideObject.widthOfJustified : besideObject.width);
  let edges = lines[0]!;
  const wide = lines.findIndex(({ left, right }, index) => {
    if (index > 0 && (right > edges.right + width || left < edges.left - besideObject.width * size))
      return true;
    edges = { left: Math.min(edges.left, left), right: index === 0 ? right : Math.max(edges.right, right) };
    return false;
  });
  if (wide < besideObject.lines) return frame;
  const isLeft = lines[wide]!.left < edges.left - besideObject.width * size;
  const range = isLeft
    ? { left: box.left, right: edges.left - 0.2 * size }
    : { left: edges.right + 0.2 * size, right: box.right };
  const place = { ...range, bottom: baseline - (wide - 1) * leading.normal, top: baseline };
  if (space.isFree(place, new Set([frame.id]))) return frame;
  const beside = isLeft ? { ...edges, right: box.right } : { ...edges, left: box.left };
  return { ...frame, beside: { ...beside, isAtEnd: false, lines: wide }, flows: false };
}

/**
 * Cuts off a part of a frame's box if that part contains an object around which the source flowed: a check box at the
 * end of a question, an inline image, or a symbol that stays unchanged.
 */
export function wrapAround(frame: Frame, space: FreeSpace): Frame {
  let { box } = frame;
  // The remaining part must be wide enough for the widest word.
  const word = Math.min(widestWordOf(frame.text) * frame.size, 0.9 * (box.right - box.left));
  for (const object of space.inside(box, frame.id)) {
    const common = intersection(box, object);
    // Small overlaps are ignored, because the boxes of tightly spaced lines overlap.
    if (!common || common.right - common.left < 1.5 || common.top - common.bottom < 0.25 * frame.size)
      continue;
    if (isInIndent(common, frame)) continue;
    if (area(common) > maxLoss * area(box)) continue;
    // The letters of a single line are over an object that covers a large part of it.
    if (frame.singleLine && common.right - common.left > maxWidthAtEnd * frame.size) continue;
    // A common edge is more visible than the end of an object, which the source touches too.
    if (frame.sharesEdge && !growsLeft(frame) && common.right - box.left < maxTouched * frame.size) continue;
    const least = frame.baseline - frame.descent;
    // A single line does not flow around an object in its middle, such as the check box of an option.
    const isAtEnd = !frame.singleLine || object.right > box.right - maxAtEnd * frame.size;
    const isAtStart = !frame.singleLine || object.left < box.left + maxAtEnd * frame.size;
    const candidates = [
      ...(isAtEnd ? [{ ...box, right: object.left - 0.3 * frame.size }] : []),
      ...(isAtStart ? [{ ...box, left: object.right + 0.3 * frame.size }] : []),
      { ...box, bottom: object.top + 0.1 * frame.size },
    ].filter(({ bottom, left, right }) => right - left >= word && bottom <= least);
    const largest = candidates.reduce<Rectangle | undefined>(
      (best, one) => (best && area(best) >= area(one) ? best : one),
      undefined,
    );
    if (largest && area(largest) >= (1 - maxLoss) * area(box)) box = largest;
  }
  return box === frame.box ? frame : { ...frame, box, uncut: frame };
}

/** Whether an object is in front of the first line of a text, like the blank of a form before the text after it. */
function isInIndent({ left, right, bottom }: Rectangle, { box, baseline, indent, size, rightToLeft }: Frame) {
  const width = indent * size + 1;
  const isBilingual = rightToLeft ? left > box.right - width : right < box.left + width;
  return isBilingual && bottom > baseline - 0.4 * size;
}
