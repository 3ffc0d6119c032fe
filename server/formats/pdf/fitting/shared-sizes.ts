/** The size that a text needs. Texts of one group get a common size. */
export interface Need {
  /** The greatest scale at which the text fits; 0 if it fits at no scale. */
  scale: number;
  /** The share of their usual width that its letters have at this scale. */
  width: number;
  /** The number of lines of the text's source. */
  weight: number;
}

/** How much one outlier disturbs the look of its group, as compared with a text at 61% of its size. */
const costOfOutlier = 0.6;

/** How much a smaller text disturbs. Slightly smaller letters are hardly visible, and narrower ones are half as visible. */
function costOf({ scale, width }: Pick<Need, 'scale' | 'width'>): number {
  return 4 * (1 - (scale * (1 + width)) / 2) ** 2;
}

/**
 * Returns the common size of a group. Texts that need a smaller size are outliers, which are set on their own. The size
 * is the one at which the group looks best: few outliers, and large letters.
 */
export function commonSize(needs: readonly Need[]): Pick<Need, 'scale' | 'width'> {
  const sorted = needs.toSorted((one, other) => costOf(one) - costOf(other));
  let best = { scale: 1, width: 1 };
  let [own, scale, width, weight] = [Number.POSITIVE_INFINITY, 1, 1, 0];
  let rest = sorted.reduce((sum, need) => sum + need.weight * (costOfOutlier + costOf(need)), 0);
  for (const need of sorted) {
    if (need.scale === 0) break;
    rest -= need.weight * (costOfOutlier + costOf(need));
    weight += need.weight;
    [scale, width] = [Math.min(scale, need.scale), Math.min(width, need.width)];
    const total = weight * costOf({ scale, width }) + rest;
    if (total <= own) [own, best] = [total, { scale, width }];
  }
  return best;
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
/** The share of a page's text that counts as outliers; their scales are ignored. */
const shareOfOutliers = 0.1;

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
  if (weightOf(smaller) < shareOfText * total) return 1;
  let weightBelow = 0;
  for (const { scale, weight } of smaller) {
    weightBelow += weight;
    if (weightBelow > shareOfOutliers * total) return scale;
  }
  return 1;
}

function weightOf(needs: readonly Need[]): number {
  return needs.reduce((sum, { weight }) => sum + weight, 0);
}
