import { landmarks, rarityOf, type Side, sideOf } from './anchors.ts';
import { bandOf, blocksOf, type Place, smoothed } from './band.ts';

/** Texts that belong together: some texts of the source and their translation, by index. */
export interface Link {
  /** The indexes of the first text and after the last one. Both are equal if no text corresponds. */
  sources: [start: number, end: number];
  targets: [start: number, end: number];
  /** The probability that exactly these texts belong together, from 0 to 1. */
  confidence: number;
}

/** The maximum number of texts of a side: these take 300 MB. */
export const maxSentences = 20_000;

export interface Alignment {
  /** In order, without gaps. */
  links: Link[];
  /** Whether the texts are a document and its translation, and not two documents. */
  belongTogether: boolean;
}

/**
 * How often texts of the source are translated as texts of the target (Gale and Church, 1993). Two texts for two are left
 * out: they would take the place of two links.
 */
const kinds = [
  { sources: 1, targets: 1, share: 0.895 },
  { sources: 1, targets: 0, share: 0.005 },
  { sources: 0, targets: 1, share: 0.005 },
  { sources: 2, targets: 1, share: 0.045 },
  { sources: 1, targets: 2, share: 0.045 },
  { sources: 3, targets: 1, share: 0.0025 },
  { sources: 1, targets: 3, share: 0.0025 },
].map((kind) => ({ ...kind, prior: Math.log(kind.share) }));

/** A word in Katakana, which is often that of another language. */
const hasKatakana = /\p{sc=Kana}{3}/u;
/** The variance of the length of a translation, for each character of the source (Gale and Church, 1993). */
const variance = 6.8;
/**
 * The logarithm of a probability for each paragraph that starts inside of a link. Usually one file has a heading more; but a
 * page of a PDF can divide a sentence.
 */
const crossing = Math.log(0.002);
/** The logarithm of the least probability of a length: a label can have a much longer translation. */
const leastLikely = -12;
/**
 * Links with a lower confidence are joined with uncertain neighbors, up to a number of texts, if this makes them certain and if it
 * is most likely that each text has a partner.
 */
const certain = 0.9;
const mostLikely = 0.5;
const maxJoined = 8;
/** The logarithm of a probability for each bit: added for a common anchor, subtracted for a strong one that is missing. */
const worthOfBit = { common: 0.5, missing: 0.15 };
/**
 * Aligns the texts of a document with those of its translation, which are in the same order: by their lengths (Gale and
 * Church, 1993) and by the numbers, names and similar words that they have in common. The confidence of a link is its
 * posterior probability, by the forward-backward algorithm.
 * @param opening the indexes of the texts that open a paragraph, if known
 */
export function alignTexts(
  sources: readonly string[],
  targets: readonly string[],
  opening?: { sources: ReadonlySet<number>; targets: ReadonlySet<number> },
): Alignment {
  const sounds = [...sources, ...targets].some((text) => hasKatakana.test(text));
  const from = sources.map((text, index) => sideOf(text, opening?.sources.has(index), sounds));
  const to = targets.map((text, index) => sideOf(text, opening?.targets.has(index), sounds));
  const marks = smoothed(landmarks(from, to));
  const model = { rarity: rarityOf(from, to), ratio: ratioOf(from, to, marks) };
  const links = blocksOf(marks, [from.length, to.length]).flatMap(({ start, end, inner }) => {
    const [row, column] = start;
    const lattice = new Lattice(from.slice(row, end[0]), to.slice(column, end[1]), {
      ...model,
      landmarks: inner.map(([source, target]) => [source - row, target - column]),
    });
    return lattice.links(opening !== undefined).map(
      ({ sources, targets, confidence }): Link => ({
        sources: [sources[0] + row, sources[1] + row],
        targets: [targets[0] + column, targets[1] + column],
        confidence,
      }),
    );
  });
  return { links, belongTogether: belongTogether(links, from, to) };
}

/**
 * Limits of texts that belong together. `agreement`: the share of strong anchors that linked texts have in common; of 336
 * pages of a manual in four languages the least was 0.56, and with another page 0.35 the highest. Between `agreement` and
 * `little`, as of a PDF and a page without its section numbers, the share of `confident` links decides, as with fewer than
 * `anchors`. A PDF and its translation had 0.59 of the links that have two sides. With fewer than `many` anchors, `nearlyAll`
 * must be certain: other short pages of the manual had up to 0.89.
 */
const together = {
  ...{ anchors: 8, many: 100, agreement: 0.4, little: 0.2 },
  ...{ confident: 0.9, share: 0.8, shareOfPairs: 0.5, nearlyAll: 0.95 },
};

function belongTogether(links: readonly Link[], from: readonly Side[], to: readonly Side[]): boolean {
  let [common, all, confident, pairs] = [0, 0, 0, 0];
  for (const { sources, targets, confidence } of links) {
    const [ours, theirs] = [strongKeys(from.slice(...sources)), strongKeys(to.slice(...targets))];
    all += ours.size + theirs.size;
    common += 2 * ours.intersection(theirs).size;
    if (sources[0] === sources[1] || targets[0] === targets[1]) continue;
    pairs += 1;
    if (confidence >= together.confident) confident += 1;
  }
  if (all < together.anchors) return links.length > 0 && confident / links.length >= together.share;
  const agreement = common / all;
  if (agreement >= together.agreement) return true;
  const share = all >= together.many ? together.shareOfPairs : together.nearlyAll;
  return agreement >= together.little && confident / pairs >= share;
}

function strongKeys(side: readonly Side[]): Set<string> {
  return new Set(
    side.flatMap(({ anchors }) => anchors.flatMap(({ key, isStrong }) => (isStrong ? key : []))),
  );
}

/** The cells of the alignment, one for each number of texts that are used on both sides, near the expected path. */
class Lattice {
  readonly logProbability: number;
  readonly #from: readonly Side[];
  readonly #to: readonly Side[];
  /** For each row, the first column of the band. */
  readonly #first: Int32Array;
  readonly #width: number;
  /** The length of the target for each character of the source. */
  readonly #ratio: number;
  readonly #forward: Float64Array;
  /** The logarithm of the probability of each step into each cell. */
  readonly #steps: Float32Array;

  constructor(
    from: readonly Side[],
    to: readonly Side[],
    {
      rarity,
      ratio,
      landmarks,
    }: { rarity: ReadonlyMap<string, number>; ratio: number; landmarks: readonly Place[] },
  ) {
    this.#from = from;
    this.#to = to;
    const { first, width } = bandOf([from.length, to.length], landmarks);
    this.#ratio = ratio;
    this.#first = first;
    this.#width = width;
    const cells = (from.length + 1) * width;
    this.#forward = new Float64Array(cells).fill(Number.NEGATIVE_INFINITY);
    this.#steps = new Float32Array(cells * kinds.length).fill(Number.NEGATIVE_INFINITY);
    this.#fill(rarity);
    this.logProbability = this.#forward[this.#cell(from.length, to.length)]!;
  }

  /** Returns the index of a cell; -1 outside of the band. */
  #cell(row: number, column: number): number {
    const at = column - this.#first[row]!;
    return at < 0 || at >= this.#width ? -1 : row * this.#width + at;
  }

  #columns(row: number): [first: number, last: number] {
    const first = this.#first[row]!;
    return [Math.max(0, first), Math.min(this.#to.length, first + this.#width - 1)];
  }

  #fill(rarity: ReadonlyMap<string, number>): void {
    const [from, to] = [this.#from, this.#to];
    const [lengthsFrom, lengthsTo] = [
      sumsOf(from.map(({ length }) => length)),
      sumsOf(to.map(({ length }) => length)),
    ];
    const strengthOf = (side: readonly Side[]) => sumsOf(side.map((one) => strongBits(one, rarity)));
    const [strongFrom, strongTo] = [strengthOf(from), strengthOf(to)];
    const openings = (side: readonly Side[]) => sumsOf(side.map(({ opens }) => (opens ? 1 : 0)));
    const [opensFrom, opensTo] = [openings(from), openings(to)];
    /** The number of paragraphs that start inside of the last `count` texts before `end`. */
    const inside = (sums: Float64Array, end: number, count: number) =>
      count > 1 ? sums[end]! - sums[end - count + 1]! : 0;
    const common = this.#commonBits(rarity);
    this.#forward[this.#cell(0, 0)] = 0;
    for (let row = 0; row <= from.length; row++) {
      const [first, last] = this.#columns(row);
      for (let column = first; column <= last; column++) {
        const here = this.#cell(row, column);
        for (const [index, kind] of kinds.entries()) {
          if (kind.sources > row || kind.targets > column) continue;
          const before = this.#cell(row - kind.sources, column - kind.targets);
          if (before < 0 || this.#forward[before] === Number.NEGATIVE_INFINITY) continue;
          let bits = 0;
          let strong = 0;
          for (let a = row - kind.sources + 1; a <= row; a++)
            for (let b = column - kind.targets + 1; b <= column; b++) {
              const cell = this.#cell(a, b);
              if (cell < 0) continue;
              bits += common.all[cell]!;
              if (a > row - kind.sources + 1) bits -= common.again.source[cell]!;
              if (b > column - kind.targets + 1) bits -= common.again.target[cell]!;
              strong += common.strong[cell]!;
            }
          const all =
            strongFrom[row]! -
            strongFrom[row - kind.sources]! +
            strongTo[column]! -
            strongTo[column - kind.targets]!;
          const step =
            kind.prior +
            crossing * (inside(opensFrom, row, kind.sources) + inside(opensTo, column, kind.targets)) +
            likelihood(
              lengthsFrom[row]! - lengthsFrom[row - kind.sources]!,
              lengthsTo[column]! - lengthsTo[column - kind.targets]!,
              this.#ratio,
            ) +
            worthOfBit.common * bits -
            worthOfBit.missing * Math.max(0, all - 2 * strong);
          this.#steps[here * kinds.length + index] = step;
          this.#forward[here] = addLogs(this.#forward[here]!, this.#forward[before]! + step);
        }
      }
    }
  }

  /**
   * Returns the bits of the anchors that two texts have in common, for each cell: of all, of the strong ones, and of those
   * that the text before has again, which count once in a link of both.
   */
  #commonBits(rarity: ReadonlyMap<string, number>) {
    const bits = () => new Float32Array(this.#forward.length);
    const common = { all: bits(), strong: bits(), again: { source: bits(), target: bits() } };
    const places = new Map<string, number[]>();
    const placesOf = (key: string): number[] => {
      const known = places.get(key) ?? [];
      if (known.length === 0) places.set(key, known);
      return known;
    };
    for (const [index, { anchors }] of this.#to.entries())
      for (const { key } of anchors) if (rarity.has(key)) placesOf(key).push(index);
    let before = new Set<string>();
    for (const [index, { anchors }] of this.#from.entries()) {
      for (const { key, isStrong } of anchors) {
        const targets = placesWithin(places.get(key) ?? [], this.#columns(index + 1));
        const worth = rarity.get(key) ?? 0;
        const isAgain = before.has(key);
        for (const [at, target] of targets.entries()) {
          const cell = this.#cell(index + 1, target + 1);
          if (cell < 0) continue;
          common.all[cell]! += worth;
          if (isStrong) common.strong[cell]! += worth;
          if (isAgain) common.again.source[cell]! += worth;
          if (targets[at - 1] === target - 1) common.again.target[cell]! += worth;
        }
      }
      before = new Set(anchors.map(({ key }) => key));
    }
    return common;
  }

  /**
   * Returns the most likely path with the posterior probability of each step.
   * @param joins whether uncertain links of a paragraph become one
   */
  links(joins: boolean): Link[] {
    const backward = new Float64Array(this.#forward.length).fill(Number.NEGATIVE_INFINITY);
    backward[this.#cell(this.#from.length, this.#to.length)] = 0;
    for (let row = this.#from.length; row >= 0; row--) {
      const [first, last] = this.#columns(row);
      for (let column = last; column >= first; column--) {
        const here = this.#cell(row, column);
        if (backward[here] === Number.NEGATIVE_INFINITY) continue;
        for (const [index, kind] of kinds.entries()) {
          const step = this.#steps[here * kinds.length + index]!;
          if (step === Number.NEGATIVE_INFINITY) continue;
          const before = this.#cell(row - kind.sources, column - kind.targets);
          backward[before] = addLogs(backward[before]!, backward[here]! + step);
        }
      }
    }
    const links: Link[] = [];
    let [row, column] = [0, 0];
    // The path of the highest posteriors, from the start: each step leads to a cell with a way to the end.
    const best = this.#bestSums(backward);
    while (row < this.#from.length || column < this.#to.length) {
      const next = best(row, column);
      links.push({
        sources: [row, row + next.sources],
        targets: [column, column + next.targets],
        confidence: next.confidence,
      });
      row += next.sources;
      column += next.targets;
    }
    return joins ? this.#joined(links, backward) : links;
  }

  /**
   * Joins neighboring links of a paragraph that are uncertain only because each could end elsewhere: if it is certain that
   * their texts belong together, they are one link.
   */
  #joined(links: readonly Link[], backward: Float64Array): Link[] {
    const isUncertain = (link: Link | undefined) => link !== undefined && link.confidence < certain;
    const all: Link[] = [];
    for (let index = 0; index < links.length; ) {
      let joined = links[index]!;
      let next = index + 1;
      for (let last = index + 1; isUncertain(links[index]) && isUncertain(links[last]); last++) {
        const { sources, targets } = links[last]!;
        const link = {
          sources: [joined.sources[0], sources[1]] as Place,
          targets: [joined.targets[0], targets[1]] as Place,
        };
        const opens = (side: readonly Side[], [start, end]: Place) =>
          side.slice(start + 1, end).some((one) => one.opens);
        if (sources[1] - link.sources[0] > maxJoined || targets[1] - link.targets[0] > maxJoined) break;
        if (opens(this.#from, link.sources) || opens(this.#to, link.targets)) break;
        const confidence = this.#probabilityOf(link, backward, false);
        if (confidence < certain || this.#probabilityOf(link, backward, true) < mostLikely) continue;
        joined = { ...link, confidence };
        next = last + 1;
        break;
      }
      all.push(joined);
      index = next;
    }
    return all;
  }

  /**
   * Returns the probability that some texts start and end together.
   * @param areAllPaired whether each must have a partner, too
   */
  #probabilityOf(
    { sources: [row, lastRow], targets: [column, lastColumn] }: Pick<Link, 'sources' | 'targets'>,
    backward: Float64Array,
    areAllPaired: boolean,
  ): number {
    const start = this.#cell(row, column);
    const inside = new Map([[start, this.#forward[start]!]]);
    for (let a = row; a <= lastRow; a++)
      for (let b = column; b <= lastColumn; b++)
        for (const [index, kind] of kinds.entries()) {
          const [here, before] = [this.#cell(a, b), this.#cell(a - kind.sources, b - kind.targets)];
          if (
            (areAllPaired && (kind.sources === 0 || kind.targets === 0)) ||
            here < 0 ||
            a - kind.sources < row ||
            b - kind.targets < column
          )
            continue;
          const way =
            (inside.get(before) ?? Number.NEGATIVE_INFINITY) + this.#steps[here * kinds.length + index]!;
          if (way > Number.NEGATIVE_INFINITY)
            inside.set(here, addLogs(inside.get(here) ?? Number.NEGATIVE_INFINITY, way));
        }
    const end = this.#cell(lastRow, lastColumn);
    return Math.min(
      1,
      Math.exp((inside.get(end) ?? Number.NEGATIVE_INFINITY) + backward[end]! - this.logProbability),
    );
  }

  /** Returns a function that returns the first step of the path from a cell to the end with the highest sum of posteriors. */
  #bestSums(backward: Float64Array) {
    const sums = new Float64Array(this.#forward.length).fill(-1);
    const chosen = new Int8Array(this.#forward.length).fill(-1);
    const posteriors = new Float32Array(this.#forward.length);
    sums[this.#cell(this.#from.length, this.#to.length)] = 0;
    for (let row = this.#from.length; row >= 0; row--) {
      const [first, last] = this.#columns(row);
      for (let column = last; column >= first; column--) {
        const here = this.#cell(row, column);
        for (const [index, kind] of kinds.entries()) {
          if (row + kind.sources > this.#from.length || column + kind.targets > this.#to.length) continue;
          const after = this.#cell(row + kind.sources, column + kind.targets);
          if (after < 0 || sums[after]! < 0) continue;
          const step = this.#steps[after * kinds.length + index]!;
          const posterior = Math.exp(this.#forward[here]! + step + backward[after]! - this.logProbability);
          // A link of several texts counts as much as the links that it replaces.
          const sum = sums[after]! + posterior * (kind.sources + kind.targets);
          if (sum <= sums[here]!) continue;
          sums[here] = sum;
          chosen[here] = index;
          posteriors[here] = posterior;
        }
      }
    }
    return (row: number, column: number) => {
      const here = this.#cell(row, column);
      return { ...kinds[chosen[here]!]!, confidence: Math.min(1, posteriors[here]!) };
    };
  }
}

/** Number of landmarks whose texts are enough to compare the lengths of both languages. */
const enoughLandmarks = 10;

/** Compares the lengths of the texts at landmarks, because one of the files may lack a chapter; otherwise of all texts. */
function ratioOf(from: readonly Side[], to: readonly Side[], landmarks: readonly [number, number][]): number {
  const isEnough = landmarks.length >= enoughLandmarks;
  const sides = isEnough
    ? [landmarks.map(([source]) => from[source]!), landmarks.map(([, target]) => to[target]!)]
    : [from, to];
  const [ours, theirs] = sides.map((side) => Math.max(1, sumsOf(side.map(({ length }) => length)).at(-1)!));
  return theirs! / ours!;
}

/** Returns the ascending places that are in some columns. All texts can have the same words: so they are not all read. */
function placesWithin(places: readonly number[], [first, last]: [number, number]): readonly number[] {
  if (places.length < 8) return places;
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (places[middle]! + 1 < first) low = middle + 1;
    else high = middle;
  }
  return places.slice(low, low + last - first + 1).filter((place) => place < last);
}

function strongBits({ anchors }: Side, rarity: ReadonlyMap<string, number>): number {
  return anchors.reduce((sum, { key, isStrong }) => sum + (isStrong ? (rarity.get(key) ?? 0) : 0), 0);
}

/** Returns the sums of the first numbers: of none, of one, of two and so on. */
function sumsOf(numbers: readonly number[]): Float64Array {
  const sums = new Float64Array(numbers.length + 1);
  for (const [index, number] of numbers.entries()) sums[index + 1] = sums[index]! + number;
  return sums;
}

/** Returns the logarithm of the probability of a translation of this length, or of one that deviates more. */
function likelihood(source: number, target: number, ratio: number): number {
  // A text without a partner may have any length: a file may lack a whole chapter.
  if (source === 0 || target === 0) return 0;
  const expected = source * ratio;
  const deviation = Math.abs(target - expected) / Math.sqrt(variance * Math.max(1, (expected + target) / 2));
  return Math.max(leastLikely, Math.log(2) + logTail(deviation));
}

/** Returns the logarithm of the share of a normal distribution above a deviation (Abramowitz and Stegun, 26.2.17). */
function logTail(deviation: number): number {
  const t = 1 / (1 + 0.2316419 * deviation);
  const polynomial =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return Math.log(polynomial) - (deviation * deviation) / 2 - Math.log(Math.sqrt(2 * Math.PI));
}

function addLogs(a: number, b: number): number {
  if (a === Number.NEGATIVE_INFINITY) return b;
  const [high, low] = a > b ? [a, b] : [b, a];
  return high + Math.log1p(Math.exp(low - high));
}
