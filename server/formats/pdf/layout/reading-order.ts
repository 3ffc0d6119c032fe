import type { Rectangle } from '../geometry.ts';

/** As a multiple of the size: narrower gaps do not separate columns. */
const narrowestGutter = 0.7;
/** Deeper nesting does not occur on pages that people read. */
const deepest = 40;

export interface Placed {
  box: Rectangle;
  size: number;
  isCell: boolean;
}

/**
 * Puts the texts of a page in reading order by cutting it again and again: along its gutters, each column from its top to its
 * end; where no gutter goes through, into bands from the top. Neighbouring bands with a common gutter stay together, so
 * columns are not cut at the gaps between their paragraphs; those of a table do not, so it is read by rows.
 *
 * @param hasRule whether a horizontal rule runs between two heights over most of a width
 */
export function inReadingOrder<T extends Placed>(
  items: readonly T[],
  isRightToLeft: boolean,
  hasRule: (bottom: number, top: number, across: { left: number; right: number }) => boolean,
): T[] {
  return order(items, 0);

  function order(region: readonly T[], depth: number): T[] {
    if (region.length < 2) return [...region];
    if (depth > deepest) return [...region].sort(fromTop);
    if (!isTable(region)) {
      const columns = cutColumns(region);
      if (columns.length > 1)
        return (isRightToLeft ? columns.reverse() : columns).flatMap((column) => order(column, depth + 1));
    }
    const bands = joinBands(cutBands(region));
    if (bands.length > 1) return bands.flatMap((band) => order(band, depth + 1));
    const columns = cutColumns(region);
    if (columns.length > 1)
      return (isRightToLeft ? columns.reverse() : columns).flatMap((column) => order(column, depth + 1));
    return [...region].sort(fromTop);
  }

  function joinBands(bands: readonly T[][]): T[][] {
    const joined: T[][] = [];
    for (const band of bands) {
      const last = joined.at(-1);
      if (last && !isTable([...last, ...band]) && belongTogether(last, band)) last.push(...band);
      else joined.push([...band]);
    }
    return joined;
  }

  function belongTogether(upper: readonly T[], lower: readonly T[]): boolean {
    const all = [...upper, ...lower];
    if (cutColumns(all).length < 2) return false;
    if (cutColumns(upper).length < 2 && cutColumns(lower).length < 2) return false;
    const [from, to] = [
      Math.max(...lower.map(({ box }) => box.top)),
      Math.min(...upper.map(({ box }) => box.bottom)),
    ];
    const across = {
      left: Math.min(...all.map(({ box }) => box.left)),
      right: Math.max(...all.map(({ box }) => box.right)),
    };
    return !hasRule(from, to, across);
  }
}

function isTable(region: readonly Placed[]): boolean {
  return region.filter(({ isCell }) => isCell).length > 0.6 * region.length;
}

function cutColumns<T extends Placed>(region: readonly T[]): T[][] {
  const columns: T[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const item of [...region].sort((one, other) => one.box.left - other.box.left)) {
    const column = columns.at(-1);
    if (column && item.box.left - end < narrowestGutter * item.size) column.push(item);
    else columns.push([item]);
    end = Math.max(end, item.box.right);
  }
  return columns;
}

function cutBands<T extends Placed>(region: readonly T[]): T[][] {
  const bands: T[][] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const item of [...region].sort((one, other) => other.box.top - one.box.top)) {
    // Ascenders and descenders of neighbouring lines may touch.
    const slack = 0.25 * item.size;
    const band = bands.at(-1);
    if (band && item.box.top - slack > end) band.push(item);
    else bands.push([item]);
    end = Math.min(end, item.box.bottom);
  }
  return bands;
}

function fromTop(one: Placed, other: Placed): number {
  return other.box.top - one.box.top || one.box.left - other.box.left;
}
