import type { Translations, TranslationTask } from '#server/platform/engines/engine.ts';
import { isCritical, missesTerms } from '../checks.ts';
import { type Assessed, assessCandidate, repairOnce, type StepDeps } from './agent-steps.ts';
import type { QualityOptions } from './quality-options.ts';

/** The result of the repair loop. */
export interface Repaired {
  best: Assessed;
  /** Number of repairs that the engine made. */
  rounds: number;
  /** Whether `best` is a repaired candidate. */
  applied: boolean;
}

/**
 * Repairs and assesses a translation repeatedly. Stops when the translation is good enough and misses no term, when all
 * rounds are used, or when a repair changes nothing. A repair that is not better is discarded.
 */
export async function repairLoop(
  deps: StepDeps,
  task: TranslationTask,
  assessed: Assessed,
  { threshold, repairRounds }: Pick<QualityOptions, 'threshold' | 'repairRounds'>,
): Promise<Repaired> {
  let best = assessed;
  let rounds = 0;
  const needsRepair = () => best.score < threshold || isCritical(best) || missesTerms(best);
  while (rounds < repairRounds && needsRepair()) {
    rounds += 1;
    const candidate = await repairOnce(deps, task, best, rounds);
    if (isSame(candidate, best.candidate)) break;
    const judged = await assessCandidate(deps, task, candidate, 'reassessment');
    if (isBetter(judged, best)) best = judged;
  }
  return { best, rounds, applied: best !== assessed };
}

function isSame(left: Translations, right: Translations): boolean {
  return left.length === right.length && left.every((text, index) => text === right[index]);
}

/**
 * Compares critical issues first, then missing terms, then scores. So a judge model's score never outweighs a lost
 * placeholder.
 */
function isBetter(candidate: Assessed, than: Assessed): boolean {
  const criticals = ({ issues }: Assessed) => issues.filter(({ severity }) => severity === 'critical').length;
  const missing = ({ compliance }: Assessed) => compliance?.missing_terms.length ?? 0;
  const worse = criticals(candidate) - criticals(than) || missing(candidate) - missing(than);
  return worse === 0 ? candidate.score > than.score : worse < 0;
}

/**
 * Returns how much a repair changed, from 0 (nothing) to 1 (everything): the share of words that only one of the texts
 * has, in any order. In scripts without spaces, each character counts as a word. The time is linear in the texts.
 */
export function repairDelta(before: string, after: string): number {
  if (before === after) return 0;
  const counts = new Map<string, number>();
  let total = 0;
  for (const piece of pieces(before)) {
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
    total += 1;
  }
  let common = 0;
  for (const piece of pieces(after)) {
    total += 1;
    const left = counts.get(piece) ?? 0;
    if (left === 0) continue;
    counts.set(piece, left - 1);
    common += 1;
  }
  return total === 0 ? 0 : 1 - (2 * common) / total;
}

const piece =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]|[\p{L}\p{M}\p{N}]+|[^\s]/gu;

function pieces(text: string): Iterable<string> {
  return text.match(piece) ?? [];
}
