import { greatest, least, median } from '../../statistics.ts';
import { continues, isOpen } from '../sentences.ts';
import type { Chain } from './line-links.ts';
import { continuesInIdeographs } from './line-pairs.ts';

/** The minimum and maximum distance between lines of a paragraph, as shares of the font size. */
const minLeading = 0.55;
const maxLeading = 2.9;
/** The factor by which a line distance in a paragraph may exceed the usual line distance of the page. */
const maxLeadingRatio = 1.35;
/** The minimum number of line distances from which the usual line distance is determined. */
const minLeadings = 4;
/** The factor by which a line distance in a paragraph may exceed the line distances before and after it. */
const maxLeadingChange = 1.18;
/**
 * The same factor relative to the lines between which a text continues, the factor if the distances of these lines are
 * equal, and the minimum number of such lines.
 */
const maxLeadingOfText = 1.3;
const maxLeadingOfEven = 1.2;
const minSentences = 3;
/** The maximum difference between equal line distances, as a share of the font size. */
const sameLeading = 0.04;
/** Finds the distances between lines at which a paragraph ends. */
export class Leadings {
  readonly #max: number;
  /** The maximum distance between lines of a text in each chain. */
  readonly #limits = new Map<Chain, number>();
  /** The maximum distance after a sentence of ideographs, as a factor of the font size. */
  readonly #limitOfIdeographs: number;

  /** @param chains all chains of the page; the usual line distance is determined from them */
  constructor(chains: readonly Chain[]) {
    this.#max = Math.min(maxLeading, maxLeadingRatio * usualLeading(chains));
    for (const chain of chains) this.#limits.set(chain, limitOfText(chain));
    const pairs = chains.flatMap((chain) =>
      chain.flatMap((line, index) =>
        index > 0 && continuesInIdeographs(chain[index - 1]!, line) ? [leadingTo(chain, index)] : [],
      ),
    );
    const isKnown = pairs.length >= minSentences;
    this.#limitOfIdeographs = isKnown ? maxLeadingOfText * median(pairs) : Number.POSITIVE_INFINITY;
  }

  /** Whether the line above line `index` is too near or too far away for a line of the same paragraph. */
  separate(chain: Chain, index: number): boolean {
    const [above, line] = [chain[index - 1]!, chain[index]!];
    const drop = above.baseline - line.baseline;
    const size = Math.max(above.size, line.size);
    if (drop < minLeading * size || drop > maxLeading * size || hasWiderLeading(chain, index)) return true;
    const leading = leadingTo(chain, index);
    if (/[。．]$/u.test(above.text) && leading > this.#limitOfIdeographs) return true;
    return drop > this.#max * size || leading > this.#limits.get(chain)!;
  }
}

/** Whether a line and the line above it are at equal distances from the lines above them. */
export function hasSameLeading(chain: Chain, index: number, other: number): boolean {
  return Math.abs(leadingTo(chain, index) - leadingTo(chain, other)) < sameLeading;
}

/**
 * Returns the maximum distance between lines of a text in a chain, as a factor of the font size. It is determined from
 * the lines between which a text continues; infinity if there are too few of them.
 */
function limitOfText(chain: Chain): number {
  const leadings = chain.slice(1).flatMap((line, index) => {
    const above = chain[index]!;
    const isOne = continues(above.text, line.text) || isOpen(above.text, line.text);
    return isOne ? [leadingTo(chain, index + 1)] : [];
  });
  if (leadings.length < minSentences) return Number.POSITIVE_INFINITY;
  const isEqual = greatest(leadings) - least(leadings) < sameLeading;
  return (isEqual ? maxLeadingOfEven : maxLeadingOfText) * median(leadings);
}

/** Returns the distance of a line to the line above it, as a factor of the font size. */
function leadingTo(chain: Chain, index: number): number {
  const [above, line] = [chain[index - 1]!, chain[index]!];
  return (above.baseline - line.baseline) / line.size;
}

function usualLeading(chains: readonly Chain[]): number {
  const leadings = chains.flatMap((chain) =>
    chain.slice(1).flatMap((line, index) => {
      const above = chain[index]!;
      const leading = (above.baseline - line.baseline) / Math.max(above.size, line.size);
      const isText = above.right - above.left > 8 * above.size && above.hasLetters;
      return isText && leading > minLeading && leading < maxLeading ? [leading] : [];
    }),
  );
  return leadings.length < minLeadings ? Math.max(1.2, median(leadings)) : median(leadings);
}

/** Whether the distance from a line to the previous line is greater than the distances before and after this one. */
function hasWiderLeading(chain: Chain, index: number): boolean {
  const dropTo = (at: number) => {
    const [above, line] = [chain[at - 1], chain[at]];
    return above && line ? above.baseline - line.baseline : Number.POSITIVE_INFINITY;
  };
  const { size } = chain[index]!;
  const neighbors = [index - 1, index + 1].filter((at) => {
    const other = chain[at === index - 1 ? at - 1 : at];
    return other && Math.abs(other.size - size) < 0.25 * size;
  });
  return dropTo(index) > maxLeadingChange * least(neighbors.map(dropTo)) + 0.4;
}
