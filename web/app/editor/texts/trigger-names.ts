import type { MessageId } from '../../i18n.tsx';
import type { TriggerCode } from './filters.ts';

/** The labels of the quality gate's reasons. */
export const triggerNames: Record<TriggerCode, MessageId> = {
  policy_required: 'review.policy_required',
  low_quality_score: 'review.low_quality_score',
  critical_issue: 'review.critical_issue',
  terminology_uncertainty: 'review.terminology_uncertainty',
  terminology_noncompliant: 'review.terminology_noncompliant',
  sensitive_content: 'review.sensitive_content',
  high_repair_delta: 'review.high_repair_delta',
  verification_failed: 'review.verification_failed',
  risk_flag: 'review.risk_flag',
};
