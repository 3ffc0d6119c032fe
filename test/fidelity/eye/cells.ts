import { type Box, centerOf, contains, heightOf } from './geometry.ts';
import { colorAt, type Graphics, type Rule, type Rules } from './graphics.ts';
import type { Token } from './tokens.ts';

/** How far text may reach over a ruled line before a reader sees it. In points. */
const tolerance = 1;

/**
 * Leaves out the lines that belong to words: underlines and strike-outs begin and end with words, and move with them.
 */
export function bordersOnly(rules: Rules, tokens: readonly Token[]): Rules {
  const ofWords = ({ at, from, to }: Rule): boolean => {
    const over = tokens.filter(({ word: { box } }) => {
      const height = heightOf(box);
      return box[0] < to - 1 && box[2] > from + 1 && at > box[1] + 0.2 * height && at < box[3] + 0.2 * height;
    });
    if (over.length === 0) return false;
    const left = Math.min(...over.map(({ word }) => word.box[0]));
    const right = Math.max(...over.map(({ word }) => word.box[2]));
    return from > left - 4 && to < right + 4;
  };
  return { vertical: rules.vertical, horizontal: rules.horizontal.filter((rule) => !ofWords(rule)) };
}

/** The space between ruled lines around a place. A side without a line is infinitely far. */
export function cellAt({ vertical, horizontal }: Rules, box: Box): Box {
  const [x, y] = centerOf(box);
  const cell: Box = [-Infinity, -Infinity, Infinity, Infinity];
  for (const { at, from, to } of vertical) {
    if (y < from || y > to) continue;
    if (at <= x) cell[0] = Math.max(cell[0], at);
    else cell[2] = Math.min(cell[2], at);
  }
  for (const { at, from, to } of horizontal) {
    if (x < from || x > to) continue;
    if (at <= y) cell[1] = Math.max(cell[1], at);
    else cell[3] = Math.min(cell[3], at);
  }
  return cell;
}

/** Whether a ruled line goes through the middle of a word. */
export function isCrossed({ vertical, horizontal }: Rules, box: Box): boolean {
  const [left, top, right, bottom] = box;
  const core: Box = [
    left + tolerance,
    top + 0.35 * heightOf(box),
    right - tolerance,
    bottom - 0.35 * heightOf(box),
  ];
  return (
    vertical.some(({ at, from, to }) => at > core[0] && at < core[2] && from < core[3] && to > core[1]) ||
    horizontal.some(({ at, from, to }) => at > core[1] && at < core[3] && from < core[2] && to > core[0])
  );
}

/** Whether a ruled line separates two boxes that are side by side, or one below the other. */
export function crossesBetween({ vertical, horizontal }: Rules, one: Box, other: Box): boolean {
  const [x1, y1] = centerOf(one);
  const [x2, y2] = centerOf(other);
  const isBetween = (at: number, a: number, b: number) => at > Math.min(a, b) && at < Math.max(a, b);
  const isAcross = ({ from, to }: Rule, a: number, b: number) =>
    from <= Math.min(a, b) + tolerance && to >= Math.max(a, b) - tolerance;
  if (Math.abs(y1 - y2) < 0.5 * Math.min(heightOf(one), heightOf(other)))
    return vertical.some((rule) => isBetween(rule.at, x1, x2) && isAcross(rule, y1, y2));
  const [left, right] = [Math.max(one[0], other[0]), Math.min(one[2], other[2])];
  return left < right && horizontal.some((rule) => isBetween(rule.at, y1, y2) && isAcross(rule, left, right));
}

export interface CellFaults {
  /** Words of a translation that are in another cell than their source, or on a ruled line. */
  leaving: Token[];
  /** Words on another color than their source. */
  onOtherColor: Token[];
  /** Words on a picture, where their source is not. */
  onPicture: Token[];
}

/** The part of a page above which a picture is its background. */
const background = 0.5;

/** Compares where words and their translations are between the lines and pictures of the source. */
export function findCellFaults(
  links: Iterable<readonly [Token, Token]>,
  { rules, fills, pictures }: Graphics,
  pageArea: number,
): CellFaults {
  const faults: CellFaults = { leaving: [], onOtherColor: [], onPicture: [] };
  const smaller = pictures.filter(([left, top, right, bottom]) => {
    const area = (right - left) * (bottom - top);
    return area < background * pageArea && area > 100;
  });
  for (const [source, result] of links) {
    const [left, top, right, bottom] = cellAt(rules, source.box);
    const cell: Box = [left - tolerance, top - tolerance, right + tolerance, bottom + tolerance];
    const isOutside = !contains(cell, centerOf(result.box));
    if (isOutside || (isCrossed(rules, result.box) && !isCrossed(rules, source.box)))
      faults.leaving.push(result);
    if (colorAt(fills, source.box) !== colorAt(fills, result.box)) faults.onOtherColor.push(result);
    const isOn = (picture: Box, { box }: Token) => contains(picture, centerOf(box));
    if (smaller.some((picture) => isOn(picture, result) && !isOn(picture, source)))
      faults.onPicture.push(result);
  }
  return faults;
}
