/** The scale that one of several texts needs. The texts may get a common size. */
export interface Need {
  /** The greatest scale at which the text fits; 0 if it fits at no scale. */
  scale: number;
  /** The number of lines of the text's source. */
  weight: number;
}

const step = 0.94 - 1e-9;
/**
 * The smallest scale that counts as slightly smaller: two steps of 6%. A text that needs a smaller scale is made
 * smaller on its own.
 */
const slight = step ** 2;
/** The smallest common scale. A text that needs a smaller scale is made smaller on its own. */
const minShared = 0.85;
/**
 * The minimum share of the text that must need a smaller scale before all text gets this scale. For example, if only
 * one label of fifty needs a smaller scale, the others keep their size.
 */
const shareOfText = 0.25;
/**
 * The share of the text that counts as outliers; their scales are ignored. The share is larger in rows, because a list
 * has fewer texts than a page.
 */
const shareOfOutliers = { page: 0.1, rows: 0.125 };

/**
 * Returns the common scale of the texts of one style on a page. This is the smallest scale that a text needs, except
 * outliers and scales much smaller than the one that half of the text needs. Returns 1 if too few texts need a smaller
 * scale.
 */
export function sharedOnPage(needs: readonly Need[]): number {
  const sorted = needs.toSorted((one, other) => one.scale - other.scale);
  const total = weightOf(sorted);
  let above = total;
  let half = 1;
  for (const { scale, weight } of sorted) {
    if (above < total / 2) break;
    half = scale;
    above -= weight;
  }
  // If half of the text needs a smaller scale, the limit is one step below this scale.
  const limit = Math.max(minShared, Math.min(slight, half * step));
  const smaller = sorted.filter(({ scale }) => scale > 0 && scale < 1 && scale >= limit);
  return leastOf(smaller, total, shareOfOutliers.page);
}

/**
 * Returns the common scale of the rows of a list or a table column. Rows are so close to each other that any difference
 * in size is visible, so they get a common scale. The only condition is that at least two rows need almost the same
 * scale.
 */
export function sharedInRows(needs: readonly Need[]): number {
  const sorted = needs.toSorted((one, other) => one.scale - other.scale);
  const first = sorted.findIndex(
    ({ scale }, index) => scale >= slight * (sorted[index + 1]?.scale ?? 1) && scale > 0,
  );
  if (first < 0) return 1;
  const smaller = sorted.slice(first).filter(({ scale }) => scale < 1 && scale > 0);
  return Math.max(minShared, leastOf(smaller, weightOf(sorted), shareOfOutliers.rows));
}

/** The range of the scales of cells for which all cells of a row get a common scale. */
const ofCells = { least: 0.64, most: minShared };

/**
 * Returns the common scale of the cells of a table row, such as its headings: the smallest one, if at least two cells
 * and a fair share of the row need a much smaller scale; otherwise 1.
 */
export function sharedInCells(needs: readonly Need[]): number {
  const small = needs.filter(({ scale }) => scale >= ofCells.least && scale < ofCells.most);
  const areMany = small.length > 1 && weightOf(small) >= shareOfText * weightOf(needs);
  return areMany ? Math.min(...small.map(({ scale }) => scale)) : 1;
}

/** Returns the smallest of the scales, ignoring outliers. Returns 1 if too little of the text needs a smaller scale. */
function leastOf(smaller: readonly Need[], total: number, outliers: number): number {
  if (weightOf(smaller) < shareOfText * total) return 1;
  let weightBelow = 0;
  for (const { scale, weight } of smaller) {
    weightBelow += weight;
    if (weightBelow > outliers * total) return scale;
  }
  return 1;
}

function weightOf(needs: readonly Need[]): number {
  return needs.reduce((sum, { weight }) => sum + weight, 0);
}
