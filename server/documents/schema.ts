import { z } from 'zod';
import { uploadedFile } from '#server/trpc.ts';

const id = z.string().meta({ description: '32 hexadecimal characters' });
const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });
const openObject = z.record(z.string(), z.unknown());

/** B 2.7. `pending` is never stored: a job is queued from the start. */
export const documentJobStatus = z
  .enum(['pending', 'queued', 'extracted', 'translated', 'failed'])
  .meta({ id: 'DocumentJobStatus' });

/** B 3.2 */
export const documentStage = z.enum(['ingest', 'extract', 'admit', 'map_translate', 'reconstruct']);

/** B 2.7 */
export const documentTranslationRequest = z
  .object({
    source_lang: z.string(),
    target_lang: z.string(),
    domain: z.string().nullable(),
    idempotency_key: z.string().nullable(),
    metadata: openObject,
    text_type: z.enum(['Plain', 'Html']).nullable(),
    tone: z.string().nullable(),
    gender: z.string().nullable(),
  })
  .meta({ id: 'DocumentTranslationRequest' });

/** B 2.7 */
export const documentFailureDetail = z
  .object({
    code: z.enum(['stage_timeout', 'transient_error', 'unexpected_error', 'interrupted', 'quota_exceeded']),
    stage: z.string().meta({ description: 'ingest, extract, admit, map_translate, reconstruct or worker' }),
    message: z.string(),
    error_type: z.string().nullable(),
    retry_attempts: z.int(),
    transient: z.boolean(),
    timeout: z.boolean(),
    metadata: openObject,
  })
  .meta({ id: 'DocumentFailureDetail' });

/** B 2.7, C 5 "Finding codes" */
export const documentQualityFinding = z
  .object({
    severity: z.enum(['info', 'warning', 'error']),
    code: z.string(),
    message: z.string(),
    unit_id: z.string().nullable().meta({ description: 'a region id, a cell id or a table id' }),
  })
  .meta({ id: 'DocumentQualityFinding' });

export const documentQualityReport = z
  .object({
    schema_version: z.string(),
    document_id: id.meta({ description: "the layout's id, not the job's" }),
    source_lang: z.string(),
    target_lang: z.string(),
    overall_score: z.number().meta({ description: '0 to 1' }),
    translated_units: z.int(),
    total_units: z.int(),
    findings: z.array(documentQualityFinding),
    metadata: openObject,
  })
  .meta({ id: 'DocumentQualityReport' });

/** C 5 */
export const documentReviewRecord = z
  .object({
    id,
    reviewer: z.string().nullable(),
    corrections: z.int(),
    notes: z.string().nullable(),
    created_at: dateTime,
    artifact_id: id,
  })
  .meta({ id: 'DocumentReviewRecord' });

/** C 5 */
export const documentArtifact = z
  .object({
    id,
    kind: z.enum(['source', 'translated']),
    revision: z.int().meta({ description: 'from 1, of its kind' }),
    content_type: z.string(),
    size_bytes: z.int(),
    sha256: z.string().meta({ description: 'of the content, in hexadecimal' }),
    created_at: dateTime,
  })
  .meta({ id: 'TenantDocumentArtifact' });

export const documentFedPair = z
  .object({
    source_text: z.string(),
    target_text: z.string(),
    source_hash: z.string(),
    corrected: z.boolean(),
    stage: z.enum(['review', 'approve']),
    created_at: dateTime,
  })
  .meta({ id: 'DocumentFedPair' });

export const documentFeedManifest = z
  .object({
    fed_pairs: z.array(documentFedPair),
    skipped: z.record(z.string(), z.int()),
    golden_skipped_at_cap: z.int(),
    last_feed_error: z.string().nullable(),
  })
  .meta({ id: 'DocumentFeedManifest' });

/** B 2.7 */
export const documentJob = z
  .object({
    id,
    tenant_id: z.string().nullable(),
    request: documentTranslationRequest,
    status: documentJobStatus,
    source_file_name: z.string(),
    source_format: z.enum(['pdf', 'docx', 'xlsx']),
    layout: z.null(),
    quality_report: documentQualityReport.nullable(),
    billable_chars: z.int(),
    review_history: z.array(documentReviewRecord),
    artifacts: z.array(documentArtifact),
    approved_at: dateTime.nullable(),
    approved_by: z.string().nullable(),
    feed_manifest: documentFeedManifest,
    error: z.string().nullable(),
    failure: documentFailureDetail.nullable(),
    created_at: dateTime,
    updated_at: dateTime,
    progress: z
      .object({
        stage: documentStage,
        translated_segments: z.int(),
        total_segments: z.int(),
      })
      .nullable()
      .meta({ description: 'of a job in flight' }),
    stage_timings: openObject.optional().meta({ description: 'operator only: milliseconds by stage' }),
    input_tokens: z.int().optional().meta({ description: 'operator only' }),
    output_tokens: z.int().optional().meta({ description: 'operator only' }),
    models: z.array(z.string()).optional().meta({ description: 'operator only' }),
  })
  .meta({ id: 'TenantDocumentJob' });

const field = z.string().max(1000).optional();

/** The form of POST /api/documents/translate (B 4.3). */
export const documentForm = z.object({
  source_document: uploadedFile.optional(),
  target_lang: field,
  source_lang: field,
  domain: field,
  tone: field,
  gender: field,
  text_type: field,
  wait: field,
  idempotency_key: z.string().min(1).max(255).nullable().default(null),
});

export const documentListQuery = z.object({
  status: documentJobStatus.optional(),
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().max(200).optional(),
});

/** C 5 "Review" */
export const documentReviewInput = z
  .object({
    document_id: z.string(),
    corrections: z
      .array(
        z.object({
          region_id: z.string().max(500),
          cell_id: z.string().max(500).nullish(),
          target_text: z.string().max(50_000),
        }),
      )
      .min(1)
      .max(1000),
    notes: z.string().max(10_000).nullish(),
    reviewer: z.string().max(320).nullish(),
  })
  .meta({ id: 'DocumentReviewRequest' });

/** B 4.3 approve */
export const documentApproveInput = z
  .object({
    document_id: z.string(),
    notes: z.string().max(10_000).nullish(),
    reviewer: z.string().max(320).nullish(),
  })
  .meta({ id: 'DocumentApproveRequest' });

export const documentApproval = z
  .object({
    job: documentJob,
    approval_result: z
      .object({
        approved: z.literal(true),
        already_approved: z.boolean(),
        reviewer: z.string().nullable(),
        fed_pairs: z.int(),
        skipped: z.object({
          fast_path: z.int(),
          needs_review: z.int(),
          duplicates: z.int(),
          empty: z.int(),
        }),
        feed_error: z.string().nullable(),
      })
      .meta({ id: 'DocumentApprovalResult' }),
  })
  .meta({ id: 'DocumentApproval' });

/** B 4.3 DELETE. The counts say what was there. */
export const documentDeletion = z
  .object({
    deleted: z.literal(true),
    document_id: id,
    artifacts_removed: z.int(),
    segments_removed: z.int(),
    golden_records_deleted: z.int(),
    tm_pairs_removed: z.int(),
    learning_rows_removed: z.int(),
  })
  .meta({ id: 'DocumentDeletion' });

/** C 5 "Summary" */
export const documentSummary = z
  .object({
    total: z.int(),
    by_status: z.record(z.string(), z.int()),
    by_format: z.record(z.string(), z.int()),
    approved: z.int(),
    needs_review: z.int(),
    billable_chars: z.int(),
    tenants: z.array(openObject).optional().meta({ description: 'operator only' }),
    stage_timings: openObject.optional().meta({ description: 'operator only' }),
  })
  .meta({ id: 'DocumentSummary' });

export const summaryQuery = z.object({
  include_tenant_breakdown: z.boolean().optional(),
  include_stage_timing_breakdown: z.boolean().optional(),
});

export type DocumentReviewRequest = Omit<z.infer<typeof documentReviewInput>, 'document_id'>;
export type DocumentApproveRequest = Omit<z.infer<typeof documentApproveInput>, 'document_id'>;
export type DocumentApprovalResult = z.infer<typeof documentApproval>['approval_result'];
export type DocumentDeletion = z.infer<typeof documentDeletion>;
export type DocumentSummary = z.infer<typeof documentSummary>;
export type DocumentJob = z.infer<typeof documentJob>;
export type DocumentForm = z.infer<typeof documentForm>;
export type DocumentTranslationRequest = z.infer<typeof documentTranslationRequest>;
export type DocumentFailureDetail = z.infer<typeof documentFailureDetail>;
export type DocumentQualityFinding = z.infer<typeof documentQualityFinding>;
export type DocumentQualityReport = z.infer<typeof documentQualityReport>;
export type DocumentArtifact = z.infer<typeof documentArtifact>;
export type DocumentFeedManifest = z.infer<typeof documentFeedManifest>;
export type DocumentReviewRecord = z.infer<typeof documentReviewRecord>;
export type DocumentStage = z.infer<typeof documentStage>;
