import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { weightedLength } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/** A translation far too short or too long. Lengths are weighted to Latin letters, so that one pair of bounds fits all languages. */
export function lengthIssue({ source, target, branching }: TextPair): QualityIssue | undefined {
  const from = weightedLength(source);
  const to = weightedLength(target);
  if (from === 0) return undefined;
  if (to === 0) return critical('accuracy', 'The translation is empty.');
  const { least, most } = bounds(from, branching ? branchings : 1);
  if (to < least)
    return critical('accuracy', `The translation is far too short: ${percent(to, from)}.`, target);
  if (to > most) return critical('accuracy', `The translation is far too long: ${percent(to, from)}.`);
  return undefined;
}

/** The wider bounds of a message with plural branches: Arabic has six forms where Japanese has one. */
const branchings = 4;

/** From this length on, in Latin letters, the differences between sentences even out. */
const long = 600;

/**
 * Minimum and maximum length of a translation. Real ones have half to one and a half times the length of a source with some
 * hundred letters; shorter ones differ more. `slack` widens the bounds by that factor.
 */
export function bounds(from: number, slack = 1): { least: number; most: number } {
  const short = Math.min(from, long);
  const rest = from - short;
  const least = 0.42 * short - 7.5 + 0.55 * rest;
  const most = 2 * short + 30 + 1.7 * rest;
  return { least: least / slack, most: most * slack };
}

function percent(to: number, from: number): string {
  return `about ${Math.round((100 * to) / from)}% of the expected length`;
}
