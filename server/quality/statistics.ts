/*
 * The statistics of the quality report: shares with their intervals, the calibration of a score, and the agreement of
 * the judge with people. Pure functions.
 */

/** A share, from 0 to 1, with its interval at a confidence of 95 %. */
export interface Share {
  share: number;
  low: number;
  high: number;
}

/** The quantile of the normal distribution for 95 %. */
const z = 1.96;

/**
 * Returns the interval of Wilson for a share.
 * @param trials the number of independent observations; need not be a whole number, for observations with weights
 */
export function wilson(share: number, trials: number): Share {
  const spread = z ** 2 / trials;
  const middle = (share + spread / 2) / (1 + spread);
  const half = (z / (1 + spread)) * Math.sqrt((share * (1 - share) + spread / 4) / trials);
  return { share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** A text that a person has checked. */
export interface Observation {
  score: number;
  /** Whether the text has what is counted. */
  hit: boolean;
  /** How many texts it represents: 1 divided by the probability with which it was drawn. */
  weight: number;
}

/** The texts with one score. */
export interface Scored {
  score: number;
  texts: number;
}

/** Texts of which some were drawn, independently of others. */
export interface Population {
  texts: readonly Scored[];
  observations: readonly Observation[];
}

/** A stratum with fewer observations joins its neighbor. */
const minStratum = 5;

/** The number of points of a score that a stratum has. */
const stratumPoints = 5;

/**
 * Estimates the share of texts with a property from a sample in which low scores are more frequent than among the
 * texts. The texts of each five points of the score are a stratum, and counts by its number of texts. Intervals of
 * Wilson are combined by the method of variance estimates recovery (Zou and Donner 2008; Yan and Su 2010 for strata).
 * @returns null without observations or texts
 */
export function estimateShare(...populations: readonly Population[]): Share | null {
  const strata = populations.flatMap((population) => joinSmall(strataOf(population)));
  const total = strata.reduce((sum, { size }) => sum + size, 0);
  if (total === 0) return null;
  let [share, below, above, doubt] = [0, 0, 0, 0];
  for (const { size, observed } of strata) {
    if (size === 0) continue;
    if (observed.length === 0) return null;
    const part = size / total;
    const { trials, ...one } = shareOf(observed);
    share += part * one.share;
    below += (part * (one.share - one.low)) ** 2;
    above += (part * (one.high - one.share)) ** 2;
    doubt += part ** 2 / trials;
  }
  // For rare properties, the strata alone give too short an interval.
  const whole = wilson(share, 1 / doubt);
  return {
    share,
    low: Math.max(0, Math.min(whole.low, share - Math.sqrt(below))),
    high: Math.min(1, Math.max(whole.high, share + Math.sqrt(above))),
  };
}

/**
 * Returns the share of observations with the property. With different weights, they count as fewer observations
 * (Kish's effective sample size), `trials`.
 */
export function shareOf(observed: readonly Observation[]): Share & { trials: number } {
  let [weights, squares, hits] = [0, 0, 0];
  for (const { weight, hit } of observed) {
    weights += weight;
    squares += weight ** 2;
    if (hit) hits += weight;
  }
  const trials = weights ** 2 / squares;
  return { trials, ...wilson(hits / weights, trials) };
}

interface Stratum {
  size: number;
  observed: Observation[];
}

/** Returns the strata in the order of their scores. */
function strataOf({ texts, observations }: Population): Stratum[] {
  const strata = new Map<number, Stratum>();
  const at = (score: number) => {
    const key = Math.min(Math.floor(score / stratumPoints), 100 / stratumPoints - 1);
    const stratum = strata.get(key) ?? { size: 0, observed: [] };
    strata.set(key, stratum);
    return stratum;
  };
  for (const { score, texts: size } of texts) at(score).size += size;
  for (const observation of observations) at(observation.score).observed.push(observation);
  return [...strata].sort(([a], [b]) => a - b).map(([, stratum]) => stratum);
}

function joinSmall(strata: readonly Stratum[]): Stratum[] {
  const joined: Stratum[] = [];
  for (const { size, observed } of strata) {
    const last = joined.at(-1);
    if (last && (last.observed.length < minStratum || observed.length < minStratum)) {
      last.size += size;
      last.observed = last.observed.concat(observed);
    } else joined.push({ size, observed: [...observed] });
  }
  return joined;
}

/** A step of a calibration: scores from `score` on, up to the next step, have this value. */
export interface CalibrationStep {
  score: number;
  /** The estimated share of texts that need no change, from 0 to 1. */
  value: number;
}

/**
 * Calibrates a score by isotonic regression (pool adjacent violators): the value never falls as the score rises.
 * @returns the steps by score; empty without observations
 */
export function calibrate(observations: readonly Observation[]): CalibrationStep[] {
  const byScore = new Map<number, { hits: number; weight: number }>();
  for (const { score, hit, weight } of observations) {
    const sum = byScore.get(score) ?? { hits: 0, weight: 0 };
    byScore.set(score, { hits: sum.hits + (hit ? weight : 0), weight: sum.weight + weight });
  }
  const pools: { score: number; hits: number; weight: number }[] = [];
  for (const [score, sum] of [...byScore].sort(([a], [b]) => a - b)) {
    let pool = { score, ...sum };
    for (
      let last = pools.at(-1);
      last && last.hits * pool.weight >= pool.hits * last.weight;
      last = pools.at(-1)
    ) {
      pools.pop();
      pool = { score: last.score, hits: last.hits + pool.hits, weight: last.weight + pool.weight };
    }
    pools.push(pool);
  }
  return pools.map(({ score, hits, weight }) => ({ score, value: hits / weight }));
}

/**
 * Measures the agreement of the judge with people: the probability that of two texts, one with the property and one
 * without, the first has the higher score (the area under the ROC curve; ties count half). 0.5 is chance. The interval is
 * that of Hanley and McNeil (1982).
 * @returns null if all observations agree
 */
export function agreementOf(observations: readonly Observation[]): Share | null {
  const sorted = [...observations].sort((a, b) => a.score - b.score);
  let [pairs, hits, misses] = [0, 0, 0];
  for (let from = 0; from < sorted.length; ) {
    let [tiedHits, tiedMisses] = [0, 0];
    const { score } = sorted[from] as Observation;
    for (; sorted[from]?.score === score; from++)
      (sorted[from] as Observation).hit ? tiedHits++ : tiedMisses++;
    pairs += tiedHits * (misses + tiedMisses / 2);
    hits += tiedHits;
    misses += tiedMisses;
  }
  if (hits === 0 || misses === 0) return null;
  const area = pairs / (hits * misses);
  const [q1, q2] = [area / (2 - area), (2 * area ** 2) / (1 + area)];
  const variance =
    (area * (1 - area) + (hits - 1) * (q1 - area ** 2) + (misses - 1) * (q2 - area ** 2)) / (hits * misses);
  const half = z * Math.sqrt(Math.max(0, variance));
  return { share: area, low: Math.max(0, area - half), high: Math.min(1, area + half) };
}
