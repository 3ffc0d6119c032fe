import { clip } from '#server/formats/text.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { Judgement, QualityIssue, Verification } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import type {
  AgentRun,
  AgentStep,
  HumanReviewTask,
  HumanReviewTrigger,
  QualityGate,
  TriggerCode,
} from '../agent-run-schema.ts';
import { isRegulated } from '../intake/regulated-domain.ts';
import { termGate } from '../leverage/terms.ts';
import type { RiskFlag } from '../plausibility/index.ts';
import type { TextRequest } from '../request.ts';
import type { FastPath } from './fast-path.ts';
import { describeRisks, isSuspicious } from './task-risks.ts';

/** The share of a text that repairs may change without requiring a review. */
const highRepairDelta = 0.5;

const reviewFlags = ['sensitive', 'regulated', 'requires_human_review'] as const;

interface GateInput {
  request: Pick<TextRequest, 'domain' | 'metadata'>;
  /** Threshold from 0 to 100. */
  threshold: number;
  /** The judgement of the baseline. */
  assessment: Pick<Judgement, 'score'>;
  /** The judgement of the final text, after repairs. */
  final: Judgement;
  verification: Verification;
  /** Whether a repair was applied. */
  repaired: boolean;
  /** The share of the text that repairs changed, 0 to 1. */
  repairDelta: number;
  /** Glossary compliance of the final text; null without a glossary. */
  compliance: TermCompliance | null;
  /** Risk flags of the task. They are warnings, unless the workspace demands a review of suspected instructions. */
  risks: readonly RiskFlag[];
  reviewsInstructions: boolean;
}

interface Found {
  trigger: HumanReviewTrigger;
  reason: string;
}

/**
 * Decides whether a translation is published without review. Records every trigger; if a trigger blocks, the
 * translation is sent to review.
 */
export function decideGate(input: GateInput): QualityGate {
  const { request, threshold, final, verification } = input;
  const score = Math.min(final.score, verification.score);
  const found = [
    ...policyTriggers(request),
    ...qualityTriggers(input, score),
    ...termTriggers(input.compliance),
    ...riskTriggers(input),
  ];
  return {
    decision: found.some(({ trigger }) => trigger.severity === 'blocking') ? 'needs_human' : 'pass',
    score,
    threshold,
    triggers: found.map(({ trigger }) => trigger),
    reasons: found.map(({ reason }) => reason),
    metadata: {
      assessment_score: input.assessment.score,
      verification_score: verification.score,
      verification_passed: verification.passed,
      risk_flags: [...flagsOf(request), ...input.risks],
      trigger_codes: found.map(({ trigger }) => trigger.code),
      terminology_gate: input.compliance && termGate(input.compliance),
      repaired: input.repaired,
    },
  };
}

/** Returns the rules by which the request itself requires a review, as sentences: a regulated domain, or a flag. */
export function reviewRulesOf(request: GateInput['request']): string[] {
  return policyTriggers(request).map(({ reason }) => reason);
}

/**
 * Returns the gate of a text that a fast path serves. It passes with score 100, unless the request requires a review.
 */
export function decideFastPathGate(
  request: GateInput['request'],
  threshold: number,
  { name, compliance }: Pick<FastPath, 'name' | 'compliance'>,
): QualityGate {
  const found = policyTriggers(request);
  return {
    decision: found.length > 0 ? 'needs_human' : 'pass',
    score: 100,
    threshold,
    triggers: found.map(({ trigger }) => trigger),
    reasons: found.map(({ reason }) => reason),
    metadata: {
      assessment_score: null,
      verification_score: null,
      verification_passed: null,
      risk_flags: flagsOf(request),
      trigger_codes: found.map(({ trigger }) => trigger.code),
      terminology_gate: compliance && termGate(compliance),
      repaired: false,
      fast_path: name,
    },
  };
}

function flagsOf({ metadata }: Pick<TextRequest, 'metadata'>): string[] {
  return reviewFlags.filter((flag) => Boolean(metadata[flag]));
}

function policyTriggers(request: GateInput['request']): Found[] {
  const found: Found[] = [];
  const { domain } = request;
  const flags = flagsOf(request);
  if (domain !== null && isRegulated(domain)) {
    const named = domain.trim().toLowerCase();
    found.push(blocking('policy_required', `the domain "${named}" always requires a human review`));
  }
  if (flags.length > 0)
    found.push(
      blocking('sensitive_content', `the request requires a review with the options: ${flags.join(', ')}`),
    );
  return found;
}

function qualityTriggers({ threshold, final, verification, repairDelta }: GateInput, score: number): Found[] {
  const found: Found[] = [];
  if (score < threshold)
    found.push(blocking('low_quality_score', `the quality score ${score} is below ${threshold}`));
  const criticals = criticalsOf([...final.issues, ...verification.issues]);
  if (criticals.length > 0) found.push(blocking('critical_issue', describeCriticals(criticals)));
  if (!verification.passed) {
    const why = criticalsOf(verification.issues).length > 0 ? ': critical issues remain' : '';
    found.push(blocking('verification_failed', `the verification did not pass${why}`));
  }
  if (repairDelta > highRepairDelta)
    found.push(
      blocking('high_repair_delta', `repair changed ${Math.round(repairDelta * 100)}% of the translation`),
    );
  return found;
}

/**
 * Returns the explanations of critical issues, without duplicates: assessment and verification find the same issues.
 */
function criticalsOf(issues: readonly QualityIssue[]): string[] {
  const criticals = issues.filter(({ severity }) => severity === 'critical');
  return [...new Set(criticals.map(({ explanation }) => explanation.replace(/\.$/, '')))];
}

function describeCriticals([first, ...others]: string[]): string {
  return others.length === 0
    ? `a critical issue was found: ${first}`
    : `${others.length + 1} critical issues were found, the first: ${first}`;
}

function termTriggers(compliance: TermCompliance | null): Found[] {
  if (!compliance) return [];
  const { missing_terms: missing, inflected_terms: inflected } = compliance;
  const found: Found[] = [];
  if (!compliance.passed)
    found.push(blocking('terminology_noncompliant', `glossary terms are missing: ${quoted(missing)}`));
  if (inflected.length > 0)
    found.push({
      trigger: { code: 'terminology_uncertainty', severity: 'warning' },
      reason: `glossary terms were found in inflected forms only: ${quoted(inflected)}`,
    });
  return found;
}

/** Returns the first ten terms, clipped. */
function quoted(terms: readonly string[]): string {
  const named = terms.slice(0, 10).map((term) => `“${clip(term, 200)}”`);
  return terms.length > named.length
    ? `${named.join(', ')} and ${terms.length - named.length} more`
    : named.join(', ');
}

function riskTriggers({
  risks,
  reviewsInstructions,
}: Pick<GateInput, 'risks' | 'reviewsInstructions'>): Found[] {
  if (risks.length === 0) return [];
  const severity = reviewsInstructions && risks.some(isSuspicious) ? 'blocking' : 'warning';
  return [{ trigger: { code: 'risk_flag', severity }, reason: describeRisks(risks) }];
}

function blocking(code: TriggerCode, reason: string): Found {
  return { trigger: { code, severity: 'blocking' }, reason };
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
