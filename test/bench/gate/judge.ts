import { createHash } from 'node:crypto';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { defaultThreshold } from '#server/translation/pipeline/policy.ts';
import { seededRandom } from '../seeded-random.ts';

/** A simulated judge model. Its judgements depend only on these numbers and on whether a translation has an error. */
export interface Judge {
  name: string;
  /** The probability that it doubts a translation with an error, and one without. */
  hit: number;
  falseAlarm: number;
}

/** The scores of a doubted translation and of one that is not: mean and standard deviation. */
const scores = { doubted: [68, 10], accepted: [94, 3] } as const;

/** `silent` accepts everything with 100, so only the computed checks count. */
export const judges: readonly Judge[] = [
  { name: 'silent', hit: 0, falseAlarm: 0 },
  { name: 'good', hit: 0.85, falseAlarm: 0.03 },
  { name: 'mediocre', hit: 0.5, falseAlarm: 0.08 },
];

export interface Verdict {
  doubts: boolean;
  score: number;
  issues: QualityIssue[];
  passed: boolean;
}

/**
 * Returns the judgement of a text, always the same for the same key. The doubt is that of one judge about one text: it is
 * the same when the text is verified, because a model that overlooks an error mostly does so again. Only the score
 * differs.
 */
export function verdictOf(judge: Judge, key: string, isWrong: boolean, role: string): Verdict {
  if (judge.name === 'silent') return { doubts: false, score: 100, issues: [], passed: true };
  const doubts = randomOf(judge.name, key)() < (isWrong ? judge.hit : judge.falseAlarm);
  const [mean, deviation] = scores[doubts ? 'doubted' : 'accepted'];
  const random = randomOf(judge.name, key, role);
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const score = Math.round(Math.min(100, Math.max(0, mean + deviation * normal)));
  const severity = score < 60 ? 'critical' : score < defaultThreshold ? 'major' : 'minor';
  const issue: QualityIssue = {
    severity,
    category: 'accuracy',
    span: null,
    explanation: 'The meaning differs from the source.',
    suggestion: null,
  };
  return {
    doubts,
    score,
    issues: doubts ? [issue] : [],
    passed: score >= defaultThreshold,
  };
}

function randomOf(...parts: string[]) {
  return seededRandom(createHash('sha256').update(parts.join('\n')).digest().readInt32LE(0));
}
