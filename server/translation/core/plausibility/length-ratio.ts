import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { weightedLength } from './script.ts';
import { critical, type TextPair } from './text-pair.ts';

/**
 * Returns an issue if a translation is far too short or too long. Lengths are converted to Latin letters, so that one
 * pair of bounds fits all languages.
 */
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

/**
 * The factor by which the bounds of a message with plural branches are wider: Arabic has six forms where Japanese has
 * one.
 */
const branchings = 4;

/** The length in Latin letters from which the differences between single sentences balance out. */
const long = 600;

/**
 * Returns the minimum and maximum length of a translation. If the source has some hundred letters, real translations
 * have half to one and a half times its length; shorter texts differ more. The factor `slack` widens the bounds.
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
