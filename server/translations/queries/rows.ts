import { and, eq, lt, type SQL, sql } from 'drizzle-orm';
import { translationJobs } from '#db/schema/translations.ts';
import type { AgentRun, JobStatus, TranslationJob, TranslationRequest } from '../schema.ts';

export type JobRow = typeof translationJobs.$inferSelect;

/** A stored job, in the operator's full shape, and what only the service needs of it. */
export interface StoredJob {
  job: TranslationJob;
  attempt: number;
  /** Left pending for longer than the stale-pending time: a resend may run it again (B 4.2). */
  stalePending: boolean;
}

/** What a job's run is before anything happened. */
export const emptyRun: AgentRun = {
  status: 'pending',
  steps: [],
  quality_gate: null,
  human_review_task: null,
  error: null,
};

/** The job that a row holds; some of its server-written metadata (B 2.6) has columns of its own. */
export function jobOfRow(row: JobRow): TranslationJob {
  const request = row.request as TranslationRequest;
  const written = {
    ...row.pipelineMetadata,
    ...(row.pipelineCandidate !== null && { review_pipeline_candidate: row.pipelineCandidate }),
    ...(row.goldenUri !== null && { golden_uri: row.goldenUri }),
  };
  return {
    id: row.jobId,
    request: { ...request, metadata: { ...request.metadata, ...written } },
    status: row.status as JobStatus,
    baseline_translation: row.baselineTranslation,
    final_translation: row.finalTranslation,
    quality_assessment: row.qualityAssessment as TranslationJob['quality_assessment'],
    refinement: row.refinement as TranslationJob['refinement'],
    verification: row.verification as TranslationJob['verification'],
    agent_run: row.agentRun as AgentRun,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** One job, by tenant too: the policy is the second lock, not the first. */
export function isJob(tenantId: string, jobId: string): SQL | undefined {
  return and(eq(translationJobs.tenantId, tenantId), eq(translationJobs.jobId, jobId));
}

export function isStalePending(staleSeconds: number): SQL | undefined {
  return and(
    eq(translationJobs.status, 'pending'),
    lt(translationJobs.updatedAt, sql`now() - make_interval(secs => ${staleSeconds})`),
  );
}
