import { expect, test } from 'vitest';
import { type TranslationJob, translationJob } from '#server/texts/schema.ts';
import { tenantView, viewFor } from '#server/texts/tenant-view.ts';

const at = '2026-09-01T12:00:00.000Z';
const issues = [
  {
    severity: 'minor' as const,
    category: 'style' as const,
    span: 'kind',
    explanation: 'stiff',
    suggestion: 'softer',
  },
];

/** A job in which all fields have values. With `operator`, this includes the fields that only operators see. */
function fullJob(operator: boolean): TranslationJob {
  const secret = (name: string) =>
    operator ? { metadata: { model: `secret ${name}`, input_tokens: 7 } } : {};
  const step = (name: string) => ({
    id: `step-${name}`,
    name,
    actor: 'translator',
    kind: 'agent' as const,
    status: 'completed' as const,
    input_summary: 'en to fr',
    output_summary: 'done',
    tool_calls: ['a', 'b'].map((tool) => ({
      id: `tool-${tool}`,
      tool_name: tool,
      status: 'completed' as const,
      input_summary: 'in',
      output_summary: 'out',
      error: null,
      started_at: at,
      completed_at: at,
      ...secret('tool call'),
    })),
    decisions: ['c', 'd'].map((label) => ({
      id: `decision-${label}`,
      label,
      outcome: 'kept',
      rationale: 'better',
      confidence: 0.9,
      created_at: at,
      ...secret('decision'),
    })),
    error: null,
    started_at: at,
    completed_at: at,
    ...secret('step'),
  });
  return {
    id: '0123456789abcdef0123456789abcdef',
    request: {
      source_text: 'Hello',
      target_lang: 'fr',
      source_lang: 'en',
      idempotency_key: 'key',
      domain: 'legal',
      metadata: {
        tenant: { id: 't', name: 'T' },
        debate_rounds: 2,
        metadata: { nested: true },
        model: "the caller's own key",
        ...(operator && { candidate_models: ['secret-1', 'secret-2'], primary_model: 'secret-3' }),
      },
      text_type: 'Plain',
      tone: 'warm',
      gender: 'neutral',
      deployment_name: 'mine',
      adaptive_dataset_id: 'set',
      allow_fallback: true,
    },
    status: 'awaiting_review',
    baseline_translation: 'Salut',
    final_translation: 'Bonjour',
    quality_assessment: {
      score: 80,
      issues,
      summary: 'fair',
      ...(operator && { model: 'secret-judge' }),
    },
    refinement: { score: 81, issues, applied: true, rounds: 2, summary: 'repaired' },
    verification: { score: 82, issues, passed: true, summary: 'verified' },
    agent_run: {
      status: 'completed',
      steps: [step('baseline'), step('quality_assessment')],
      quality_gate: {
        decision: 'needs_human',
        score: 80,
        threshold: 85,
        triggers: [{ code: 'low_quality_score', severity: 'blocking' }],
        reasons: ['low'],
        metadata: {
          assessment_score: 80,
          risk_flags: [],
          fast_path: null,
          ...(operator && { execution_trace: [{ model: 'secret-trace' }] }),
        },
      },
      human_review_task: {
        id: 'task',
        status: 'open',
        requested_by: 'review_gate_agent',
        reason: 'low',
        question: 'Is it fit?',
        instructions: 'look',
        requested_actions: ['save', 'approve'],
        triggers: [{ code: 'low_quality_score', severity: 'blocking' }],
        completed_by: null,
        created_at: at,
        completed_at: null,
        metadata: { kept: true },
      },
      error: 'none',
    },
    warnings: [{ code: 'unknown_field', field: 'sorce_lang', message: 'is not a field' }],
    created_at: at,
    updated_at: at,
  };
}

test('the tenant’s view omits only operator fields, and leaves the stored job unchanged', () => {
  const stored = fullJob(true);
  const view = tenantView(stored);
  expect(stored).toStrictEqual(fullJob(true));
  expect(view).toStrictEqual(fullJob(false));
  expect(JSON.stringify(view)).not.toMatch(/secret|input_tokens|execution_trace/);
  const shown = viewFor({ operator: false })(stored);
  expect(translationJob.parse(shown)).toStrictEqual({ ...view, published_text: null });
});
