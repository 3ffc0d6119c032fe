import type { Rectangle } from '../geometry.ts';
import { greatest, least } from '../statistics.ts';

/** The minimum width of a gap between columns, as a factor of the font size. */
const minGutterWidth = 0.7;
/**
 * The maximum share of table cells among the texts of a region with columns. If there are more cells, the region is a
 * table.
 */
const maxCells = 0.6;
/** The maximum depth of nested regions. Real pages are far below it. */
const maxDepth = 40;

export interface Placed {
  box: Rectangle;
  size: number;
}

/** Returns whether a horizontal rule between two heights extends over most of a width. */
type HasRule = (bottom: number, top: number, across: { left: number; right: number }) => boolean;

/**
 * Puts the texts of a page in reading order by dividing the page repeatedly. A region with vertical gaps (gutters) is
 * divided into columns, and each column is read from top to bottom. A region without gutters is divided into horizontal
 * bands, which are read from the top. Neighboring bands with a common gutter stay together, so that columns are not
 * divided at the gaps between their paragraphs. The bands of a table are not joined, so a table is read by rows.
 */
export function inReadingOrder<T extends Placed & { isCell: boolean }>(
  items: readonly T[],
  isRightToLeft: boolean,
  hasRule: HasRule,
): T[] {
  return columnsInReadingOrder(items, {
    isRightToLeft,
    hasRule,
    isCell: (item) => item.isCell,
    isGrid: () => false,
    isRow: () => false,
  }).flat();
}

interface ColumnOptions<T> {
  isRightToLeft: boolean;
  hasRule: HasRule;
  isCell: (item: T) => boolean;
  /** Returns whether a band is a row of a table. Columns do not divide such rows below each other. */
  isRow: (band: T[]) => boolean;
  /** Returns whether a region with these columns is a table. It is then not divided. */
  isGrid: (columns: T[][]) => boolean;
}

/**
 * Divides a page as `inReadingOrder` does, and returns the texts of each column. Texts above and below each other that
 * are not divided by a gutter are in one column.
 */
export function columnsInReadingOrder<T extends Placed>(
  items: readonly T[],
  { isRightToLeft, hasRule, isCell, isRow, isGrid }: ColumnOptions<T>,
): T[][] {
  return order(items, 0);

  function order(region: readonly T[], depth: number): T[][] {
    if (region.length === 0) return [];
    if (region.length === 1) return [[...region]];
    if (depth > maxDepth) return [[...region].sort(fromTop)];
    const columns = cutColumns(region);
    const bands = cutBands(region);
    const rows = tableRows(bands);
    const isCut = columns.length > 1 && !isGrid(columns) && !hasRowAcross(columns, bands, rows);
    const inColumns = () =>
      (isRightToLeft ? columns.toReversed() : columns).flatMap((column) => order(column, depth + 1));
    if (isCut && region.filter(isCell).length <= maxCells * region.length) return inColumns();
    const joined = joinBands(bands, rows);
    if (joined.length > 1) return joinUndivided(joined.map((band) => order(band, depth + 1)));
    return isCut ? inColumns() : [[...region].sort(fromTop)];
  }

  /** Returns which bands are rows of a table, next to other rows. */
  function tableRows(bands: readonly T[][]): boolean[] {
    const rows = bands.map(isRow);
    return rows.map((row, index) => row && (rows[index - 1] || rows[index + 1]) === true);
  }

  /** Whether a table extends over several columns, and other texts are above or below it. */
  function hasRowAcross(columns: readonly T[][], bands: readonly T[][], rows: readonly boolean[]): boolean {
    if (!rows.includes(true) || !rows.includes(false)) return false;
    const columnOf = new Map(columns.flatMap((items, index) => items.map((item) => [item, index] as const)));
    const across = bands.map(
      (band, index) => rows[index] && band.some((item) => columnOf.get(item) !== columnOf.get(band[0]!)),
    );
    return across.some((isAcross, index) => isAcross && across[index + 1]);
  }

  function joinBands(bands: readonly T[][], rows: readonly boolean[]): T[][] {
    const joined: Band<T>[] = [];
    for (const [index, items] of bands.entries()) {
      const band = toBand(items, isCell);
      const last = joined.at(-1);
      const both = last && together(last, band);
      const row = rows[index] ? band : last;
      const isApart = both && row && rows[index] !== rows[index - 1] && columnsOf(row, both.columns) > 1;
      if (last && both && !isApart) {
        for (const item of items) last.items.push(item);
        Object.assign(last, both);
      } else joined.push(band);
    }
    return joined.map(({ items }) => items);
  }

  /**
   * Returns the common columns of two neighboring bands, with the other properties of the joined band; undefined if
   * they have no common columns.
   */
  function together(upper: Band<T>, lower: Band<T>): Omit<Band<T>, 'items' | 'top'> | undefined {
    const cells = upper.cells + lower.cells;
    if (cells > maxCells * (upper.items.length + lower.items.length)) return undefined;
    if (upper.columns.length < 2 && lower.columns.length < 2) return undefined;
    const columns = occupied([...upper.columns, ...lower.columns]);
    const across = { left: columns[0]!.left, right: columns.at(-1)!.right };
    if (columns.length < 2 || hasRule(lower.top, upper.bottom, across)) return undefined;
    return { columns, cells, bottom: lower.bottom };
  }
}

/** Joins consecutive bands that have no columns. */
function joinUndivided<T>(bands: readonly T[][][]): T[][] {
  const joined: T[][] = [];
  let isOpen = false;
  for (const columns of bands) {
    const isUndivided = columns.length === 1;
    if (isOpen && isUndivided) for (const item of columns[0]!) joined.at(-1)!.push(item);
    else for (const column of columns) joined.push(column);
    isOpen = isUndivided;
  }
  return joined;
}

interface Span {
  left: number;
  right: number;
  size: number;
}

interface Band<T> {
  items: T[];
  /** The horizontal ranges that contain text. */
  columns: Span[];
  cells: number;
  top: number;
  bottom: number;
}

function toBand<T extends Placed>(items: readonly T[], isCell: (item: T) => boolean): Band<T> {
  return {
    items: [...items],
    columns: occupied(items.map(({ box, size }) => ({ left: box.left, right: box.right, size }))),
    cells: items.filter(isCell).length,
    top: greatest(items.map(({ box }) => box.top)),
    bottom: least(items.map(({ box }) => box.bottom)),
  };
}

/** Returns the number of columns in which a band has text. */
function columnsOf(band: Band<unknown>, columns: readonly Span[]): number {
  return columns.filter(({ left, right }) =>
    band.columns.some((span) => span.left < right && left < span.right),
  ).length;
}

/** Joins ranges that overlap, and ranges whose gap is too narrow to separate columns. */
function occupied(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of [...spans].sort((one, other) => one.left - other.left)) {
    const last = joined.at(-1);
    if (last && span.left - last.right < minGutterWidth * span.size) {
      last.right = Math.max(last.right, span.right);
      last.size = Math.min(last.size, span.size);
    } else joined.push({ ...span });
  }
  return joined;
}

/**
 * Divides a region at its gutters, if a text is next to another text. Otherwise the region stays whole: short lines
 * above an indented list, for example, also have a gutter between them.
 */
function cutColumns<T extends Placed>(region: readonly T[]): T[][] {
  const columns = splitAtGutters(region);
  if (columns.length < 2) return columns;
  const columnOf = new Map(columns.flatMap((items, index) => items.map((item) => [item, index] as const)));
  const isBilingual = cutBands(region).some((band) =>
    band.some((item) => columnOf.get(item) !== columnOf.get(band[0]!)),
  );
  return isBilingual ? columns : [[...region]];
}

function splitAtGutters<T extends Placed>(region: readonly T[]): T[][] {
  const columns: T[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const item of [...region].sort((one, other) => one.box.left - other.box.left)) {
    const column = columns.at(-1);
    if (column && item.box.left - end < minGutterWidth * item.size) column.push(item);
    else columns.push([item]);
    end = Math.max(end, item.box.right);
  }
  return columns;
}

function cutBands<T extends Placed>(region: readonly T[]): T[][] {
  const bands: T[][] = [];
  let end = Number.POSITIVE_INFINITY;
  for (const item of [...region].sort((one, other) => other.box.top - one.box.top)) {
    // Overlaps up to this height are ignored, because ascenders and descenders of neighboring lines may touch.
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
