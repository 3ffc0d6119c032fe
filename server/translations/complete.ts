import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { countCharacters, weighCharacters } from '#server/metering/service.ts';
import type { Run } from './admit.ts';
import { advance } from './job-states.ts';
import { failJob, finishJob, selectJob } from './queries.ts';
import type { RunResult } from './run.ts';
import type { AgentStep, TranslationJob } from './schema.ts';

/**
 * Stores a finished run and bills it, in one transaction of one round trip. A run that another attempt has
 * replaced writes nothing and answers the job as it stands.
 */
export async function completeRun(services: Services, run: Run, result: RunResult): Promise<TranslationJob> {
  const { tenantId, request, admitted } = run;
  const status = advance('pending', 'translated', result.status);
  const sourceChars = countCharacters(request.source_text);
  const { source_lang: sourceLang, target_lang: targetLang } = request;
  const [finished] = await services.database.inTenant(tenantId, (tx) =>
    tx.last(
      finishJob(
        tx,
        {
          tenantId,
          jobId: admitted.jobId,
          attempt: admitted.attempt,
          status,
          baselineTranslation: result.baseline_translation,
          finalTranslation: result.final_translation,
          qualityAssessment: result.quality_assessment,
          refinement: result.refinement,
          verification: result.verification,
          agentRun: result.agentRun,
        },
        {
          sourceLang,
          targetLang,
          sourceChars,
          billableChars: weighCharacters(
            sourceChars,
            sourceLang,
            targetLang,
            services.settings.DENSE_SCRIPT_WEIGHT,
          ),
          fastPath: null,
          inputTokens: result.cost.inputTokens,
          outputTokens: result.cost.outputTokens,
          models: result.cost.models,
        },
      ),
    ),
  );
  if (!finished) return readReplacedJob(services, run);
  return {
    id: admitted.jobId,
    request,
    status,
    baseline_translation: result.baseline_translation,
    final_translation: result.final_translation,
    quality_assessment: result.quality_assessment,
    refinement: result.refinement,
    verification: result.verification,
    agent_run: result.agentRun,
    created_at: admitted.createdAt.toISOString(),
    updated_at: finished.updatedAt.toISOString(),
  };
}

/** Marks a job failed whose run raised; `message` is what the API answers (B 3.1). Nothing is billed. */
export async function recordFailure(services: Services, run: Run, steps: AgentStep[], message: string) {
  const { tenantId, admitted } = run;
  advance('pending', 'failed');
  await services.database.inTenant(tenantId, (tx) =>
    tx.last(
      failJob(tx, {
        tenantId,
        jobId: admitted.jobId,
        attempt: admitted.attempt,
        agentRun: { status: 'failed', steps, quality_gate: null, human_review_task: null, error: message },
      }),
    ),
  );
}

async function readReplacedJob(services: Services, { tenantId, admitted }: Run): Promise<TranslationJob> {
  const job = await services.database.inTenant(tenantId, (tx) => selectJob(tx, tenantId, admitted.jobId));
  if (!job) throw new AppError('not_found', 'job not found');
  // Not 200: its result was dropped, and only a new submission makes another.
  if (job.status === 'failed')
    throw new AppError('transient_error', 'the job was marked failed while it ran; send it again');
  return job;
}
