import type { Rectangle } from '../geometry.ts';
import { type Fit, type Frame, fitAtScale, mostRoom } from './fit.ts';
import type { FreeSpace } from './free-space.ts';

/** What became of a block's text. */
export interface Fitting {
  frame: Frame;
  fit: Fit;
  /** Why it is smaller than its source: it had no room, or a neighbour of its style had none. */
  shrunk: 'room' | 'neighbours' | null;
  /** Whether it fits as a whole. Otherwise it has to be cut. */
  whole: boolean;
}

const step = 0.94;
/** At most two steps count as slight: then the neighbours become as small. Whoever needs more is alone with it. */
const slight = step ** 2 - 1e-9;
/** The neighbours go along if so many of their style shrink slightly. One label among fifty is smaller alone. */
const shareOfNeighbours = 0.25;
const leastScale = 0.6;
const leastSize = 5;

/** Returns the smallest scale of a text: 60 % of its size or 5 points, whichever is more. */
export function leastScaleOf({ size }: Frame): number {
  return Math.min(1, Math.max(leastScale, leastSize / size));
}

/**
 * Fits the texts of a page one after the other, in reading order: each keeps what it has taken. Then those of one style get one
 * size, if a fair share of them had to shrink slightly.
 *
 * @param styleOf the name of a frame's style
 */
export function fitAll(
  frames: readonly Frame[],
  space: FreeSpace,
  styleOf: (frame: Frame) => string,
): Fitting[] {
  const fittings = frames.map((frame) => {
    const fitting = fitOne(frame, space);
    space.add(takenBy(frame, fitting.fit), { owner: frame.id });
    return fitting;
  });
  const scales = new Map<string, number>();
  for (const [style, group] of Map.groupBy(fittings, ({ frame }) => styleOf(frame))) {
    const shrunk = group.filter(({ fit, whole }) => whole && fit.scale < 1 && fit.scale >= slight);
    if (shrunk.length >= shareOfNeighbours * group.length)
      scales.set(style, Math.min(1, ...shrunk.map(({ fit }) => fit.scale)));
  }
  return fittings.map((fitting) => {
    const { frame } = fitting;
    const scale = scales.get(styleOf(frame)) ?? 1;
    if (fitting.fit.scale <= scale || scale < leastScaleOf(frame)) return fitting;
    const smaller = fitAtScale(frame, space, scale, leastScaleOf(frame));
    if (!smaller) return fitting;
    space.add(takenBy(frame, smaller), { owner: frame.id });
    return { ...fitting, fit: smaller, shrunk: 'neighbours' };
  });
}

function fitOne(frame: Frame, space: FreeSpace): Fitting {
  const least = leastScaleOf(frame);
  for (let scale = 1; ; scale = Math.max(least, scale * step)) {
    const found = fitAtScale(frame, space, scale, least);
    if (found) return { frame, fit: found, shrunk: scale < 1 ? 'room' : null, whole: true };
    if (scale === least) break;
  }
  if (frame.uncut) return fitOne(frame.uncut, space);
  return { frame, fit: mostRoom(frame, space, least), shrunk: least < 1 ? 'room' : null, whole: false };
}

/** Returns the rectangle in which a fitted text stands. */
export function takenBy(frame: Frame, { left, right, baseline, leading, lines, scale }: Fit): Rectangle {
  return {
    left,
    right,
    bottom: baseline - (lines - 1) * leading - frame.descent * scale,
    top: baseline + (frame.box.top - frame.baseline) * scale,
  };
}
