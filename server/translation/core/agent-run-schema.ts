import { z } from 'zod';

export const id = z.string().meta({ description: '32 hexadecimal characters' });
export const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });
const openObject = z.record(z.string(), z.unknown());

export const qualityIssue = z
  .object({
    severity: z
      .enum(['minor', 'major', 'critical'])
      .describe('A `critical` issue blocks publication without a review.'),
    category: z
      .enum(['accuracy', 'fluency', 'terminology', 'style', 'locale'])
      .describe('The kind of problem.'),
    span: z.string().nullable().describe('The affected words; null for the whole text.'),
    explanation: z.string().describe('Description of the problem.'),
    suggestion: z.string().nullable().describe('Proposed wording, if any.'),
  })
  .meta({ id: 'QualityIssue', description: 'A problem that a quality agent or a check found.' });

export const score = z.number().meta({ description: '0 to 100' });
const issues = z.array(qualityIssue).describe('The problems found; may be empty.');

export const qualityAssessment = z
  .object({
    score,
    issues,
    summary: z.string().describe('The verdict in one sentence.'),
    model: z.string().nullish().meta({ description: 'operator only' }),
  })
  .meta({ id: 'QualityAssessment' });

export const refinement = z
  .object({
    score,
    issues,
    applied: z.boolean().describe('Whether the translation was changed.'),
    rounds: z.int().describe('The number of repairs.'),
    summary: z.string().describe('The changes, in one sentence.'),
  })
  .meta({ id: 'Refinement' });

export const verification = z
  .object({
    score,
    issues,
    passed: z.boolean().describe("Whether the source's elements are neither lost nor changed."),
    summary: z.string().describe('The verdict in one sentence.'),
  })
  .meta({ id: 'Verification' });

const stepStatus = z.enum(['pending', 'running', 'completed', 'skipped', 'failed']);

export const toolTrace = z
  .object({
    id,
    tool_name: z.string().describe('The name of the tool.'),
    status: stepStatus.describe('The result.'),
    input_summary: z.string().nullable().describe('The input, abridged.'),
    output_summary: z.string().nullable().describe('The output, abridged.'),
    error: z.string().nullable().describe('The error; null if it did not fail.'),
    started_at: dateTime,
    completed_at: dateTime.nullable().describe('ISO 8601 in UTC; null while in progress.'),
    metadata: openObject.optional().describe('Operator only.'),
  })
  .meta({ id: 'ToolTrace', description: 'A tool that a step used. Trace data, not a contract.' });

/** The source of a glossary term or TM segment. It helps a reviewer to judge how reliable the term or segment is. */
const provenance = z.object({
  set_id: id,
  set_name: z.string().describe('The name of the glossary or TM set.'),
  origin: z
    .enum(['terminology', 'tmx_import', 'golden_approved'])
    .describe('A glossary, an imported TM, or approved translations.'),
  tuid: z.string().nullable().describe('The ID of the unit in its TMX file.'),
  changedate: dateTime.nullable().describe("Time of the unit's last change."),
});

export const agentDecision = z
  .object({
    id,
    label: z.string().describe('The subject of the decision.'),
    outcome: z.string().describe('The decision, such as `tm_exact_held`.'),
    rationale: z.string().nullable().describe('Why.'),
    confidence: z.number().nullable().describe('0 to 1.'),
    created_at: dateTime,
    provenance: provenance.optional().describe('The glossary term or TM segment behind it.'),
    metadata: openObject.optional().describe('Operator only.'),
  })
  .meta({ id: 'AgentDecision', description: 'A decision of a step. Trace data, not a contract.' });

export const agentStep = z
  .object({
    id,
    name: z.string().describe('The name of the step.'),
    actor: z.string().describe('Who acted.'),
    kind: z.enum(['agent', 'tool', 'human', 'system']).describe('The kind of actor.'),
    status: stepStatus.describe('The result.'),
    input_summary: z.string().nullable().describe('The input, abridged.'),
    output_summary: z.string().nullable().describe('The output, abridged.'),
    tool_calls: z.array(toolTrace).describe('The tools used, in order.'),
    decisions: z.array(agentDecision).describe('The decisions, in order.'),
    error: z.string().nullable().describe('The error; null if it did not fail.'),
    started_at: dateTime,
    completed_at: dateTime.nullable().describe('ISO 8601 in UTC; null while in progress.'),
    metadata: openObject.optional().describe('Operator only.'),
  })
  .meta({
    id: 'AgentStep',
    description: 'A step of the pipeline. Its names are trace data, not a contract.',
  });

export const triggerCode = z
  .enum([
    'policy_required',
    'low_quality_score',
    'critical_issue',
    'terminology_uncertainty',
    'terminology_noncompliant',
    'sensitive_content',
    'high_repair_delta',
    'verification_failed',
    'risk_flag',
  ])
  .describe('The reason. The quality gate guide explains each code.');

export const humanReviewTrigger = z
  .object({
    code: triggerCode,
    severity: z
      .enum(['info', 'warning', 'blocking'])
      .describe('`blocking` requires a review; `warning` does not.'),
  })
  .meta({
    id: 'HumanReviewTrigger',
    description: 'A reason to review a translation. Only a blocking one requires it.',
  });

export const qualityGate = z
  .object({
    decision: z.enum(['pass', 'needs_human', 'fail']).describe('`needs_human`: the job awaits review.'),
    score,
    threshold: score,
    triggers: z.array(humanReviewTrigger).describe('All reasons for a review, blocking or not.'),
    reasons: z.array(z.string()).meta({ description: 'one per trigger, in the same order' }),
    metadata: openObject.describe(
      'Scores and checks behind the decision: `assessment_score`, `verification_score`, `verification_passed`, `risk_flags`, `trigger_codes`, `terminology_gate`, `repaired`, and `fast_path` where one served the job.',
    ),
  })
  .meta({
    id: 'QualityGate',
    description:
      'Whether a translation may be published without a review. Branch on `decision`, not on whether the lists are empty.',
  });

export const reviewAction = z.enum(['save', 'approve', 'modify', 'reject']);

export const humanReviewTask = z
  .object({
    id,
    status: z.enum(['open', 'completed', 'cancelled']).describe('`completed` after a review has closed it.'),
    requested_by: z.string().describe('The requester, usually `review_gate_agent`.'),
    reason: z.string().describe('The reason, as readable text.'),
    question: z.string().nullable().describe('The question for the reviewer.'),
    instructions: z.string().nullable().describe('Instructions for the reviewer.'),
    requested_actions: z.array(reviewAction).describe('The actions that the review endpoint accepts.'),
    triggers: z.array(humanReviewTrigger).describe('The reasons that require the review.'),
    completed_by: z
      .string()
      .nullable()
      .describe(
        'The reviewer: email address or user ID of the session, or the name that a caller with an API key sent.',
      ),
    created_at: dateTime,
    completed_at: dateTime.nullable().describe('ISO 8601 in UTC; null while it is open.'),
    metadata: openObject.describe('Further data of the gate.'),
  })
  .meta({ id: 'HumanReviewTask', description: 'A required or completed review of a job.' });

export const agentRun = z
  .object({
    status: stepStatus.describe('The result of the run.'),
    steps: z.array(agentStep).describe('The steps, in order.'),
    quality_gate: qualityGate.nullable().describe('The decision about publication; null before it is made.'),
    human_review_task: humanReviewTask
      .nullable()
      .describe('The review that is required; null if no review is required.'),
    error: z
      .string()
      .nullable()
      .describe('The error; null if the run did not fail. `internal error` for an unexpected fault.'),
  })
  .meta({
    id: 'AgentRun',
    description:
      'The steps and decisions of the job. Branch on `quality_gate.decision` and the status of the job.',
  });

export type AgentRun = z.infer<typeof agentRun>;
export type AgentStep = z.infer<typeof agentStep>;
export type AgentDecision = z.infer<typeof agentDecision>;
export type Provenance = z.infer<typeof provenance>;
export type ToolTrace = z.infer<typeof toolTrace>;
export type QualityGate = z.infer<typeof qualityGate>;
export type HumanReviewTask = z.infer<typeof humanReviewTask>;
export type HumanReviewTrigger = z.infer<typeof humanReviewTrigger>;
export type TriggerCode = z.infer<typeof triggerCode>;
export type ReviewAction = z.infer<typeof reviewAction>;
export type QualityAssessment = z.infer<typeof qualityAssessment>;
export type Refinement = z.infer<typeof refinement>;
export type VerificationResult = z.infer<typeof verification>;
