import type { Rectangle } from '../geometry.ts';
import { areaOf, inner, ownersOf } from '../model/columns.ts';
import {
  type Fit,
  type Frame,
  growsLeft,
  isJustified,
  lastBaselineOf,
  linesBetween,
  narrowest,
  narrowestLine,
  roomBelow,
  roomBeside,
  sourceLinesOf,
  widestWordOf,
} from './fit.ts';
import type { FreeSpace } from './free-space.ts';
import { keptFit } from './same-text.ts';

/** The maximum share by which the gaps between paragraphs are reduced if there is too little space. */
const maxOfGap = 0.2;
/** The maximum space that is added to a gap if the text is smaller than its source, as a share of a line. */
const maxAdded = 0.4;
/**
 * The share of a line by which the text may be higher than the region. The tolerance is needed because the lines of
 * sources are not evenly spaced.
 */
const tolerance = 0.1;

/**
 * Fits the paragraphs of a column at one size: first in the column's area, then with free space next to the area, then
 * with the space below, and finally with less space between all lines and paragraphs. A paragraph moves only as far as
 * necessary. Returns undefined if the paragraphs do not fit.
 *
 * @param least the smallest allowed scale. A word that is too wide even at this scale may be broken at any size
 * @param isInArea whether only the column's own area is used
 * @returns the fit of each paragraph, in the order of the frames
 */
export function fitColumn(
  frames: readonly Frame[],
  space: FreeSpace,
  scale: number,
  least: number,
  isInArea = false,
): Fit[] | undefined {
  const area = areaOf(frames);
  const [first, last] = [frames[0]!, frames.at(-1)!];
  const owners = ownersOf(frames);
  if (!space.isFree(inner(area, first.size), owners)) return undefined;
  const widest = frames.find(isJustified) ?? first;
  const wider = { ...area, ...roomBeside({ ...widest, box: area, singleLine: false }, space, false) };
  const isWider = wider.left < area.left || wider.right > area.right;
  // A single line, such as a long address, may go past the end of the other lines.
  const ends = frames.filter(isJustified).map(({ box }) => box.right);
  const overhang = ends.length > 0 ? area.right - Math.max(...ends) : 0;
  const broken = new Map<string, Broken | undefined>();
  const fitInto = (region: Rectangle, loosest: number, tightest: number): Fit[] | undefined => {
    const edges = `${region.left} ${region.right}`;
    if (!broken.has(edges)) broken.set(edges, breakInto(frames, { ...region, overhang }, scale, least));
    const found = broken.get(edges);
    return found && spread(frames, found, { region, scale, loosest, tightest });
  };
  const inOwnArea = fitInto(area, -1, 0);
  if (inOwnArea || isInArea) return inOwnArea;
  if (isWider && fitInto(wider, -1, 0))
    return fitInto(
      { ...area, ...narrowest(area, wider, (edges) => fitInto({ ...area, ...edges }, -1, 0) !== undefined) },
      -1,
      0,
    );
  for (const tightest of [0, 1])
    for (const region of isWider ? [area, wider] : [area]) {
      const found = fitInto(
        { ...region, bottom: roomBelow(last, space, region, owners).bottom },
        0,
        tightest,
      );
      if (found) return found;
    }
  return undefined;
}

/** For each paragraph of a column, the edges of its lines and the number of its lines. */
interface Broken {
  edges: Pick<Fit, 'left' | 'right' | 'scale'>[];
  lines: number[];
}

/**
 * Breaks the paragraphs of a column into lines. Returns undefined if this would break a word that fits on a line at the
 * smallest allowed size.
 */
function breakInto(
  frames: readonly Frame[],
  region: Rectangle & { overhang: number },
  scale: number,
  least: number,
): Broken | undefined {
  const edges = frames.map((frame) => (frame.stays ? keptFit(frame) : { ...edgesIn(frame, region), scale }));
  const breaksWord = frames.some((frame, index) => {
    if (frame.stays) return false;
    const own = edges[index]!;
    const word = widestWordOf(frame.text);
    return word > narrowestLine(frame, own) && word <= narrowestLine(frame, { ...own, scale: least });
  });
  return breaksWord
    ? undefined
    : {
        edges,
        lines: frames.map((frame, index) =>
          frame.stays ? sourceLinesOf(frame) : linesBetween(frame, edges[index]!),
        ),
      };
}

/** The limits for the position and the spacing of a column's lines. */
interface Attempt {
  region: Rectangle;
  scale: number;
  /**
   * The range in which the tightness of the lines must be. At 0, the lines have the leading of the source, scaled like
   * the text. At 1, they have the minimum leading. At -1, the leading is between the scaled and the unscaled leading of
   * the source.
   */
  loosest: number;
  tightest: number;
}

/** Distributes the lines of the paragraphs over a region. Returns undefined if the region is not high enough. */
function spread(frames: readonly Frame[], { edges, lines }: Broken, attempt: Attempt): Fit[] | undefined {
  const tightness = tightnessOf(frames, lines, attempt);
  if (tightness === undefined) return undefined;
  const baselines = baselinesIn(frames, lines, attempt, tightness);
  return frames.map((frame, index) => ({
    ...edges[index]!,
    baseline: baselines[index]!,
    leading: leadingOf(frame, attempt.scale, tightness),
    lines: lines[index]!,
  }));
}

/**
 * Returns the left and right edges of a paragraph. All paragraphs of a column get the same end edge, even those with a
 * single line, except lines that go past it in the source.
 */
function edgesIn(frame: Frame, region: Rectangle & { overhang: number }) {
  const { alignment, bounds, box, lineEnd = box.right } = frame;
  if (alignment === 'center') {
    const middle = (box.left + box.right) / 2;
    const half = Math.min(middle - region.left, region.right - middle);
    return { left: middle - half, right: middle + half };
  }
  return growsLeft(frame)
    ? { left: Math.max(region.left, bounds.left), right: box.right }
    : { left: box.left, right: Math.max(lineEnd, Math.min(region.right - region.overhang, bounds.right)) };
}

function leadingOf({ leading: { normal, tight }, stays }: Frame, scale: number, tightness: number): number {
  if (stays) return normal;
  return tightness < 0
    ? normal * (scale - tightness * 0.5 * (1 - scale))
    : scale * (normal + tightness * (tight - normal));
}

/** Returns the distance from the last baseline of a paragraph to the first baseline of the next paragraph. */
function dropBetween(above: Frame, below: Frame, scale: number, tightness: number): number {
  const gap = lastBaselineOf(above) - below.baseline - below.leading.normal;
  const share = tightness < 0 ? scale - tightness * (1 - scale) : scale * (1 - maxOfGap * tightness);
  return leadingOf(below, scale, tightness) + gap * share;
}

function limitsOf(frames: readonly Frame[], { region, scale }: Attempt) {
  const [first, last] = [frames[0]!, frames.at(-1)!];
  return {
    highest: region.top - (first.box.top - first.baseline) * scale,
    lowest:
      region.bottom +
      Math.max(last.descent * scale, last.below ? lastBaselineOf(last) - last.below.bottom : 0),
  };
}

/** Returns the tightness with which the lines fit into the region; undefined if the region is not high enough. */
function tightnessOf(
  frames: readonly Frame[],
  lines: readonly number[],
  attempt: Attempt,
): number | undefined {
  const { scale, loosest, tightest } = attempt;
  const { highest, lowest } = limitsOf(frames, attempt);
  const room = highest - lowest;
  const needed = (tightness: number): number =>
    frames.reduce(
      (sum, frame, index) =>
        sum +
        (lines[index]! - 1) * leadingOf(frame, scale, tightness) +
        (index > 0 ? dropBetween(frames[index - 1]!, frame, scale, tightness) : 0),
      0,
    );
  const normal = needed(0);
  if (normal <= room) {
    const loose = needed(loosest);
    return loose <= room ? loosest : (loosest * (room - normal)) / (loose - normal);
  }
  const slack = tolerance * leadingOf(frames[0]!, scale, 0);
  const tight = needed(tightest);
  if (tight > room + slack) return undefined;
  return tight < normal ? Math.min(tightest, (tightest * (normal - room)) / (normal - tight)) : 0;
}

/**
 * Returns the first baseline of each paragraph. The first one stays, and the others follow each other as in the source.
 * If the text is smaller than its source, the gaps between the paragraphs get some of the free space.
 */
function baselinesIn(
  frames: readonly Frame[],
  lines: readonly number[],
  attempt: Attempt,
  tightness: number,
): number[] {
  const { scale } = attempt;
  const { highest, lowest } = limitsOf(frames, attempt);
  const end = frames.length - 1;
  /** The distances from the first baseline of each paragraph to the first baseline of the next one. */
  const steps = frames
    .slice(0, end)
    .map(
      (frame, index) =>
        (lines[index]! - 1) * leadingOf(frame, scale, tightness) +
        dropBetween(frame, frames[index + 1]!, scale, tightness),
    );
  const first = Math.min(frames[0]!.baseline, highest);
  const least = lowest + (lines[end]! - 1) * leadingOf(frames[end]!, scale, tightness);
  // Gaps become wider only up to the end of the source.
  const last = frames[end]!;
  const until = Math.max(least, lastBaselineOf(last) + (lines[end]! - 1) * leadingOf(last, scale, tightness));
  const rest = first - until - steps.reduce((sum, step) => sum + step, 0);
  const most = maxAdded * leadingOf(last, scale, tightness);
  const added = scale < 1 ? Math.max(0, Math.min(most, rest / end)) : 0;
  const baselines = [first];
  for (const [index, step] of steps.entries()) baselines.push(baselines[index]! - step - added);
  baselines[end] = Math.max(baselines[end]!, least);
  for (let index = end - 1; index >= 0; index--)
    baselines[index] = Math.max(baselines[index]!, baselines[index + 1]! + steps[index]!);
  return baselines;
}
