import { z } from 'zod';
import { claimedVia } from '#server/identity/access/principal.ts';
import { findingStates } from './findings.ts';

export const id = z.string().meta({ description: 'The ID: 32 hexadecimal characters.' });
export const dateTime = z
  .string()
  .meta({ format: 'date-time', description: 'A time in ISO 8601 format, in UTC.' });
const openObject = z.record(z.string(), z.unknown());

export const qualityIssue = z
  .object({
    severity: z
      .enum(['minor', 'major', 'critical'])
      .describe(
        'How serious the problem is. A text with a `critical` issue is not published without a review.',
      ),
    category: z
      .enum(['accuracy', 'fluency', 'terminology', 'style', 'locale'])
      .describe('The kind of problem.'),
    span: z
      .string()
      .nullable()
      .describe('The words to which the problem applies; null if it applies to the whole text.'),
    explanation: z.string().describe('A description of the problem.'),
    suggestion: z
      .string()
      .nullable()
      .describe('A proposal to fix the problem, in words for a reader, or null. It is not a translation.'),
    replacement: z
      .string()
      .nullable()
      .exactOptional()
      .describe(
        'The exact text that fixes the problem in the place of `span`; null or missing if there is none.',
      ),
    id: z
      .string()
      .exactOptional()
      .describe('The ID of the problem in its segment or text, if a review can resolve it.'),
    found_by: z
      .enum(['check', 'recognition'])
      .exactOptional()
      .describe(
        '`check` for a check of the service, `recognition` for the recognition of text in a picture; missing if a model found the problem.',
      ),
    status: z
      .enum(findingStates)
      .exactOptional()
      .describe(
        '`open`; `not_rechecked` if the text has changed since; or how a person has resolved it. Missing for `open` in a job.',
      ),
    resolution: z
      .object({
        by: z.string().nullable().describe('The person; null for an API key without a name.'),
        at: dateTime,
        reason: z.string().nullable().describe('The reason in words, or null.'),
        claimed_via: claimedVia
          .exactOptional()
          .describe(
            'The API key whose client named the person. If absent, the person is a signed-in member.',
          ),
      })
      .exactOptional()
      .describe('Who resolved the problem; missing unless it is resolved.'),
  })
  .meta({
    id: 'QualityIssue',
    description: 'A problem in a translation, which the judge model or a check of the service found.',
  });

export const score = z.number().meta({ description: 'A quality score from 0 to 100.' });
const issues = z.array(qualityIssue).describe('The problems found; may be empty.');

export const qualityAssessment = z
  .object({
    score,
    issues,
    summary: z.string().describe('The result of the check, in one or two sentences.'),
    model: z.string().nullish().meta({ description: 'The judge model. Only operators get this field.' }),
  })
  .meta({ id: 'QualityAssessment' });

export const refinement = z
  .object({
    score,
    issues,
    applied: z.boolean().describe('Whether a repair changed the translation.'),
    rounds: z.int().describe('The number of repairs that were tried.'),
    summary: z.string().describe('The result of the repairs, in one sentence.'),
  })
  .meta({ id: 'Refinement' });

export const verification = z
  .object({
    score,
    issues,
    passed: z
      .boolean()
      .describe('Whether the judge model accepts the translation, and no check found a critical issue.'),
    summary: z.string().describe('The result of the check, in one or two sentences.'),
  })
  .meta({ id: 'Verification' });

const stepStatus = z.enum(['pending', 'running', 'completed', 'skipped', 'failed']);

const toolTrace = z
  .object({
    id,
    tool_name: z.string().describe('The name of the tool that the step used.'),
    status: stepStatus.describe('The state or result.'),
    input_summary: z.string().nullable().describe('A short description of the input.'),
    output_summary: z.string().nullable().describe('A short description of the output.'),
    error: z.string().nullable().describe('The error message; null without an error.'),
    started_at: dateTime,
    completed_at: dateTime
      .nullable()
      .describe('The time at which it ended, ISO 8601 in UTC; null while it is in progress.'),
    metadata: openObject.optional().describe('Further data. Only operators get this field.'),
  })
  .meta({
    id: 'ToolTrace',
    description:
      'The use of a tool in a step of the pipeline. It is meant for people: names and texts may change at any time.',
  });

/** The source of a glossary term or TM segment. It helps a reviewer to judge how reliable the term or segment is. */
const provenance = z.object({
  set_id: id,
  set_name: z.string().describe('The name of the glossary or TM set.'),
  origin: z
    .enum(['terminology', 'tmx_import', 'golden_approved'])
    .describe(
      '`terminology` for a glossary, `tmx_import` for an imported translation memory, `golden_approved` for approved translations.',
    ),
  tuid: z.string().nullable().describe('The ID of the segment in its TMX file; null if it has none.'),
  changedate: dateTime.nullable().describe('The time of the last change of the segment; null if unknown.'),
  typography: z
    .literal(true)
    .optional()
    .describe('Whether the segment differs from the text in typography only.'),
});

const agentDecision = z
  .object({
    id,
    label: z.string().describe('The subject of the decision.'),
    outcome: z.string().describe('The result of the decision, such as `tm_exact_held`.'),
    rationale: z.string().nullable().describe('The reason for the decision; null if none was recorded.'),
    confidence: z.number().nullable().describe('How certain the decision is, from 0 to 1; null if unknown.'),
    created_at: dateTime,
    provenance: provenance
      .optional()
      .describe('The glossary or translation memory from which the used term or segment comes.'),
    metadata: openObject.optional().describe('Further data. Only operators get this field.'),
  })
  .meta({
    id: 'AgentDecision',
    description:
      'A decision in a step of the pipeline. It is meant for people: names and texts may change at any time.',
  });

const agentStep = z
  .object({
    id,
    name: z.string().describe('The name of the step.'),
    actor: z
      .string()
      .describe(
        'The name of what took the step, such as `translator` or `quality_judge`, or of the reviewer.',
      ),
    claimed_via: claimedVia
      .optional()
      .describe(
        'The API key whose client named the reviewer. If absent, the reviewer is a signed-in member.',
      ),
    kind: z
      .enum(['agent', 'tool', 'human', 'system'])
      .describe('The kind of actor: `agent` is a model, `human` is a reviewer.'),
    status: stepStatus.describe('The state or result.'),
    input_summary: z.string().nullable().describe('A short description of the input.'),
    output_summary: z.string().nullable().describe('A short description of the output.'),
    tool_calls: z.array(toolTrace).describe('The tools that the step used, in order.'),
    decisions: z.array(agentDecision).describe('The decisions of the step, in order.'),
    error: z.string().nullable().describe('The error message; null without an error.'),
    started_at: dateTime,
    completed_at: dateTime
      .nullable()
      .describe('The time at which it ended, ISO 8601 in UTC; null while it is in progress.'),
    metadata: openObject.optional().describe('Further data. Only operators get this field.'),
  })
  .meta({
    id: 'AgentStep',
    description: 'A step of the pipeline. It is meant for people: names and texts may change at any time.',
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
  .describe('The code of the reason for a review. The guide about the quality gate explains each code.');

const humanReviewTrigger = z
  .object({
    code: triggerCode,
    severity: z
      .enum(['info', 'warning', 'blocking'])
      .describe('`blocking` requires a review; `warning` and `info` do not.'),
  })
  .meta({
    id: 'HumanReviewTrigger',
    description:
      'A reason to review a translation. Only reasons with the severity `blocking` require a review.',
  });

const qualityGate = z
  .object({
    decision: z
      .enum(['pass', 'needs_human', 'fail'])
      .describe('`pass`: the translation is published. `needs_human`: the job awaits review.'),
    score,
    threshold: score,
    triggers: z
      .array(humanReviewTrigger)
      .describe('All reasons for a review, whether or not they require one.'),
    reasons: z
      .array(z.string())
      .meta({ description: 'A readable text for each entry of `triggers`, in the same order.' }),
    metadata: openObject.describe(
      'The scores and checks on which the decision is based: `assessment_score`, `verification_score`, `verification_passed`, `risk_flags`, `trigger_codes`, `terminology_gate` and `repaired`; also `fast_path` if the translation comes unchanged from the translation memory or a glossary.',
    ),
  })
  .meta({
    id: 'QualityGate',
    description:
      'Whether a translation may be published without a review. Programs should use `decision` only: the lists may have entries even if no review is required.',
  });

export const reviewAction = z.enum(['save', 'approve', 'modify', 'reject']);

const humanReviewTask = z
  .object({
    id,
    status: z
      .enum(['open', 'completed', 'cancelled'])
      .describe(
        'Whether the review is open. It is `completed` when a reviewer has approved or rejected the translation.',
      ),
    requested_by: z
      .string()
      .describe('The part of the service that required the review, usually `review_gate_agent`.'),
    reason: z.string().describe('The reason for the review, as readable text.'),
    question: z.string().nullable().describe('The question for the reviewer.'),
    instructions: z.string().nullable().describe('Instructions for the reviewer.'),
    requested_actions: z.array(reviewAction).describe('The actions that the review endpoint accepts.'),
    triggers: z.array(humanReviewTrigger).describe('The reasons that require the review.'),
    completed_by: z
      .string()
      .nullable()
      .describe(
        'The reviewer: the email address or user ID of the member, or the name that a client with an API key sent.',
      ),
    claimed_via: claimedVia
      .nullish()
      .describe(
        'The API key whose client sent the name in `completed_by`, which is not verified. Null or absent for a signed-in member.',
      ),
    created_at: dateTime,
    completed_at: dateTime
      .nullable()
      .describe('The time at which the review was completed, ISO 8601 in UTC; null while it is open.'),
    metadata: openObject.describe('Further data of the quality gate.'),
  })
  .meta({ id: 'HumanReviewTask', description: 'A required or completed review of a job.' });

export const agentRun = z
  .object({
    status: stepStatus.describe('The state or result of the run.'),
    steps: z.array(agentStep).describe('The steps of the pipeline, in order.'),
    quality_gate: qualityGate
      .nullable()
      .describe('The decision whether a review is required; null before it is made.'),
    human_review_task: humanReviewTask
      .nullable()
      .describe('The review that is required; null if no review is required.'),
    error: z
      .string()
      .nullable()
      .describe(
        'The error message if the run failed; otherwise null. For an unexpected error it is `internal error`.',
      ),
  })
  .meta({
    id: 'AgentRun',
    description:
      'The steps and decisions of a translation. Programs should use only `quality_gate.decision` and the status of the job.',
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
export type QualityAssessment = z.infer<typeof qualityAssessment>;
export type Refinement = z.infer<typeof refinement>;
export type VerificationResult = z.infer<typeof verification>;
