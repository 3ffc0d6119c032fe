import { expect } from 'vitest';

/** A job in the form of a response. */
// biome-ignore lint/suspicious/noExplicitAny: the parsed body of a route: the tests look into it freely
export type Job = any;

export const fastPathOf = (job: Job): string | undefined => job.request.metadata.provenance?.fast_path;

/** The outcomes of all decisions in a job's trace. */
export const outcomesOf = (job: Job): string[] =>
  job.agent_run.steps.flatMap((step: Job) => (step.decisions ?? []).map(({ outcome }: Job) => outcome));

/** The codes of the quality gate's triggers. */
export const triggersOf = (job: Job): string[] =>
  job.agent_run.quality_gate.triggers.map((trigger: Job) =>
    typeof trigger === 'string' ? trigger : trigger.code,
  );

/** The codes of the triggers that force a review, as they are in the review task. */
export const blockingOf = (job: Job): string[] =>
  (job.agent_run.human_review_task?.triggers ?? [])
    .filter(({ severity }: Job) => severity === 'blocking')
    .map(({ code }: Job) => code);

/**
 * Expects a job whose translation a fast path has published unchanged (B 8 "Translation memory at translation time").
 */
export function expectServed(
  job: Job,
  by: 'tm_exact' | 'glossary_exact',
  target: string,
  threshold = 85,
): void {
  expect(job).toMatchObject({
    status: 'published',
    final_translation: target,
    quality_assessment: null,
    refinement: null,
    verification: null,
    request: { metadata: { provenance: { fast_path: by } } },
    agent_run: { quality_gate: { decision: 'pass', score: 100, threshold } },
  });
  expect(job.agent_run.quality_gate.metadata).toHaveProperty('fast_path');
  expect(job.agent_run.human_review_task ?? null).toBeNull();
}

/** Expects a job that no fast path has served, so that the complete pipeline ran. */
export function expectPipeline(job: Job): void {
  expect(fastPathOf(job)).toBeUndefined();
  expect(job.quality_assessment).not.toBeNull();
  expect(job.agent_run.quality_gate.metadata.fast_path ?? null).toBeNull();
}

/** Expects a job that awaits review with a match of a fast path, and that has caused no model call. */
export function expectHeld(job: Job, outcome: 'tm_exact_held' | 'glossary_exact_held', target: string): void {
  expect(outcomesOf(job)).toContain(outcome);
  expect(job).toMatchObject({
    status: 'awaiting_review',
    baseline_translation: target,
    agent_run: {
      quality_gate: { decision: 'needs_human' },
      human_review_task: { status: 'open', requested_actions: ['save', 'approve', 'modify', 'reject'] },
    },
  });
}
