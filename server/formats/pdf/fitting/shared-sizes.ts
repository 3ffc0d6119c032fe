/** A text that gets the same size as others. */
export interface Need {
  /** The scale at which it fits; 0 if it fits at none. */
  scale: number;
  /** The number of its lines in the source. */
  weight: number;
}

const step = 0.94 - 1e-9;
/** The scale of two steps of 6%, which still counts as slightly smaller. A text that needs less shrinks without the others. */
const slight = step ** 2;
/** The share of the text that must shrink so that all text shrinks. A single label among fifty shrinks without the others. */
const shareOfText = 0.25;
/** The share of the text that is ignored as outliers, at any scale. It is larger in rows, because a list has fewer texts. */
const shareOfOutliers = { page: 0.1, rows: 0.125 };

/**
 * Returns the common scale of the texts of one style on a page: the smallest that one of them needs, ignoring those far from
 * the scale that half of the text needs. Returns 1 if too few need it.
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
  // If half of the text is smaller anyway, the rest may follow by one more step.
  const limit = Math.min(slight, half * step);
  const smaller = sorted.filter(({ scale }) => scale > 0 && scale < 1 && scale >= limit);
  return leastOf(smaller, total, shareOfOutliers.page);
}

/**
 * Returns the common scale of the rows of one list or table column. They are so close to each other that any difference is
 * visible, so they shrink together to any scale, if another row needs almost the same one.
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

/** Returns the smallest scale, ignoring outliers; 1 if too little of the text needs to be smaller. */
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
