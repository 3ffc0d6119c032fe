import type {
  AgentRun,
  DocumentFailureDetail,
  DocumentProgress,
  DocumentQualityReport,
  TenantDocumentJob,
  TranslationJob,
} from './types.ts';

/** A status that this version of the SDK does not know. No value has this type: it keeps `switch` statements open. */
declare enum LaterStatus {
  /** Stands for all of them. */
  unknown = 'unknown',
}

/** A job with one of the statuses `Status`, whose fields have the types of `Fields`. */
type At<Job, Status, Fields> = Omit<Job, 'status' | keyof Fields> & Record<'status', Status> & Fields;
/** An object in which a field is set. */
type With<T, K extends keyof T> = Omit<T, K> & Record<K, NonNullable<T[K]>>;

/** A text job whose `status` determines which fields are null. */
export type TranslationJobByStatus =
  | At<TranslationJob, 'pending', Record<'final_translation', null>>
  | At<TranslationJob, 'failed', Record<'agent_run', With<AgentRun, 'error'>>>
  | At<
      TranslationJob,
      'awaiting_review',
      Record<'final_translation', string> & Record<'agent_run', With<AgentRun, 'human_review_task'>>
    >
  | At<
      TranslationJob,
      Exclude<TranslationJob['status'], 'pending' | 'failed' | 'awaiting_review'>,
      Record<'final_translation', string>
    >
  | At<TranslationJob, LaterStatus, Pick<TranslationJob, 'final_translation'>>;

/** A document job whose `status` determines which fields are null. */
export type DocumentJobByStatus =
  | At<
      TenantDocumentJob,
      'pending' | 'queued' | 'extracted',
      Record<'progress', DocumentProgress> & Record<'failure', null>
    >
  | At<
      TenantDocumentJob,
      'translated',
      Record<'quality_report', DocumentQualityReport> & Record<'failure', null>
    >
  | At<TenantDocumentJob, 'failed', Record<'failure', DocumentFailureDetail> & Record<'error', string>>
  | At<TenantDocumentJob, LaterStatus, Pick<TenantDocumentJob, 'failure'>>;

/**
 * Returns the same job, typed as a union by `status`: a comparison of the status narrows the fields that can be null. The
 * service may add statuses, so a `switch` needs a `default`.
 */
export function byStatus(job: TranslationJob): TranslationJobByStatus;
export function byStatus(job: TenantDocumentJob): DocumentJobByStatus;
export function byStatus(job: unknown): unknown {
  return job;
}
