import type { Rectangle } from '../geometry.ts';
import { areaOf, inner } from './columns.ts';
import {
  type Fit,
  type Frame,
  growsLeft,
  lastBaselineOf,
  linesBetween,
  narrowestLine,
  roomBelow,
  roomBeside,
  widestWordOf,
} from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/** The maximum reduction of the distances between paragraphs if space is short, as a share. */
const maxOfGap = 0.65;
/** The share of a line by which the height may be exceeded, because the lines of sources are not evenly spaced. */
const tolerance = 0.1;

/**
 * Fits the paragraphs of a column at one size: in the column's area, else with free space next to it, else with the space below
 * it, else with less space between all lines and paragraphs. A paragraph moves only as far as necessary.
 *
 * @param least the smallest scale. A word that is too wide even at this scale is broken at any size
 * @returns in the order of the frames
 */
export function fitColumn(
  frames: readonly Frame[],
  space: FreeSpace,
  scale: number,
  least: number,
): Fit[] | undefined {
  const area = areaOf(frames);
  const [first, last] = [frames[0]!, frames.at(-1)!];
  if (!space.isFree(inner(area, first.size), new Set(frames.map(({ id }) => id)))) return undefined;
  const wider = { ...area, ...roomBeside({ ...first, box: area, singleLine: false }, space, false) };
  const isWider = wider.left < area.left || wider.right > area.right;
  const broken = new Map<string, Broken | undefined>();
  const fitInto = (region: Rectangle, loosest: number, tightest: number): Fit[] | undefined => {
    const edges = `${region.left} ${region.right}`;
    if (!broken.has(edges)) broken.set(edges, breakInto(frames, region, scale, least));
    const found = broken.get(edges);
    return found && spread(frames, found, { region, scale, loosest, tightest });
  };
  const inOwnArea = fitInto(area, -1, 0);
  if (inOwnArea) return inOwnArea;
  if (isWider && fitInto(wider, -1, 0))
    return fitInto(
      narrowest(area, wider, (region) => fitInto(region, -1, 0) !== undefined),
      -1,
      0,
    );
  for (const tightest of [0, 1])
    for (const region of isWider ? [area, wider] : [area]) {
      const found = fitInto({ ...region, bottom: roomBelow(last, space, region).bottom }, 0, tightest);
      if (found) return found;
    }
  return undefined;
}

/** Returns a region that is only slightly wider than necessary for content that fits into `to`. */
function narrowest(from: Rectangle, to: Rectangle, fits: (region: Rectangle) => boolean): Rectangle {
  const between = (share: number): Rectangle => ({
    ...from,
    left: from.left + share * (to.left - from.left),
    right: from.right + share * (to.right - from.right),
  });
  let [low, high] = [0, 1];
  for (let step = 0; step < 5; step++) {
    const middle = (low + high) / 2;
    if (fits(between(middle))) high = middle;
    else low = middle;
  }
  return between(high);
}

/** The edges between which each paragraph of a column is broken, and its number of lines. */
interface Broken {
  edges: Pick<Fit, 'left' | 'right' | 'scale'>[];
  lines: number[];
}

/** Returns undefined if a word would be broken that is whole at a smaller size. */
function breakInto(
  frames: readonly Frame[],
  region: Rectangle,
  scale: number,
  least: number,
): Broken | undefined {
  const edges = frames.map((frame) => ({ ...edgesIn(frame, region), scale }));
  const breaksWord = frames.some((frame, index) => {
    const own = edges[index]!;
    const word = widestWordOf(frame.text);
    return word > narrowestLine(frame, own) && word <= narrowestLine(frame, { ...own, scale: least });
  });
  return breaksWord
    ? undefined
    : { edges, lines: frames.map((frame, index) => linesBetween(frame, edges[index]!)) };
}

/** The position and spacing of the lines of a column. */
interface Attempt {
  region: Rectangle;
  scale: number;
  /**
   * The range of the tightness of its lines: 0 is the source's leading at this scale, 1 the minimum, -1 almost the leading of
   * the source.
   */
  loosest: number;
  tightest: number;
}

/** Distributes lines over a region. Returns undefined if the region is too low. */
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

/** Returns the edges of a paragraph. All paragraphs of a column have the same end edge, even those of a single line. */
function edgesIn(frame: Frame, region: Rectangle) {
  const { box } = frame;
  return growsLeft(frame) ? { left: region.left, right: box.right } : { left: box.left, right: region.right };
}

function leadingOf({ leading: { normal, tight } }: Frame, scale: number, tightness: number): number {
  return tightness < 0
    ? normal * (scale - tightness * 0.5 * (1 - scale))
    : scale * (normal + tightness * (tight - normal));
}

/** Returns the distance from the last baseline of a paragraph to the first one of the next. */
function dropBetween(above: Frame, below: Frame, scale: number, tightness: number): number {
  const gap = lastBaselineOf(above) - below.baseline - below.leading.normal;
  const share = tightness < 0 ? scale - tightness * (1 - scale) : scale * (1 - maxOfGap * tightness);
  return leadingOf(below, scale, tightness) + gap * share;
}

/** Returns the highest and the lowest baseline of a column. */
function limitsOf(frames: readonly Frame[], { region, scale }: Attempt) {
  const [first, last] = [frames[0]!, frames.at(-1)!];
  return {
    highest: region.top - (first.box.top - first.baseline) * scale,
    lowest: region.bottom + last.descent * scale,
  };
}

/** Returns the required tightness of the lines for the region; undefined if the region is too low. */
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
 * Returns the first baseline of each paragraph, as close to that of its source as the adjacent paragraphs allow. Smaller text
 * is distributed over the region, so that the distances between paragraphs are equal.
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
  /** From the first baseline of a paragraph to that of the next. */
  const steps = frames
    .slice(0, end)
    .map(
      (frame, index) =>
        (lines[index]! - 1) * leadingOf(frame, scale, tightness) +
        dropBetween(frame, frames[index + 1]!, scale, tightness),
    );
  const first = Math.min(frames[0]!.baseline, highest);
  const least = lowest + (lines[end]! - 1) * leadingOf(frames[end]!, scale, tightness);
  const rest = first - least - steps.reduce((sum, step) => sum + step, 0);
  const added = scale < 1 ? Math.max(0, rest / end) : 0;
  const baselines = [first];
  for (const [index, step] of steps.entries()) {
    const stacked = baselines[index]! - step - added;
    baselines.push(scale < 1 ? stacked : Math.min(frames[index + 1]!.baseline, stacked));
  }
  baselines[end] = Math.max(baselines[end]!, least);
  for (let index = end - 1; index >= 0; index--)
    baselines[index] = Math.max(baselines[index]!, baselines[index + 1]! + steps[index]!);
  return baselines;
}
