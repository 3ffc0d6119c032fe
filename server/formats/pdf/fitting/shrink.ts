import { type Rectangle, widen } from '../geometry.ts';
import { areaOf } from '../model/columns.ts';
import { commonSize, costOf, groupsOf, type Need } from '../model/groups.ts';
import {
  type Fit,
  type Frame,
  fitAtScale,
  fitBeside,
  fitInMostRoom,
  growsLeft,
  isJustified,
  isLabel,
  linesBetween,
  narrowest,
  roomBeside,
  sourceLinesOf,
} from './fit.ts';
import { fitColumn } from './flow.ts';
import { FreeSpace } from './free-space.ts';
import { keptFit } from './same-text.ts';

/** The fit of a block's text. */
export interface Fitting {
  frame: Frame;
  /** The frame before its letters were condensed. */
  source: Frame;
  fit: Fit;
  /**
   * Why the text is smaller than its source: `room` if it has too little space, `neighbors` if other texts of its style
   * are smaller; null if it is not smaller.
   */
  shrunk: 'room' | 'neighbors' | null;
  /** Whether the text is set as a part of a column, with all that belongs to it. */
  inColumn: boolean;
  /** Whether the whole text fits. If not, it must be truncated. */
  whole: boolean;
}

/** A single text, or the paragraphs of a column, which share the space of the column. */
interface Unit {
  fittings: Fitting[];
  isColumn: boolean;
  /** The texts at the end of lines of a column, each with the index of the text before it. */
  mates?: { unit: Unit; mate: Frame; index: number }[];
}

const step = 0.94;
/** The factor between the scales that are tried for running text: a step that is too small to see. */
const columnStep = 0.98;
/**
 * The shares of their width to which letters of a single line or a heading are condensed before it is made smaller. Those of a
 * cell with several lines stop at the second one.
 */
const condensed = [1, 0.95, 0.9, 0.85];
/** The share of their width to which the letters of justified text are condensed before it takes more space. */
const condensedText = 0.97;
/** The shares to which letters are condensed at the smallest size, before a text leaves its place. */
const narrowestLetters = [0.8, 0.75, 0.7] as const;
/** The scale below which the letters of a single line are condensed to these shares, and the step to the next share. */
const muchSmaller = 0.9;
const narrowStep = 0.05;
/**
 * The size and width of a label below which it may leave its edge, how much larger it must then be, and the maximum width
 * of such a label, in em: a word in front of a check box.
 */
const tooSmall = 0.75;
const muchLarger = 1.2;
const maxShort = 3;
/** The width from which a line is a sentence, and not a label or a heading, in em. */
const longLine = 30;
/** The minimum height of a cell in which a label gets a second line before it becomes small, as a factor of the leading. */
const tallCell = 8;
/** The smallest common scale of all texts of a style. A text that needs a smaller one is smaller on its own. */
const minShared = 0.8;
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

/** The common scales of the texts of a document, by style. */
export type Scales = ReadonlyMap<string, number>;

/** The texts of one direction of a page, each with its fit. */
export class FittedTexts {
  readonly #units: Unit[] = [];
  /**
   * The style of most texts of a group, which counts for all of them: some labels of a list may be cells. Null for a group
   * of labels outside of tables: others do not make it smaller, because a label keeps its size if it has the room.
   */
  readonly #styles = new Map<Unit, string | null>();
  readonly #space: FreeSpace;

  /**
   * Fits the texts one after the other, in reading order. Each text keeps the space that it uses. Afterwards the texts of
   * each group get a common size, and then all texts of one style on the page, if a fair share of them had to become
   * slightly smaller.
   *
   * @param columns the result of `columnsOf`
   */
  constructor(columns: readonly Frame[][], space: FreeSpace) {
    this.#space = space;
    const add = (unit: Unit): void => {
      this.#units.push(unit);
      take(unit.fittings, space);
    };
    for (const frames of columns) {
      const isColumn = frames.length > 1 && !frames.every(({ stays }) => stays);
      const fittings = isColumn ? fitAsColumn(frames.map(onOneLine(frames, space)), space) : undefined;
      if (fittings) {
        const mates = fittings.flatMap((fitting, index) =>
          (fitting.frame.mates ?? []).map((mate) => ({
            unit: { fittings: [besideText(mate, fitting, space)], isColumn: false },
            mate,
            index,
          })),
        );
        add({ fittings, isColumn: true, mates });
        for (const { unit } of mates) add(unit);
      } else
        for (const frame of frames.flatMap((own) => [own, ...(own.mates ?? [])]))
          add({ fittings: [fitOne(aboveMarks(frame), space)], isColumn: false });
    }
    const alone = new Map(
      this.#units.flatMap((unit) => {
        const { source } = unit.fittings[0]!;
        return unit.isColumn || source.stays ? [] : [[source, unit] as const];
      }),
    );
    for (const group of groupsOf([...alone.keys()])) {
      const members = group.map((frame) => alone.get(frame)!);
      const areLabels = group.every(
        ({ container, isCell, isHeading, singleLine }) => singleLine && !isHeading && !(isCell && container),
      );
      const style = areLabels ? null : mostOf(group.map((frame) => frame.style));
      for (const unit of members) this.#styles.set(unit, style);
      setSize(members, commonSize(members.flatMap(needsOf), 'group'), space);
    }
    this.share(commonScales(this.needs(), 'page'));
  }

  get fittings(): Fitting[] {
    return this.#units.flatMap(({ fittings }) => fittings);
  }

  /** Returns the size that each text has now, by style. */
  needs(): Map<string, Need[]> {
    return new Map([...this.#ofStyle()].map(([style, units]) => [style, units.flatMap(needsOf)]));
  }

  /** Gives the texts of each style a common scale, except those that are smaller, and those that do not fit with it. */
  share(scales: Scales): void {
    for (const [style, units] of this.#ofStyle())
      setSize(units, { scale: scales.get(style) ?? 1 }, this.#space);
  }

  #ofStyle(): Map<string, Unit[]> {
    const shared = this.#units.filter((unit) => this.#styles.get(unit) !== null);
    return Map.groupBy(shared, (unit) => this.#styles.get(unit) ?? unit.fittings[0]!.frame.style);
  }
}

/** Returns the value that is found most often. */
function mostOf(values: readonly string[]): string {
  const counts = [...Map.groupBy(values, (value) => value)];
  return counts.reduce((most, own) => (own[1].length > most[1].length ? own : most))[0];
}

/** Returns the common scale of the texts of each style. */
export function commonScales(
  needs: Iterable<readonly [style: string, needs: readonly Need[]]>,
  kind: 'page' | 'document',
): Scales {
  const all = new Map<string, Need[]>();
  for (const [style, own] of needs) all.set(style, [...(all.get(style) ?? []), ...own]);
  return new Map([...all].map(([style, own]) => [style, commonSize(own, kind, minShared).scale]));
}

/**
 * Returns a function that keeps a single line in a column on one line: past the end of the column if all its texts are
 * single lines, which do not show this end, or by condensed letters: up to 95%,
 * those of a heading up to 90%, and up to 70% before a mark.
 */
function onOneLine(column: readonly Frame[], space: FreeSpace): (frame: Frame) => Frame {
  const { left, right } = areaOf(column);
  const isStack = column.every(({ singleLine }) => singleLine);
  return (frame) => {
    if (frame.stays) return frame;
    const { bounds, box, isHeading, isItem, singleLine, stretch, text } = frame;
    const isLeftward = growsLeft(frame);
    const isLimited = isLeftward ? bounds.left > left : bounds.right < right;
    if (!singleLine || (isLeftward && !isLimited) || text.paragraphs.length > 1) return frame;
    const edges = isLeftward
      ? { left: bounds.left, right: box.right }
      : { left: box.left, right: Math.max(box.right, Math.min(right, bounds.right)) };
    const fits = (own: Pick<Rectangle, 'left' | 'right'>, share = 1) =>
      linesBetween({ ...frame, stretch: stretch * share }, { ...own, scale: 1 }) === 1;
    if (fits(edges)) return frame;
    const room = roomBeside(frame, space, false);
    const wider = { ...edges, right: Math.max(edges.right, room.right) };
    for (const share of isStack && frame.alignment === 'left' ? condensed.slice(0, 2) : [])
      if (fits(wider, share))
        return {
          ...frame,
          stretch: stretch * share,
          lineEnd: narrowest(edges, wider, (own) => fits(own, share)).right,
        };
    const shares =
      isLimited && !isItem
        ? [...condensed, ...narrowestLetters]
        : isHeading
          ? condensed.slice(0, 3)
          : condensed.slice(0, 2);
    const share = shares.find((share) => fits(edges, share));
    return share === undefined ? frame : { ...frame, stretch: stretch * share };
  };
}

/** The minimum distance from a label to the text after it, in em. */
const afterLabel = 0.3;

/** Fits a text on the line of a text that has moved, such as a date at the end of the line or a label at its start. */
function besideText(mate: Frame, { fit, frame }: Fitting, around: FreeSpace): Fitting {
  const rise = fit.baseline - frame.baseline;
  const { box, size } = mate;
  const area = { ...box, bottom: box.bottom + rise, top: box.top + rise };
  const moved = {
    ...mate,
    baseline: mate.baseline + rise,
    box: area,
    bounds:
      box.right < frame.box.left
        ? { ...area, right: Math.max(box.right, frame.box.left - afterLabel * size) }
        : {
            ...area,
            left: Math.min(box.left, Math.max(mate.bounds.left, endOf(fit, frame) + size)),
            right: growsLeft(mate) ? box.right : roomBeside(mate, around, false).right,
          },
  };
  return fitOne(moved, new FreeSpace(moved.bounds));
}

function endOf({ left, right, lines, scale }: Fit, { size, stretch, text }: Frame): number {
  const width = Math.max(...text.paragraphs.map(({ width }) => width)) * size * scale * stretch;
  return lines === 1 ? Math.min(right, left + width) : right;
}

/** Returns a text that does not grow over its marks below it, because they stay. */
function aboveMarks(frame: Frame): Frame {
  const { below, bounds } = frame;
  if (!below) return frame;
  return { ...frame, bounds: { ...bounds, bottom: Math.max(bounds.bottom, below.top) } };
}

/**
 * Gives texts a common size if they are larger and also fit at this size. Those that fit only at a smaller size get the
 * common width of letters, if they can then be larger.
 *
 * @param width the common width; undefined if each text keeps its own
 */
function setSize(
  units: readonly Unit[],
  { scale, width }: { scale: number; width?: number },
  space: FreeSpace,
): void {
  for (const unit of units) {
    const first = unit.fittings.find(({ frame }) => !frame.stays);
    if (!first || first.fit.beside) continue;
    const { fit, frame, source } = first;
    const least = minScaleOf(source);
    const own = frame.stretch / source.stretch;
    if ((fit.scale <= scale && (width ?? own) >= own) || scale < least) continue;
    const tries: { scale: number; share: number }[] = [];
    for (let to = scale; width !== undefined && (to === scale || to > fit.scale); to *= columnStep)
      tries.push({ scale: to, share: width });
    // At a smaller size, narrow letters have room to be wider.
    if (scale < fit.scale && own < 1) tries.push({ scale, share: Math.min(1, (own * fit.scale) / scale) });
    tries.push({ scale: Math.min(scale, fit.scale), share: own });
    const found = unit.isColumn
      ? fitColumnAt(unit.fittings, space, scale, least)
      : tries
          .values()
          .map((size) => fitAt(source, space, { ...size, least }))
          // A smaller text does not get more lines.
          .find((found) => found && found[0].fit.lines <= fit.lines);
    if (!found) continue;
    unit.fittings = found.map((fitting, index) => ({
      ...fitting,
      shrunk: fitting.fit.scale < fit.scale ? 'neighbors' : unit.fittings[index]!.shrunk,
    }));
    for (const { unit: other, mate, index } of unit.mates ?? [])
      other.fittings = [besideText(mate, unit.fittings[index]!, space)];
    take(unit.fittings, space);
  }
}

/** Fits the texts of a column at another scale. */
function fitColumnAt(
  fittings: readonly Fitting[],
  space: FreeSpace,
  scale: number,
  least: number,
): Fitting[] | undefined {
  const frames = fittings.map(({ frame }) => frame);
  const fits = fitColumn(frames, space, scale, least);
  if (!fits || !areEndsFree(frames, fits, space)) return undefined;
  return fits.map((fit, index) => ({ ...fittings[index]!, fit }));
}

function needsOf({ fittings }: Unit): Need[] {
  const own = fittings.filter(({ frame }) => !frame.stays);
  return own.map(({ frame, fit, source, whole }) => ({
    scale: whole ? fit.scale : 0,
    width: frame.stretch / source.stretch,
    weight: sourceLinesOf(frame),
  }));
}

function take(fittings: readonly Fitting[], space: FreeSpace): void {
  for (const { frame, fit } of fittings) space.add(occupiedBy(frame, fit), { owner: frame.id });
}

/**
 * Fits the paragraphs of a column together. Returns undefined if they do not fit even at the smallest size, or if
 * another object is inside the column's area.
 */
function fitAsColumn(wanted: readonly Frame[], space: FreeSpace): Fitting[] | undefined {
  const least = Math.max(...wanted.map(minScaleOf));
  const narrowed = (share: (stretch: number) => number) =>
    wanted.map((frame) => ({ ...frame, stretch: share(frame.stretch) }));
  const fitsArea = (frames: readonly Frame[]) => fitColumn(frames, space, 1, least, true) !== undefined;
  const isStretched = wanted.some(({ stretch }) => stretch > 1);
  if (isStretched && !fitsArea(wanted))
    return fitAsColumn(
      narrowed((stretch) => Math.min(1, stretch)),
      space,
    );
  const slightly = narrowed((stretch) => stretch * condensedText);
  const isNarrowed = wanted.some(isJustified) && !fitsArea(wanted) && fitsArea(slightly);
  const frames = isNarrowed ? slightly : wanted;
  let best: { fits: Fit[]; scale: number; cost: number } | undefined;
  for (let scale = 1; ; scale = Math.max(least, scale * columnStep)) {
    if (best && costOf({ scale, width: 1 }) >= best.cost) break;
    const fits = fitColumn(frames, space, scale, least);
    const cost = Math.max(...(fits ?? []).map((fit, index) => costOfFit(frames[index]!, fit)));
    if (fits && (!best || cost < best.cost)) best = { fits, scale, cost };
    if (scale === least) break;
  }
  if (!best) return undefined;
  const { fits } = best;
  if (!areEndsFree(frames, fits, space))
    return fitAsColumn(
      wanted.map(({ lineEnd, ...frame }) => frame),
      space,
    );
  return frames.map((frame, index) => ({
    frame,
    source: frame,
    fit: fits[index]!,
    shrunk: fits[index]!.scale < 1 ? 'room' : null,
    inColumn: true,
    whole: true,
  }));
}

/** Whether the lines that go past the end of their column are not over other objects, at the places to which they moved. */
function areEndsFree(frames: readonly Frame[], fits: readonly Fit[], space: FreeSpace): boolean {
  const owners = new Set(frames.map(({ id }) => id));
  return frames.every((frame, index) => {
    const { left: _left, ...area } = occupiedBy(frame, fits[index]!);
    return frame.lineEnd === undefined || space.isFree({ ...area, left: frame.box.right }, owners);
  });
}

/**
 * How much a text disturbs that is smaller than its source, or whose lines are closer to each other than those of the
 * source, in em: a slightly smaller text with some space between its lines looks better than a dense one.
 */
function costOfFit({ leading }: Frame, { leading: own, lines, scale }: Fit): number {
  const closer = lines > 1 ? Math.max(0, 1 - own / (leading.normal * scale)) : 0;
  return costOf({ scale, width: 1 }) + closer ** 2;
}

function fitOne(frame: Frame, space: FreeSpace, source = frame): Fitting {
  if (frame.stays) return { frame, source, fit: keptFit(frame), shrunk: null, inColumn: false, whole: true };
  const least = minScaleOf(frame);
  if (frame.beside) {
    let [best, cost]: [Fit | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (let scale = 1; scale >= least && costOf({ scale, width: 1 }) < cost; scale *= columnStep) {
      const fit = fitBeside(frame, space, scale);
      const own = fit ? costOfFit(frame, fit) : cost;
      if (fit && own < cost) [best, cost] = [fit, own];
    }
    const shrunk = best && best.scale < 1 ? 'room' : null;
    if (best) return { frame, source, fit: best, shrunk, inColumn: false, whole: true };
    // The text does not go over the object: all lines become narrow.
    const { beside, ...whole } = frame;
    const box = beside.isAtEnd ? frame.box : { ...frame.box, left: beside.left, right: beside.right };
    return fitOne({ ...whole, box }, space, source);
  }
  // Programs that copy connected letters out of a PDF mix up those that are narrower.
  const shares =
    (frame.singleLine || frame.isCell || frame.isHeading) && !frame.rightToLeft
      ? condensed.slice(0, frame.singleLine || frame.isHeading ? condensed.length : 2)
      : isJustified(frame)
        ? [1, condensedText]
        : [1];
  const last = shares.at(-1)!;
  const isNarrowed = shares[1] === condensed[1];
  const tries = shares.map((share) => ({ scale: 1, share, isOneLine: false }));
  // A line stays one line, if its letters are narrower there, a sentence if they are slightly narrower, and a label or a
  // heading if they are not much smaller. A wide or a high cell has space for a second line.
  const isShort = isLabel(frame);
  const isLong = frame.box.right - frame.box.left > longLine * frame.size && !frame.isHeading;
  const { container, leading } = frame;
  const isTall = container !== null && container.top - container.bottom > tallCell * leading.normal;
  const narrowed = [
    ...(isLong || isTall ? shares.slice(0, 2) : shares).map((share) => ({ scale: 1, share })),
    ...((isShort || (frame.isHeading && !frame.isItem)) && !isTall ? [step, step ** 2] : []).map((scale) => ({
      scale,
      share: last,
    })),
  ];
  if (frame.singleLine && (isShort || !frame.isCell || !container))
    tries.unshift(...narrowed.map((size) => ({ ...size, isOneLine: true })));
  const between = frame.singleLine ? step : columnStep;
  for (let scale = between; scale * between > least; scale *= between)
    tries.push({
      scale,
      share: frame.singleLine && isNarrowed && scale < muchSmaller ? narrowAt(scale) : last,
      isOneLine: false,
    });
  for (const share of isNarrowed ? [last, ...narrowestLetters] : shares)
    tries.push({ scale: least, share, isOneLine: false });
  let best: { fitting: Fitting; cost: number } | undefined;
  for (const { scale, share, isOneLine } of tries) {
    if (best && costOf({ scale, width: 1 }) >= best.cost) break;
    const [fitting] = (scale >= least && fitAt(frame, space, { scale, share, least })) || [];
    if (!fitting || (isOneLine && fitting.fit.lines > 1)) continue;
    if (!frame.singleLine) {
      const cost = costOfFit(frame, fitting.fit);
      if (!best || cost < best.cost) best = { fitting: { ...fitting, source }, cost };
      continue;
    }
    return (
      (isShort && scale * share < tooSmall && overEdge(frame, space, scale * share)) || { ...fitting, source }
    );
  }
  if (best) return best.fitting;
  if (!frame.isRelaxed) return fitOne({ ...frame, isRelaxed: true }, space, source);
  if (frame.uncut) return fitOne(frame.uncut, space, source);
  const shrunk = least < 1 ? 'room' : null;
  // The text gets the space up to the outline of its container.
  const found =
    frame.container &&
    fitAtScale({ ...frame, bounds: widen(frame.container, -outline) }, space, least, {
      scale: least,
      stretch: frame.stretch,
    });
  if (found) return { frame, source, fit: found, shrunk, inColumn: false, whole: true };
  return { frame, source, fit: fitInMostRoom(frame, space, least), shrunk, inColumn: false, whole: false };
}

/**
 * Returns the fit of a label that may start before the common edge of the labels below and above it, such as one in front
 * of a check box; undefined if it does not become much larger there.
 */
function overEdge(frame: Frame, space: FreeSpace, size: number): Fitting | undefined {
  if (frame.isRelaxed || !frame.sharesEdge || frame.box.right - frame.box.left > maxShort * frame.size)
    return undefined;
  const fitting = fitOne({ ...frame, isRelaxed: true }, space);
  const { fit, frame: own } = fitting;
  const isLarger = fit.scale * (own.stretch / frame.stretch) > muchLarger * size;
  return isLarger && fit.lines === 1 && fit.baseline === frame.baseline ? fitting : undefined;
}

/** Returns the share to which the letters of a single line are condensed at a scale: small letters are worse than narrow ones. */
function narrowAt(scale: number): number {
  return narrowestLetters[
    Math.min(narrowestLetters.length - 1, Math.floor((muchSmaller - scale) / narrowStep))
  ]!;
}

function fitAt(
  source: Frame,
  space: FreeSpace,
  { scale, share, least }: { scale: number; share: number; least: number },
): [Fitting] | undefined {
  const frame = share === 1 ? source : { ...source, stretch: source.stretch * share };
  const stretch = source.rightToLeft ? source.stretch : source.stretch * narrowestLetters.at(-1)!;
  const fit = fitAtScale(frame, space, scale, { scale: least, stretch });
  return fit && [{ frame, source, fit, shrunk: fit.scale < 1 ? 'room' : null, inColumn: false, whole: true }];
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
