import type { Judgement, Verification } from '#server/engines/engine.ts';
import type { HumanReviewTrigger, QualityGate, TranslationRequest, TriggerCode } from '../schema.ts';

/** Where `min_quality_score` does not say otherwise (B 2.6). */
const defaultThreshold = 85;

const regulatedDomains = new Set(['finance', 'financial', 'healthcare', 'legal', 'medical', 'pharma']);
const reviewFlags = ['sensitive', 'regulated', 'requires_human_review'] as const;

export interface GateInput {
  request: TranslationRequest;
  assessment: Judgement;
  verification: Verification;
}

/**
 * Decides whether a finished translation publishes by itself (B 2.3). Every trigger is stamped whatever the
 * decision; a blocking one defers to a human.
 */
export function decideGate({ request, assessment, verification }: GateInput): QualityGate {
  const threshold = qualityThreshold(request.metadata);
  const score = Math.min(assessment.score, verification.score);
  const found: { trigger: HumanReviewTrigger; reason: string }[] = [];
  const block = (code: TriggerCode, reason: string) =>
    found.push({ trigger: { code, severity: 'blocking' }, reason });

  const domain = request.domain?.trim().toLowerCase();
  if (domain && regulatedDomains.has(domain))
    block('policy_required', `the domain "${domain}" always needs a human reviewer`);
  const flags = reviewFlags.filter((flag) => Boolean(request.metadata[flag]));
  if (flags.length > 0) block('sensitive_content', `the request is marked ${flags.join(', ')}`);
  if (score < threshold) block('low_quality_score', `the quality score ${score} is below ${threshold}`);
  const critical = [...assessment.issues, ...verification.issues].filter(
    (issue) => issue.severity === 'critical',
  );
  if (critical.length > 0)
    block('critical_issue', `a critical issue was found: ${critical[0]?.explanation ?? ''}`);
  if (!verification.passed) block('verification_failed', 'the verification did not pass');

  return {
    decision: found.length > 0 ? 'needs_human' : 'pass',
    score,
    threshold,
    triggers: found.map(({ trigger }) => trigger),
    reasons: found.map(({ reason }) => reason),
    metadata: {
      assessment_score: assessment.score,
      verification_score: verification.score,
      verification_passed: verification.passed,
      risk_flags: flags,
      trigger_codes: found.map(({ trigger }) => trigger.code),
      terminology_gate: null,
      repaired: false,
    },
  };
}

/** `min_quality_score`, clamped to 0 to 100; a value that is no number counts as absent. */
function qualityThreshold(metadata: Record<string, unknown>): number {
  const asked = metadata['min_quality_score'];
  if (typeof asked !== 'number' || Number.isNaN(asked)) return defaultThreshold;
  return Math.min(100, Math.max(0, asked));
}
