import type { Frame } from './fit.ts';

/** The maximum gap between neighboring rows of a list, in em. */
const maxGap = 1.5;
/** The maximum difference between the edges of neighboring texts of a list, in points. */
const sameEdge = 1;
/** The maximum difference between the baselines of neighboring cells of a row, in em. */
const sameBaseline = 0.1;

/**
 * Groups texts that have the same style and a common edge and that are close below each other. Such texts are the rows
 * of a list or a form, or the cells of a table column.
 */
export function rowsOf<T>(texts: readonly T[], frameOf: (text: T) => Frame): T[][] {
  const kinds = Map.groupBy(texts, (text) => {
    const { alignment, style } = frameOf(text);
    return `${style} ${alignment === 'justified' ? 'left' : alignment}`;
  });
  const columns = [...kinds.values()].flatMap((kind) =>
    runsOf(kind, (text) => edgeOf(frameOf(text)), sameEdge),
  );
  return columns.flatMap((column) => {
    const rows: T[][] = [];
    for (const text of column.toSorted((one, other) => frameOf(other).baseline - frameOf(one).baseline)) {
      const list = rows.at(-1);
      const { box, size } = frameOf(text);
      if (list && frameOf(list.at(-1)!).box.bottom - box.top <= maxGap * size) list.push(text);
      else rows.push([text]);
    }
    return rows.filter((list) => list.length > 1);
  });
}

/** Groups the cells of each row of a table that have the same style, such as its headings. */
export function cellRowsOf<T>(texts: readonly T[], frameOf: (text: T) => Frame): T[][] {
  const cells = texts.filter((text) => frameOf(text).isCell && frameOf(text).container);
  return [...Map.groupBy(cells, (text) => frameOf(text).style).values()]
    .flatMap((kind) => runsOf(kind, (text) => frameOf(text).baseline, sameBaseline * frameOf(kind[0]!).size))
    .filter((row) => new Set(row.map((text) => frameOf(text).container!.left)).size === row.length);
}

/** Divides texts into runs in which each place is at most `distance` behind the previous one. */
function runsOf<T>(texts: readonly T[], placeOf: (text: T) => number, distance: number): T[][] {
  const runs: T[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const text of texts.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    const place = placeOf(text);
    if (place - last <= distance) runs.at(-1)!.push(text);
    else runs.push([text]);
    last = place;
  }
  return runs;
}

function edgeOf({ alignment, box }: Frame): number {
  return alignment === 'right' ? box.right : alignment === 'center' ? (box.left + box.right) / 2 : box.left;
}
