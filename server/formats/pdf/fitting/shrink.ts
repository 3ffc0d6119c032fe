import type { Rectangle } from '../geometry.ts';
import { type Fit, type Frame, fitAtScale, fitInMostRoom, isLabel, sourceLinesOf } from './fit.ts';
import { fitColumn } from './flow.ts';
import type { FreeSpace } from './free-space.ts';
import { cellRowsOf, rowsOf } from './list-rows.ts';
import { type Need, sharedInCells, sharedInRows, sharedOnPage } from './shared-sizes.ts';

/** The fit of a block's text. */
export interface Fitting {
  frame: Frame;
  fit: Fit;
  /**
   * Why the text is smaller than its source: `room` if it has too little space, `neighbors` if other texts of its style
   * are smaller; null if it is not smaller.
   */
  shrunk: 'room' | 'neighbors' | null;
  /** Whether the whole text fits. If not, it must be truncated. */
  whole: boolean;
}

/** A single text, or the paragraphs of a column, which share the space of the column. */
interface Unit {
  fittings: Fitting[];
  isColumn: boolean;
}

const step = 0.94;
/**
 * The factor between the scales that are tried for a column. It is closer to 1 than for other texts, because a column
 * does not need the same size as other texts.
 */
const columnStep = 0.98;
/** The shares of their width to which letters of a single line are condensed before the line is made smaller. */
const condensed = [1, 0.95, 0.9, 0.85];
const minScale = 0.6;
const minSize = 5;
/** The thickness of a container's outline, in points. */
const outline = 0.5;

/**
 * Returns the smallest allowed scale of a text: the one that results in 60% of its size or in 5 points, whichever is
 * larger.
 */
export function minScaleOf({ size }: Frame): number {
  return Math.min(1, Math.max(minScale, minSize / size));
}

/**
 * Fits the texts of a page one after the other, in reading order. Each text keeps the space that it uses. Afterwards
 * texts of one style get a common size: first the cells of each table row, then the rows of each list, then all texts of
 * the page, if a fair share of them had to become slightly smaller.
 *
 * @param columns the result of `columnsOf`
 */
export function fitAll(columns: readonly Frame[][], space: FreeSpace): Fitting[] {
  const units: Unit[] = [];
  const add = (unit: Unit): void => {
    units.push(unit);
    take(unit.fittings, space);
  };
  for (const frames of columns) {
    const fittings = frames.length > 1 ? fitTogether(frames, space) : undefined;
    if (fittings) add({ fittings, isColumn: true });
    else for (const frame of frames) add({ fittings: [fitOne(frame, space)], isColumn: false });
  }
  const alone = units.filter(({ isColumn }) => !isColumn);
  const frameOf = ({ fittings }: Unit): Frame => fittings[0]!.frame;
  for (const row of cellRowsOf(alone, frameOf)) shareSize(row, sharedInCells, space);
  for (const rows of rowsOf(alone, frameOf)) shareSize(rows, sharedInRows, space);
  for (const group of Map.groupBy(units, ({ fittings }) => fittings[0]!.frame.style).values())
    shareSize(group, sharedOnPage, space);
  return units.flatMap(({ fittings }) => fittings);
}

/** Gives texts a common size, if they are larger and also fit at this size. */
function shareSize(
  units: readonly Unit[],
  decide: (needs: readonly Need[]) => number,
  space: FreeSpace,
): void {
  const scale = decide(units.flatMap(({ fittings }) => fittings.map(needOf)));
  for (const unit of units) {
    const { frame, fit } = unit.fittings[0]!;
    if (fit.scale <= scale || scale < minScaleOf(frame)) continue;
    const frames = unit.fittings.map(({ frame }) => frame);
    const fits = unit.isColumn
      ? fitColumn(frames, space, scale, minScaleOf(frame))
      : [fitAtScale(frame, space, scale, minScaleOf(frame))];
    if (!fits?.every((found) => found !== undefined)) continue;
    unit.fittings = frames.map((frame, index) => ({
      frame,
      fit: fits[index]!,
      shrunk: 'neighbors',
      whole: true,
    }));
    take(unit.fittings, space);
  }
}

function needOf({ frame, fit, whole }: Fitting): Need {
  return { scale: whole ? fit.scale : 0, weight: sourceLinesOf(frame) };
}

function take(fittings: readonly Fitting[], space: FreeSpace): void {
  for (const { frame, fit } of fittings) space.add(occupiedBy(frame, fit), { owner: frame.id });
}

/**
 * Fits the paragraphs of a column together. The items of a list are fitted together only if one of them would become
 * smaller otherwise. Returns undefined if the texts must be fitted one by one.
 */
function fitTogether(frames: readonly Frame[], space: FreeSpace): Fitting[] | undefined {
  if (!frames[0]!.isItem) return fitAsColumn(frames, space);
  const smallest = Math.min(
    ...frames.map((own) => {
      const { fit, frame, whole } = fitOne(own, space);
      return whole ? (fit.scale * frame.stretch) / own.stretch : 0;
    }),
  );
  if (smallest === 1) return undefined;
  const found = fitAsColumn(frames, space);
  return found && found[0]!.fit.scale > smallest ? found : undefined;
}

/**
 * Fits the paragraphs of a column together. Returns undefined if they do not fit even at the smallest size, or if
 * another object is inside the column's area.
 */
function fitAsColumn(frames: readonly Frame[], space: FreeSpace): Fitting[] | undefined {
  const least = minScaleOf(frames[0]!);
  for (let scale = 1; ; scale = Math.max(least, scale * columnStep)) {
    const fits = fitColumn(frames, space, scale, least);
    if (fits)
      return frames.map((frame, index) => ({
        frame,
        fit: fits[index]!,
        shrunk: scale < 1 ? 'room' : null,
        whole: true,
      }));
    if (scale === least) return undefined;
  }
}

function fitOne(frame: Frame, space: FreeSpace): Fitting {
  const least = minScaleOf(frame);
  const shares = frame.singleLine || frame.isCell ? condensed : [1];
  const frames = shares.map((share) => ({ ...frame, stretch: frame.stretch * share }));
  for (let scale = 1; ; scale = Math.max(least, scale * step)) {
    for (const own of scale === 1 ? frames : frames.slice(-1)) {
      const found = fitAtScale(own, space, scale, least);
      if (!found) continue;
      const isShort = own.singleLine && (own.isCell || isLabel(own));
      const fit = (isShort && found.lines > 1 && onOneLine(own, space, scale)) || found;
      return { frame: own, fit, shrunk: fit.scale < 1 ? 'room' : null, whole: true };
    }
    if (scale === least) break;
  }
  if (!frame.isRelaxed) return fitOne({ ...frame, isRelaxed: true }, space);
  if (frame.uncut) return fitOne(frame.uncut, space);
  const found =
    frame.container && fitAtScale({ ...frame, bounds: edgeOf(frame.container) }, space, least, least);
  if (found) return { frame, fit: found, shrunk: least < 1 ? 'room' : null, whole: true };
  return { frame, fit: fitInMostRoom(frame, space, least), shrunk: least < 1 ? 'room' : null, whole: false };
}

/**
 * Fits a cell or a label on one line at a slightly smaller scale, so that it does not become higher than its row.
 * Returns undefined if the text does not fit on one line.
 */
function onOneLine(frame: Frame, space: FreeSpace, from: number): Fit | undefined {
  const least = minScaleOf(frame);
  for (const scale of [from * step, from * step ** 2]) {
    const found = scale >= least ? fitAtScale(frame, space, scale, least) : undefined;
    if (found?.lines === 1) return found;
  }
  return undefined;
}

/** Returns the area of a container without its outline. A text may use this area only if it does not fit otherwise. */
function edgeOf({ left, bottom, right, top }: Rectangle): Rectangle {
  return { left: left + outline, bottom: bottom + outline, right: right - outline, top: top - outline };
}

/** Returns the rectangle that a fitted text occupies. */
export function occupiedBy(frame: Frame, { left, right, baseline, leading, lines, scale }: Fit): Rectangle {
  return {
    left,
    right,
    bottom: baseline - (lines - 1) * leading - frame.descent * scale,
    top: baseline + (frame.box.top - frame.baseline) * scale,
  };
}
