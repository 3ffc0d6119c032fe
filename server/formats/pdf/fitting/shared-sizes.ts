/** A text that keeps one size with others. */
export interface Need {
  /** At which it fits; 0 if at none. */
  scale: number;
  /** Its lines in the source. */
  weight: number;
}

const step = 0.94 - 1e-9;
/** At most two steps of 6 % count as slight. Whoever needs more is alone with it. */
const slight = step ** 2;
/** All go along if so much of the text shrinks. One label among fifty is smaller alone. */
const shareOfText = 0.25;
/** So little of the text makes the others no smaller, whatever it needs. In rows, which are fewer, it is more. */
const shareOfOutliers = { page: 0.1, rows: 0.125 };

/**
 * Decides at which scale the texts of one style on a page keep one size: the smallest that one of them needs, without those that are far
 * from what half of the text needs. 1 if too few need it.
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
  // Where half of the text is smaller anyway, the rest of it follows one step more.
  const limit = Math.min(slight, half * step);
  const smaller = sorted.filter(({ scale }) => scale > 0 && scale < 1 && scale >= limit);
  return leastOf(smaller, total, shareOfOutliers.page);
}

/**
 * Decides at which scale the rows of one list or table column keep one size. They stand so near to each other that any difference is
 * seen, so they go along however small that is, if another row needs nearly the same.
 */
export function sharedInRows(needs: readonly Need[]): number {
  const sorted = needs.toSorted((one, other) => one.scale - other.scale);
  const first = sorted.findIndex(
    ({ scale }, index) => scale >= slight * (sorted[index + 1]?.scale ?? 1) && scale > 0,
  );
  if (first < 0) return 1;
  const smaller = sorted.slice(first).filter(({ scale }) => scale < 1);
  return leastOf(smaller, weightOf(sorted), shareOfOutliers.rows);
}

/** Returns the smallest scale but for outliers; 1 if too little of the text needs to be smaller. */
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
