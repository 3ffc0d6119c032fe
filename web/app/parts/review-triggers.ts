import type { HumanReviewTrigger } from '#sdk/types.ts';

/** The code of a reason for which a text needs a review. */
export type TriggerCode = HumanReviewTrigger['code'];

/** The message with the name of each code. */
const names = {
  policy_required: 'review.policy_required',
  low_quality_score: 'review.low_quality_score',
  critical_issue: 'review.critical_issue',
  terminology_uncertainty: 'review.terminology_uncertainty',
  terminology_noncompliant: 'review.terminology_noncompliant',
  sensitive_content: 'review.sensitive_content',
  high_repair_delta: 'review.high_repair_delta',
  verification_failed: 'review.verification_failed',
  risk_flag: 'review.risk_flag',
} as const satisfies Record<TriggerCode, string>;

/** All codes, in the order of the filters. */
export const triggerCodes = Object.keys(names) as TriggerCode[];

/** Returns the name of a code in the interface language; of a code that a later version has added, the code. */
export function triggerName(code: string, t: (id: (typeof names)[TriggerCode]) => string): string {
  const known = triggerCodes.find((one) => one === code);
  return known ? t(names[known]) : code;
}
