import type { Frame } from '../fitting/fit.ts';
import { runsOf } from '../statistics.ts';

/** The maximum gap between neighboring texts of a list, in em. */
const maxGap = 3;
/** The maximum difference between the edges of texts of one column, in points. */
const sameEdge = 1;
/** The maximum difference between the baselines of texts of one row, in em. */
const sameBaseline = 0.1;
/** The number of cells of one style in a column from which they are its body; fewer cells are its head. */
const minBody = 3;
/** The number of texts with the same words from which they are a label that is repeated. */
const minRepeated = 3;

/**
 * Groups the texts that look uneven if their sizes differ: those of one style that are a list, the labels of a form, the
 * cells of a column of a table, or the cells of its head. A label that a page repeats joins the texts around it. Each
 * text is in one group.
 */
export function groupsOf(frames: readonly Frame[]): Frame[][] {
  const groups = new Groups(frames);
  for (const kind of Map.groupBy(frames, ({ look }) => look).values()) {
    for (const column of columnsIn(kind)) groups.join(column);
    for (const row of rowsIn(kind))
      if (row.every((frame) => groups.sizeOf(frame) < minBody)) groups.join(row);
  }
  for (const label of Map.groupBy(frames, wordsOf).values())
    if (label.length >= minRepeated) groups.join(label);
  return groups.all();
}

/** Returns the words of a text and its style. For a cell, which has its row and column, returns its id. */
function wordsOf({ id, isCell, style, text }: Frame): string {
  const words = text.runs.map((run) => run.text).join('');
  return isCell ? id : `${style} ${words.replaceAll(/\p{N}+/gu, '0')}`;
}

/** Returns the texts of one style that are below each other: cells between the same rules, and texts with one edge. */
function columnsIn(kind: readonly Frame[]): Frame[][] {
  const cells = kind.filter(({ container, isCell }) => container && isCell);
  const byRules = [
    ...Map.groupBy(
      cells,
      ({ container }) => `${Math.round(container!.left)} ${Math.round(container!.right)}`,
    ),
  ].map(([, column]) => column);
  const byEdge = [...Map.groupBy(kind, ({ alignment }) => alignment.replace('justified', 'left')).values()]
    .flatMap((aligned) => alignedAt(aligned, edgeOf, sameEdge))
    .flatMap((column) =>
      runsOf(
        column.toSorted((one, other) => other.baseline - one.baseline),
        (list, { box, size }) => list.at(-1)!.box.bottom - box.top <= maxGap * size,
      ),
    );
  // The rows of a striped table are cells by turns.
  return [...byRules, ...byEdge.filter((column) => column.some((frame) => !cells.includes(frame)))];
}

/** Returns the single lines and cells of one style with the same baseline. */
function rowsIn(kind: readonly Frame[]): Frame[][] {
  const single = kind.filter(({ isCell, singleLine }) => isCell || singleLine);
  return alignedAt(single, ({ baseline }) => baseline, sameBaseline * (kind[0]?.size ?? 0));
}

/** Sets of texts that are joined step by step. */
class Groups {
  readonly #groups = new Map<Frame, Frame[]>();

  constructor(frames: readonly Frame[]) {
    for (const frame of frames) this.#groups.set(frame, [frame]);
  }

  sizeOf(frame: Frame): number {
    return this.#groups.get(frame)!.length;
  }

  join(frames: readonly Frame[]): void {
    const [largest, ...others] = [...new Set(frames.map((frame) => this.#groups.get(frame)!))].sort(
      (one, other) => other.length - one.length,
    );
    for (const group of others)
      for (const frame of group) {
        largest!.push(frame);
        this.#groups.set(frame, largest!);
      }
  }

  all(): Frame[][] {
    return [...new Set(this.#groups.values())];
  }
}

/** Divides texts into runs in which each place is at most `distance` behind the previous one. */
function alignedAt(frames: readonly Frame[], placeOf: (frame: Frame) => number, distance: number): Frame[][] {
  const sorted = frames.toSorted((one, other) => placeOf(one) - placeOf(other));
  return runsOf(sorted, (run, frame) => placeOf(frame) - placeOf(run.at(-1)!) <= distance);
}

function edgeOf({ alignment, box }: Frame): number {
  return alignment === 'right' ? box.right : alignment === 'center' ? (box.left + box.right) / 2 : box.left;
}

/** The size that a text needs. Texts of one group get a common size. */
export interface Need {
  /** The greatest scale at which the text fits; 0 if it fits at no scale. */
  scale: number;
  /** The share of their usual width that its letters have at this scale. */
  width: number;
  /** The number of lines of the text's source. */
  weight: number;
}

/**
 * How much one outlier disturbs the look of its group, as compared with a text at 53% of its size. It disturbs less in
 * a group of few texts. Texts of a style are seen together less if they are apart on a page, or on different pages.
 */
const costOfOutlier = { group: 0.9, page: 0.6, document: 0.25 };
const maxFew = 5;

/** How much a smaller or narrower text disturbs. A slight difference is hardly visible. */
export function costOf({ scale, width }: Pick<Need, 'scale' | 'width'>): number {
  return 4 * (1 - scale * width) ** 2;
}

/**
 * Returns the common size of a group. Texts that need a smaller size are outliers, which are set on their own. The size
 * is the one at which the group looks best: few outliers, and large letters.
 *
 * @param least the smallest common scale
 */
export function commonSize(
  needs: readonly Need[],
  kind: keyof typeof costOfOutlier,
  least = 0,
): Pick<Need, 'scale' | 'width'> {
  const few = needs.length > maxFew ? 1 : 1 - 1 / needs.length;
  const outlier = costOfOutlier[kind] * few;
  const sorted = needs.toSorted((one, other) => costOf(one) - costOf(other));
  let best = { scale: 1, width: 1 };
  let [own, scale, share, weight] = [Number.POSITIVE_INFINITY, 1, 1, 0];
  let rest = sorted.reduce((sum, need) => sum + need.weight * (outlier + costOf(need)), 0);
  for (const need of sorted) {
    if (need.scale === 0 || need.scale < least) break;
    rest -= need.weight * (outlier + costOf(need));
    weight += need.weight;
    [scale, share] = [Math.min(scale, need.scale), Math.min(share, need.scale * need.width)];
    // A text with narrow letters has room for wider ones at a smaller size.
    const size = { scale, width: Math.min(1, share / scale) };
    const total = weight * costOf(size) + rest;
    if (total <= own) [own, best] = [total, size];
  }
  return best;
}
