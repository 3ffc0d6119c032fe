import type {
  AgentRun,
  DocumentFailureDetail,
  DocumentProgress,
  DocumentQualityReport,
  HumanReviewTask,
  TenantDocumentJob,
  TranslationJob,
} from './types.ts';

/** A status that this version of the SDK does not know. No value has this type: it keeps `switch` statements open. */
declare enum LaterStatus {
  unknown = 'unknown',
}

type At<Job, Status, Fields> = Omit<Job, 'status' | keyof Fields> & { status: Status } & Fields;

/** A text job whose `status` determines which fields are null. */
export type TranslationJobByStatus =
  | At<TranslationJob, 'pending', { final_translation: null }>
  | At<TranslationJob, 'failed', { agent_run: Omit<AgentRun, 'error'> & { error: string } }>
  | At<
      TranslationJob,
      'awaiting_review',
      {
        final_translation: string;
        agent_run: Omit<AgentRun, 'human_review_task'> & { human_review_task: HumanReviewTask };
      }
    >
  | At<
      TranslationJob,
      Exclude<TranslationJob['status'], 'pending' | 'failed' | 'awaiting_review'>,
      { final_translation: string }
    >
  | At<TranslationJob, LaterStatus, Pick<TranslationJob, 'final_translation'>>;

/** A document job whose `status` determines which fields are null. */
export type DocumentJobByStatus =
  | At<TenantDocumentJob, 'pending' | 'queued' | 'extracted', { progress: DocumentProgress; failure: null }>
  | At<TenantDocumentJob, 'translated', { quality_report: DocumentQualityReport; failure: null }>
  | At<TenantDocumentJob, 'failed', { failure: DocumentFailureDetail; error: string }>
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
