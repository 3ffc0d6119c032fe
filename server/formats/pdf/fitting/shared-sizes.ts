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
 *
 * @param least the smallest common scale
 */
export function commonSize(needs: readonly Need[], least = 0): Pick<Need, 'scale' | 'width'> {
  const sorted = needs.toSorted((one, other) => costOf(one) - costOf(other));
  let best = { scale: 1, width: 1 };
  let [own, scale, width, weight] = [Number.POSITIVE_INFINITY, 1, 1, 0];
  let rest = sorted.reduce((sum, need) => sum + need.weight * (costOfOutlier + costOf(need)), 0);
  for (const need of sorted) {
    if (need.scale === 0 || need.scale < least) break;
    rest -= need.weight * (costOfOutlier + costOf(need));
    weight += need.weight;
    [scale, width] = [Math.min(scale, need.scale), Math.min(width, need.width)];
    const total = weight * costOf({ scale, width }) + rest;
    if (total <= own) [own, best] = [total, { scale, width }];
  }
  return best;
}
