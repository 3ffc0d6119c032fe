import { z } from 'zod';

export const id = z.string().meta({ description: '32 hexadecimal characters' });
export const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });
const openObject = z.record(z.string(), z.unknown());

/** B 3.1 */
export const jobStatus = z
  .enum([
    'pending',
    'translated',
    'refined',
    'awaiting_review',
    'approved',
    'human_edited',
    'rejected',
    'published',
    'failed',
    'persistence_failed',
  ])
  .meta({ id: 'JobStatus' });

const textType = z.enum(['Plain', 'Html']);

/** C 7: characters of an idempotency key as a caller sends it. */
export const longestKey = 255;

/** B 2.1. Languages are checked against the supported set by the service, which answers with its list. */
export const translationRequest = z
  .object({
    source_text: z.string(),
    target_lang: z.string(),
    source_lang: z.string().default('en'),
    // Not checked here: a job's own key is longer by the place it has among others. See `requireKey`.
    idempotency_key: z.string().min(1).meta({ maxLength: longestKey }).nullable().default(null),
    domain: z.string().max(1000).nullable().default(null),
    metadata: openObject.default({}),
    text_type: textType.nullable().default(null),
    tone: z.string().max(1000).nullable().default(null),
    gender: z.string().max(1000).nullable().default(null),
    deployment_name: z.string().max(1000).nullable().default(null),
    adaptive_dataset_id: z.string().max(1000).nullable().default(null),
    allow_fallback: z.boolean().nullable().default(null),
  })
  .meta({ id: 'TranslationRequest' });

export const qualityIssue = z
  .object({
    severity: z.enum(['minor', 'major', 'critical']),
    category: z.enum(['accuracy', 'fluency', 'terminology', 'style', 'locale']),
    span: z.string().nullable(),
    explanation: z.string(),
    suggestion: z.string().nullable(),
  })
  .meta({ id: 'QualityIssue' });

export const score = z.number().meta({ description: '0 to 100' });
const issues = z.array(qualityIssue);

export const qualityAssessment = z
  .object({
    score,
    issues,
    summary: z.string(),
    model: z.string().nullish().meta({ description: 'operator only' }),
  })
  .meta({ id: 'QualityAssessment' });

export const refinement = z
  .object({ score, issues, applied: z.boolean(), rounds: z.int(), summary: z.string() })
  .meta({ id: 'Refinement' });

export const verification = z
  .object({ score, issues, passed: z.boolean(), summary: z.string() })
  .meta({ id: 'Verification' });

const stepStatus = z.enum(['pending', 'running', 'completed', 'skipped', 'failed']);

export const toolTrace = z
  .object({
    id,
    tool_name: z.string(),
    status: stepStatus,
    input_summary: z.string().nullable(),
    output_summary: z.string().nullable(),
    error: z.string().nullable(),
    started_at: dateTime,
    completed_at: dateTime.nullable(),
    metadata: openObject.optional(),
  })
  .meta({ id: 'ToolTrace' });

/** Where a glossary term or a stored pair comes from: whom a reviewer may trust. */
const provenance = z.object({
  set_id: id,
  set_name: z.string(),
  origin: z.enum(['terminology', 'tmx_import', 'golden_approved']),
  tuid: z.string().nullable(),
  changedate: dateTime.nullable(),
});

export const agentDecision = z
  .object({
    id,
    label: z.string(),
    outcome: z.string(),
    rationale: z.string().nullable(),
    confidence: z.number().nullable(),
    created_at: dateTime,
    provenance: provenance.optional(),
    metadata: openObject.optional(),
  })
  .meta({ id: 'AgentDecision' });

export const agentStep = z
  .object({
    id,
    name: z.string(),
    actor: z.string(),
    kind: z.enum(['agent', 'tool', 'human', 'system']),
    status: stepStatus,
    input_summary: z.string().nullable(),
    output_summary: z.string().nullable(),
    tool_calls: z.array(toolTrace),
    decisions: z.array(agentDecision),
    error: z.string().nullable(),
    started_at: dateTime,
    completed_at: dateTime.nullable(),
    metadata: openObject.optional(),
  })
  .meta({ id: 'AgentStep' });

export const triggerCode = z.enum([
  'policy_required',
  'low_quality_score',
  'critical_issue',
  'terminology_uncertainty',
  'terminology_noncompliant',
  'sensitive_content',
  'high_repair_delta',
  'verification_failed',
  'risk_flag',
]);

export const humanReviewTrigger = z
  .object({ code: triggerCode, severity: z.enum(['info', 'warning', 'blocking']) })
  .meta({ id: 'HumanReviewTrigger' });

export const qualityGate = z
  .object({
    decision: z.enum(['pass', 'needs_human', 'fail']),
    score,
    threshold: score,
    triggers: z.array(humanReviewTrigger),
    reasons: z.array(z.string()).meta({ description: 'one per trigger, in the same order' }),
    metadata: openObject,
  })
  .meta({ id: 'QualityGate' });

const reviewAction = z.enum(['save', 'approve', 'modify', 'reject']);

export const humanReviewTask = z
  .object({
    id,
    status: z.enum(['open', 'completed', 'cancelled']),
    requested_by: z.string(),
    reason: z.string(),
    question: z.string().nullable(),
    instructions: z.string().nullable(),
    requested_actions: z.array(reviewAction),
    triggers: z.array(humanReviewTrigger),
    completed_by: z.string().nullable(),
    created_at: dateTime,
    completed_at: dateTime.nullable(),
    metadata: openObject,
  })
  .meta({ id: 'HumanReviewTask' });

export const agentRun = z
  .object({
    status: stepStatus,
    steps: z.array(agentStep),
    quality_gate: qualityGate.nullable(),
    human_review_task: humanReviewTask.nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'AgentRun' });

/** B 2.2 */
export const translationJob = z
  .object({
    id,
    request: translationRequest,
    status: jobStatus,
    baseline_translation: z.string().nullable(),
    final_translation: z.string().nullable(),
    quality_assessment: qualityAssessment.nullable(),
    refinement: refinement.nullable(),
    verification: verification.nullable(),
    agent_run: agentRun,
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'TranslationJob' });

/** Longer than any translation of a text that may be submitted. */
const translatedText = z
  .string()
  .max(500_000)
  .refine((text) => text.trim() !== '', 'must not be blank');

/** C 4 "Review" */
export const reviewInput = z
  .object({
    job_id: z.string(),
    action: reviewAction,
    reviewer: z.string().min(1).max(320).nullish(),
    final_translation: translatedText.nullish(),
    notes: z.string().max(10_000).nullish(),
  })
  .refine(({ action, final_translation }) => action !== 'modify' || final_translation, {
    path: ['final_translation'],
    message: 'is required to modify',
  })
  .meta({ id: 'TranslationReviewRequest' });

/** C 4 "Golden" */
export const goldenFormat = z.enum(['txt', 'docx', 'pdf']).default('txt');

/** C 4 "Delete": what was really removed. */
export const jobDeletion = z
  .object({
    deleted: z.literal(true),
    job_id: id,
    records_removed: z.int(),
    artifacts_removed: z.int(),
    golden_records_deleted: z.int(),
    tm_pairs_removed: z.int(),
  })
  .meta({ id: 'TranslationDeletion' });

/** C 4 "List" */
export const listQuery = z.object({
  status: jobStatus.optional(),
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});

export type JobStatus = z.infer<typeof jobStatus>;
export type TranslationRequest = z.infer<typeof translationRequest>;
export type TranslationJob = z.infer<typeof translationJob>;
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
export type ReviewRequest = Omit<z.infer<typeof reviewInput>, 'job_id'>;
export type GoldenFormat = z.infer<typeof goldenFormat>;
export type JobDeletion = z.infer<typeof jobDeletion>;
