import type { Judgement } from '../engine.ts';
import { clipRemark } from './remark.ts';
import { worstIssues } from './worst-issues.ts';

/** How far a text may score above the worst of its groups. */
const graceOverWorst = 10;

/**
 * One judgement of a text that was judged in groups. The score is the mean of the groups' by their weights, in whole
 * points rounded down, yet at most 10 above the worst: in the mean alone nine good groups would hide one that scores
 * below 75, and the text would pass the usual threshold of 85. The worst alone would hold long texts to more than
 * short ones, since some group always scores lowest.
 * @param weights of the judgements, in their order
 */
export function mergeJudgements(judgements: readonly Judgement[], weights: readonly number[]): Judgement {
  const [first, ...more] = judgements;
  if (!first) return { score: 100, issues: [], summary: 'there is no text to judge' };
  if (more.length === 0) {
    const { score, issues, summary } = first;
    return { score, issues, summary };
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = judgements.reduce((total, { score }, index) => total + score * weights[index]!, 0) / sum;
  const worst = Math.min(...judgements.map(({ score }) => score));
  return {
    score: Math.floor(Math.min(mean, worst + graceOverWorst)),
    issues: worstIssues(judgements.flatMap(({ issues }) => issues)),
    summary: clipRemark(judgements.map(({ summary }) => summary).join(' ')),
  };
}
