import { clip } from '#server/formats/text.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { Engine, QualityIssue, Translations, Verification } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import type { AgentRun, AgentStep, HumanReviewTask, QualityGate } from '../agent-run-schema.ts';
import { termGate } from '../leverage/terms.ts';
import type { RiskFlag } from '../plausibility/index.ts';
import type { FastPath } from './fast-path.ts';
import { blocking, type Policy, type Reason } from './policy.ts';
import type { Assessed } from './run.ts';
import { describeRisks, isSuspicious } from './task-risks.ts';

/** The share of a text that repairs may change without requiring a review. Segments have no such limit. */
const highRepairDelta = 0.5;

/** A translation that the gate decides on. */
export interface Judged {
  /** The judgement before repairs. */
  first: Assessed;
  /** The judgement of the final text; the same object if no repair was applied. */
  final: Assessed;
  /** Null if the policy of the run has no verification. */
  verification: Verification | null;
  /** Risk flags of the task. They are warnings, unless the workspace demands a review of suspected instructions. */
  risks: readonly RiskFlag[];
  /** Set if no language model has judged. */
  withoutJudge?: Engine['withoutJudge'];
}

/**
 * Decides whether a translation is published without review. Records every trigger; if a trigger blocks, the
 * translation is sent to review. A stored translation has a score of 100, and only the request can require its review.
 * @param judged null for a stored translation
 */
export function decideGate(
  policy: Policy,
  judged: Judged | null,
  served: Pick<FastPath, 'name' | 'compliance'> | null = null,
): QualityGate {
  const found = judged
    ? [...policy.rules, ...unjudgedReasons(judged), ...reasonsOf(policy, judged)]
    : policy.rules;
  const compliance = (judged?.final ?? served)?.compliance ?? null;
  return {
    decision: found.some(isBlocking) ? 'needs_human' : 'pass',
    score: judged ? scoreOf(judged) : 100,
    threshold: policy.threshold,
    triggers: found.map(({ trigger }) => trigger),
    reasons: found.map(({ reason }) => reason),
    metadata: {
      assessment_score: judged?.first.judgement.score ?? null,
      verification_score: judged?.verification?.score ?? null,
      verification_passed: judged?.verification?.passed ?? null,
      risk_flags: [...policy.flags, ...(judged?.risks ?? [])],
      trigger_codes: found.map(({ trigger }) => trigger.code),
      terminology_gate: compliance && termGate(compliance),
      repaired: judged !== null && judged.final !== judged.first,
      ...(served && { fast_path: served.name }),
    },
  };
}

/** States that no model has judged. This is not a fault of the translation, so it makes none doubtful. */
function unjudgedReasons({ withoutJudge }: Judged): Reason[] {
  if (!withoutJudge) return [];
  const severity = withoutJudge === 'review' ? 'blocking' : 'warning';
  const reason =
    'no language model has judged the translation: its score is computed from the checks of the service';
  return [{ trigger: { code: 'policy_required', severity }, reason }];
}

/** Whether the gate would send a translation to review as it is. Then a repair may help. */
export function isDoubtful(policy: Policy, candidate: Assessed): boolean {
  const judged = { first: candidate, final: candidate, verification: null, risks: [] };
  return reasonsOf(policy, judged).some(isBlocking);
}

function isBlocking({ trigger }: Reason): boolean {
  return trigger.severity === 'blocking';
}

function scoreOf({ final, verification }: Judged): number {
  return Math.min(final.judgement.score, verification?.score ?? 100);
}

function reasonsOf(policy: Policy, judged: Judged): Reason[] {
  const { first, final, verification } = judged;
  const found: Reason[] = [];
  const score = scoreOf(judged);
  if (score < policy.threshold)
    found.push(blocking('low_quality_score', `the quality score ${score} is below ${policy.threshold}`));
  const issues = verification ? [...final.judgement.issues, ...verification.issues] : final.judgement.issues;
  const criticals = criticalsOf(issues);
  if (criticals.length > 0) found.push(blocking('critical_issue', describeCriticals(criticals)));
  if (final.tagged?.lostTags)
    found.push(blocking('critical_issue', 'the positions of the inline tags of the segment are guessed'));
  if (verification && !verification.passed) {
    const why = criticalsOf(verification.issues).length > 0 ? ': critical issues remain' : '';
    found.push(blocking('verification_failed', `the verification did not pass${why}`));
  }
  const isRated = !policy.judgesEach && final !== first;
  const delta = isRated ? repairDelta(first.translations, final.translations) : 0;
  const changed = `repair changed ${Math.round(delta * 100)}% of the translation`;
  if (delta > highRepairDelta) found.push(blocking('high_repair_delta', changed));
  if (final.assembledFrom?.length && final.of.leverage.reviewsSentences)
    found.push(
      blocking(
        'policy_required',
        'the workspace requires a review of translations that are made of sentences of the translation memory',
      ),
    );
  found.push(...termReasons(policy, final), ...riskReasons(judged));
  return found;
}

/**
 * Returns the explanations of critical issues, without duplicates: assessment and verification find the same issues.
 */
function criticalsOf(issues: readonly QualityIssue[]): string[] {
  const criticals = issues.filter(({ severity }) => severity === 'critical');
  if (criticals.length === 0) return [];
  return [...new Set(criticals.map(({ explanation }) => explanation.replace(/\.$/, '')))];
}

function describeCriticals([first, ...others]: string[]): string {
  return others.length === 0
    ? `a critical issue was found: ${first}`
    : `${others.length + 1} critical issues were found, the first: ${first}`;
}

function termReasons({ judgesEach }: Policy, { compliance, judgement }: Assessed): Reason[] {
  const found: Reason[] = [];
  if (compliance?.passed === false)
    found.push(blocking('terminology_noncompliant', describeTerms(compliance)));
  else if (judgesEach && judgement.issues.some(({ category }) => category === 'terminology'))
    found.push(blocking('terminology_noncompliant', 'the translation has an issue about its terminology'));
  if (compliance && compliance.inflected_terms.length > 0)
    found.push({
      trigger: { code: 'terminology_uncertainty', severity: 'warning' },
      reason: `glossary terms were found in inflected forms only: ${quoted(compliance.inflected_terms)}`,
    });
  return found;
}

/** Says which terms a translation misses, and which forbidden ones it has and what to use instead. */
function describeTerms({ missing_terms, forbidden_terms = [] }: TermCompliance): string {
  const missing = missing_terms.length > 0 ? [`glossary terms are missing: ${quoted(missing_terms)}`] : [];
  const forbidden = forbidden_terms.slice(0, 10).map(({ term, use }) => {
    const instead = use === null ? '' : `, use ${quoted([use])}`;
    return `the glossary forbids ${quoted([term])}${instead}`;
  });
  return [...missing, ...forbidden].join('; ');
}

/** Returns the first ten terms, clipped. */
function quoted(terms: readonly string[]): string {
  const named = terms.slice(0, 10).map((term) => `“${clip(term, 200)}”`);
  return terms.length > named.length
    ? `${named.join(', ')} and ${terms.length - named.length} more`
    : named.join(', ');
}

function riskReasons({ risks, final }: Judged): Reason[] {
  if (risks.length === 0) return [];
  const isReviewed = final.of.leverage.reviewsInstructions && risks.some(isSuspicious);
  const severity = isReviewed ? 'blocking' : 'warning';
  return [{ trigger: { code: 'risk_flag', severity }, reason: describeRisks(risks) }];
}

/** Creates the review task of a gate that does not pass. */
function openReviewTask(gate: QualityGate): HumanReviewTask {
  return {
    id: newId(),
    status: 'open',
    requested_by: 'review_gate_agent',
    reason: gate.reasons.join('; '),
    question: 'Can this translation be published?',
    instructions: null,
    requested_actions: ['save', 'approve', 'modify', 'reject'],
    triggers: gate.triggers,
    completed_by: null,
    created_at: new Date().toISOString(),
    completed_at: null,
    metadata: {},
  };
}

/** Returns the result of a run, depending on its gate: published, or sent to review with a task. */
export function endOf(
  gate: QualityGate,
  steps: AgentStep[],
): { status: 'published' | 'awaiting_review'; agentRun: AgentRun } {
  const passes = gate.decision === 'pass';
  return {
    status: passes ? 'published' : 'awaiting_review',
    agentRun: {
      status: 'completed',
      steps,
      quality_gate: gate,
      human_review_task: passes ? null : openReviewTask(gate),
      error: null,
    },
  };
}

/**
 * Returns how much a repair changed, from 0 (nothing) to 1 (everything): the share of words that only one of the texts
 * has, in any order. In scripts without spaces, each character counts as a word. The time is linear in the texts.
 */
function repairDelta(before: Translations, after: Translations): number {
  const counts = new Map<string, number>();
  let total = 0;
  for (const piece of before.flatMap(pieces)) {
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
    total += 1;
  }
  let common = 0;
  for (const piece of after.flatMap(pieces)) {
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

function pieces(text: string): string[] {
  return text.match(piece) ?? [];
}
