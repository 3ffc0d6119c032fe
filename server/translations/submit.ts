import type { EnterTenant } from '#server/auth/service.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog, toAppError } from '#server/errors.ts';
import { type Admission, admit, type Run } from './admit.ts';
import { completeRun, recordFailure } from './complete.ts';
import { checkRequest } from './limits.ts';
import { type StoredJob, selectJobByKey, touchJob } from './queries.ts';
import { RunError, runPipeline } from './run.ts';
import type { TranslationJob, TranslationRequest } from './schema.ts';

export interface Submission {
  job: TranslationJob;
  /** True where an earlier submission with the same key answered, and no work was done. */
  replayed: boolean;
}

/** Gate (1) of B 4.1: the kill switch, which answers before anything else is looked at. */
export function requireTranslationEnabled({ settings }: Services): void {
  if (!settings.TRANSLATION_ENABLED)
    throw new AppError('capability_off', 'translation is temporarily disabled');
}

/**
 * Translates one text inline: the gates of B 4.1 in their order, the pipeline, and the stored result. Two short
 * transactions, the model's time between them; a failure in between leaves the job failed, and unbilled.
 */
export async function submitText(
  services: Services,
  enter: EnterTenant,
  submitted: TranslationRequest,
): Promise<Submission> {
  const request = checkRequest(submitted, services.settings);
  const admission = await admitOnce(services, enter, request);
  if (admission.kind === 'replay') return { job: admission.job, replayed: true };

  const keeping = keepPending(services, admission);
  try {
    const result = await runPipeline(services.engine, admission.request);
    return { job: await completeRun(services, admission, result), replayed: false };
  } catch (error) {
    const known = toAppError(error instanceof RunError ? error.cause : error);
    const steps = error instanceof RunError ? error.steps : [];
    await recordFailure(services, admission, steps, known.message).catch((failure: unknown) =>
      // The sweep marks it later; the caller's own error matters more.
      services.log.warn(
        { job_id: admission.admitted.jobId, error: describeForLog(failure) },
        'failure not recorded',
      ),
    );
    throw known;
  } finally {
    clearInterval(keeping);
  }
}

/** Looks the key up and admits, again where another submission with the same key was faster by a moment. */
async function admitOnce(
  { settings }: Services,
  enter: EnterTenant,
  request: TranslationRequest,
): Promise<Exclude<Admission, { kind: 'raced' }>> {
  const stale = settings.STALE_PENDING_SECONDS;
  const key = request.idempotency_key;
  for (let attempt = 0; attempt < 5; attempt++) {
    const admission = await enter(
      (tx, principal, known: StoredJob | undefined) => admit(tx, principal, request, known, stale),
      async (tx) => (key ? selectJobByKey(tx, key, stale) : undefined),
    );
    if (admission.kind !== 'raced') return admission;
  }
  throw new AppError('transient_error', 'the job of this Idempotency-Key keeps changing; try again');
}

/**
 * Touches a job while its run takes long, so that only jobs whose process died look stale: models with their retries
 * may take longer than STALE_PENDING_SECONDS.
 */
function keepPending({ database, settings, log }: Services, { tenantId, admitted }: Run): NodeJS.Timeout {
  const touch = () =>
    database
      .inTenant(tenantId, (tx) => tx.last(touchJob(tx, tenantId, admitted)))
      .catch((error: unknown) =>
        log.warn({ job_id: admitted.jobId, error: describeForLog(error) }, 'job not touched'),
      );
  // Node's timers go up to 2^31 ms.
  return setInterval(touch, Math.min((settings.STALE_PENDING_SECONDS * 1000) / 3, 2_147_483_647));
}
