import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  listGolden,
  type NewGoldenRecord,
  removeGolden,
  writeGolden,
} from '#server/records/golden-records.ts';
import { type Destination, type DestinationServices, destinationOf } from '#server/storage/destination.ts';
import type { AgentStep } from '#server/translation/agent-run-schema.ts';
import type { TranslationJob } from './schema.ts';
import { tenantView } from './tenant-view.ts';

/**
 * Returns the golden record of a text job: the complete job in platform storage, or a redacted copy in the tenant's own
 * account.
 */
export function goldenRecord(
  tenantId: string,
  job: TranslationJob,
  { attempt, inAccount, recordedAt }: { attempt: number; inAccount: boolean; recordedAt: Date },
): NewGoldenRecord {
  const { source_lang, target_lang } = job.request;
  return {
    kind: 'text',
    tenantId,
    jobId: job.id,
    attempt,
    recordedAt,
    content: JSON.stringify({
      schema_version: '1.0',
      kind: 'text',
      tenant_id: tenantId,
      job_id: job.id,
      recorded_at: recordedAt.toISOString(),
      job: inAccount ? redactedCopy(job) : job,
    }),
    summary: { status: job.status, source_lang, target_lang },
  };
}

export type PersistingServices = DestinationServices &
  Pick<Services, 'backgroundWork' | 'storage' | 'settings' | 'log'>;

/** A golden record that is stored, although the job's row does not refer to it yet. */
export interface PersistedGolden {
  uri: string;
  /** Call this after the row refers to the record. */
  list(): void;
  /** Removes the record, because the row could not be stored. Never fails. */
  remove(): Promise<unknown>;
}

/**
 * Writes a job's golden record. Call this before the job's row is published: a job without a record is not published.
 * @returns the error if the record could not be written; the job is then published later
 */
export async function persistGolden(
  services: PersistingServices,
  tenantId: string,
  job: TranslationJob,
  attempt: number,
): Promise<PersistedGolden | AppError> {
  let destination: Destination;
  try {
    destination = await destinationOf(services, tenantId);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const inAccount = destination.provider !== 'platform';
  const record = goldenRecord(tenantId, job, { attempt, inAccount, recordedAt: new Date() });
  const place = await writeGolden(services, record, destination);
  if (!place) return persistenceFailed();
  const uri = place.address;
  return {
    uri,
    list: () => listGolden(services, { ...record, uri }, place),
    remove: () => removeGolden(services, tenantId, job.id, uri),
  };
}

/**
 * Returns the error for a job that is stored and billed, but whose golden record could not be written. The sweep
 * publishes the job later.
 */
export function persistenceFailed(): AppError {
  return new AppError(
    'persistence_failed',
    'the golden record could not be written; the translation is saved and will be published automatically; do not resend',
  );
}

/**
 * Returns the copy of a job for the tenant's own account. It has the text, the reasons for review, scores and
 * decisions. It has no model names, token counts and reasoning, and not the work of agents and tools in each step.
 * Contains only the fields that are listed here or in `tenantView`.
 */
function redactedCopy(job: TranslationJob): TranslationJob {
  const view = tenantView(job);
  return { ...view, agent_run: { ...view.agent_run, steps: view.agent_run.steps.map(redactedStep) } };
}

function redactedStep(step: AgentStep): AgentStep {
  const isHuman = step.kind === 'human';
  return {
    id: step.id,
    name: step.name,
    actor: step.actor,
    kind: step.kind,
    status: step.status,
    // The input of a reviewer's step describes the decision, so it is kept.
    input_summary: isHuman ? step.input_summary : null,
    output_summary: isHuman ? step.output_summary : null,
    tool_calls: [],
    decisions: step.decisions.map(({ id, label, outcome, confidence, created_at }) => ({
      id,
      label,
      outcome,
      rationale: null,
      confidence,
      created_at,
    })),
    error: step.error,
    started_at: step.started_at,
    completed_at: step.completed_at,
  };
}
