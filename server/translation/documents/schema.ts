import { z } from 'zod';
import { warnings } from '#server/http/warnings.ts';
import { jobListFilter } from '#server/translation/core/listing/job-list-filter.ts';
import { uploadedFile } from '#server/trpc.ts';

const id = z.string().meta({ description: '32 hexadecimal characters' });
const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });
const openObject = z.record(z.string(), z.unknown());

/** `pending` is never stored: a new job is `queued`. */
export const documentJobStatus = z.enum(['pending', 'queued', 'extracted', 'translated', 'failed']).meta({
  id: 'DocumentJobStatus',
  description: 'The status of a document; poll it until it is `translated` or `failed`. Values may be added.',
});

export const documentStage = z.enum(['ingest', 'extract', 'admit', 'map_translate', 'reconstruct']);

export const documentTranslationRequest = z
  .object({
    source_lang: z.string().describe('The language of the file, stated or detected; `en` by default.'),
    target_lang: z.string().describe('The language of the translation.'),
    domain: z.string().nullable().describe('As sent.'),
    idempotency_key: z.string().nullable().describe('As sent, in the body or the Idempotency-Key header.'),
    metadata: openObject.describe(
      'Written by the service: `content_type`, `size_bytes`, `idempotency_key`, `tenant`, `submitted_via` for a file sent to POST /api/translations, and `source_lang_detection` (`language`, `confidence`) if it was detected.',
    ),
    text_type: z.enum(['Plain', 'Html']).nullable().describe('Stored, without effect on a document.'),
    tone: z.string().nullable().describe('The register, applied to every segment.'),
    gender: z.string().nullable().describe('Grammatical gender, applied to every segment.'),
  })
  .meta({ id: 'DocumentTranslationRequest', description: 'The request of a document job.' });

export const documentFailureDetail = z
  .object({
    code: z
      .enum(['stage_timeout', 'transient_error', 'unexpected_error', 'interrupted', 'quota_exceeded'])
      .describe(
        '`transient_error`: try again later. `stage_timeout`: split the file. `unexpected_error`: do not send it unchanged. `interrupted`: send it again. `quota_exceeded`: no allowance was left.',
      ),
    stage: z
      .string()
      .meta({ description: '`ingest`, `extract`, `admit`, `map_translate`, `reconstruct` or `worker`' }),
    message: z.string().describe('The failure as readable text.'),
    error_type: z.string().nullable().describe('The internal error type.'),
    retry_attempts: z.int().describe('The number of retries of the stage.'),
    transient: z.boolean().describe('Whether it may succeed later.'),
    timeout: z.boolean().describe('Whether the time budget was used up.'),
    metadata: openObject.describe('Further data.'),
  })
  .meta({ id: 'DocumentFailureDetail', description: 'The failure of a document. Branch on `code`.' });

export const documentQualityFinding = z
  .object({
    severity: z.enum(['info', 'warning', 'error']).describe('The severity.'),
    code: z
      .string()
      .describe('The kind of finding, such as `text_shrunk` or `low_segment_quality`. Values may be added.'),
    message: z.string().describe('The finding as readable text.'),
    unit_id: z.string().nullable().meta({ description: 'ID of a region, cell or table' }),
  })
  .meta({ id: 'DocumentQualityFinding', description: 'A finding about a translated document.' });

export const documentQualityReport = z
  .object({
    schema_version: z.string().describe('The version of this schema, `1.0`.'),
    document_id: id.meta({ description: 'the ID of the layout, not of the job' }),
    source_lang: z.string().describe('The language of the file.'),
    target_lang: z.string().describe('The language of the translation.'),
    overall_score: z.number().meta({ description: '0 to 1' }),
    translated_units: z.int().describe('Segments with a translation.'),
    total_units: z.int().describe('All segments.'),
    findings: z.array(documentQualityFinding).describe('The findings; may be empty.'),
    metadata: openObject.describe(
      '`page_count`; `llm_quality` with `needs_review_units` and `noncompliant_units`; if segments were confirmed, `human_review` with `confirmed_units`, and `unresolved_units` that need a review and are not confirmed.',
    ),
  })
  .meta({
    id: 'DocumentQualityReport',
    description: 'The quality of a document, after its last rendering.',
  });

export const documentReviewRecord = z
  .object({
    id,
    reviewer: z.string().nullable().describe('The reviewer.'),
    corrections: z.int().describe('The number of corrected segments.'),
    notes: z.string().nullable().describe("The reviewer's notes."),
    created_at: dateTime,
    artifact_id: id,
  })
  .meta({ id: 'DocumentReviewRecord', description: 'A review of a document.' });

export const documentArtifact = z
  .object({
    id,
    kind: z.enum(['source', 'translated']).describe('The kind of file.'),
    revision: z.int().meta({ description: 'counts from 1 for each kind' }),
    content_type: z.string().describe('The media type.'),
    size_bytes: z.int().describe('The size of the file.'),
    sha256: z.string().meta({ description: 'the hash of the content, in hexadecimal' }),
    created_at: dateTime,
  })
  .meta({
    id: 'TenantDocumentArtifact',
    description: 'A file of a document: its source, or a translated revision.',
  });

export const documentFedPair = z
  .object({
    source_text: z.string().describe('The source text of the segment.'),
    target_text: z.string().describe('Its approved translation.'),
    source_hash: z.string().describe('The hash of the normalized source, which identifies the pair.'),
    corrected: z.boolean().describe('Whether a reviewer changed the translation.'),
    stage: z.enum(['review', 'approve']).describe('The call that added it.'),
    created_at: dateTime,
  })
  .meta({ id: 'DocumentFedPair', description: 'A pair that a document added to the translation memory.' });

export const documentFeedManifest = z
  .object({
    fed_pairs: z.array(documentFedPair).describe('The pairs, oldest first.'),
    skipped: z
      .record(z.string(), z.int())
      .describe('Counts of the last approval by reason: `empty`, `fast_path`, `needs_review`, `duplicates`.'),
    golden_skipped_at_cap: z
      .int()
      .describe('Pairs omitted because the translation memory was full, over all calls.'),
    last_feed_error: z.string().nullable().describe('The error of the last attempt; null if it succeeded.'),
  })
  .meta({
    id: 'DocumentFeedManifest',
    description: 'The pairs that a document added to the translation memory.',
  });

export const documentJob = z
  .object({
    id,
    tenant_id: z.string().nullable().describe('The workspace; null on a deployment without tenants.'),
    request: documentTranslationRequest,
    status: documentJobStatus,
    source_file_name: z.string().describe('The name of the file and of the download.'),
    source_format: z.enum(['pdf', 'docx', 'xlsx']).describe('The format of the file and of its translation.'),
    layout: z.null().describe('Always null.'),
    quality_report: documentQualityReport.nullable().describe('Null before it is translated.'),
    billable_chars: z
      .int()
      .describe('Characters of translated source segments, unweighted; 0 for a job that is not billed.'),
    review_history: z.array(documentReviewRecord).describe('The reviews, oldest first.'),
    artifacts: z.array(documentArtifact).describe('The source and the translated revisions, oldest first.'),
    approved_at: dateTime.nullable().describe('ISO 8601 in UTC; null before the approval.'),
    approved_by: z.string().nullable().describe('The first approver.'),
    feed_manifest: documentFeedManifest,
    error: z.string().nullable().describe('The message in `failure`.'),
    failure: documentFailureDetail.nullable().describe('The failure; null if it did not fail.'),
    warnings,
    created_at: dateTime,
    updated_at: dateTime,
    progress: z
      .object({
        stage: documentStage.describe('The current stage.'),
        translated_segments: z.int().describe('The number of segments with a translation.'),
        total_segments: z.int().describe('The number of segments; 0 before they are extracted.'),
      })
      .nullable()
      .meta({ description: 'set while the job is in progress' }),
    waiting: z
      .object({
        since: dateTime.describe('Time of the first failure, in UTC.'),
        reason: z
          .string()
          .describe(
            'The error code of the last try: `transient_error`, `rate_limit` or `service_unavailable`. Values may be added.',
          ),
        attempts: z.int().describe('The number of failed tries.'),
        next_attempt_at: dateTime.describe('Time of the next try, in UTC; in the past during that try.'),
      })
      .nullable()
      .meta({
        description:
          'set while the job is in progress if its last try failed for a temporary reason, such as a model that does not respond; it is retried for OUTAGE_HOURS',
      }),
    stage_timings: openObject.optional().meta({ description: 'operator only: milliseconds by stage' }),
    input_tokens: z.int().optional().meta({ description: 'operator only' }),
    output_tokens: z.int().optional().meta({ description: 'operator only' }),
    models: z.array(z.string()).optional().meta({ description: 'operator only' }),
  })
  .meta({ id: 'TenantDocumentJob', description: 'A file that is translated and keeps its layout.' });

const field = (description: string) => z.string().max(1000).optional().describe(description);

/** The form of POST /api/documents/translate. */
export const documentForm = z.object({
  source_document: uploadedFile.optional().describe('A .pdf, .docx or .xlsx file of at most 30000000 bytes.'),
  target_lang: field('Required. A supported language.'),
  source_lang: field('A supported language; `en` by default, `auto` detects it.'),
  domain: field('A hint that is stored with the job.'),
  tone: field('The register, such as `formal`.'),
  gender: field('Grammatical gender, for agreement.'),
  text_type: field('`Plain` (default) or `Html`; without effect on a document.'),
  wait: field('`1`, `true` or `yes`: the job runs before the response, which is a 200.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .default(null)
    .describe('1 to 255 characters. A key that already has a job returns that job.'),
});

export const documentListQuery = jobListFilter.extend({
  status: documentJobStatus.optional().describe('Only jobs with this status.'),
  limit: z.int().min(1).max(200).default(50).describe('1 to 200 jobs.'),
  cursor: z.string().max(200).optional().describe('From the X-Next-Cursor header of the previous page.'),
});

export const documentReviewInput = z
  .object({
    document_id: z.string().describe('The ID of the document job.'),
    corrections: z
      .array(
        z.object({
          region_id: z.string().max(500).describe('The region ID of the segment, as listed.'),
          cell_id: z
            .string()
            .max(500)
            .nullish()
            .describe('The cell ID of the segment, if it is a cell of a table.'),
          target_text: z
            .string()
            .max(50_000)
            .describe('The corrected translation, at most 50000 characters.'),
        }),
      )
      .min(1)
      .max(1000)
      .describe('1 to 1000 corrections.'),
    notes: z.string().max(10_000).nullish().describe('At most 10000 characters.'),
    reviewer: z
      .string()
      .max(320)
      .nullish()
      .describe(
        'At most 320 characters. Only for callers with an API key; otherwise the session determines the reviewer.',
      ),
  })
  .meta({
    id: 'DocumentReviewRequest',
    description: 'Corrections of segments. Either all are applied or none.',
  });

/** The result of a deletion: the number of removed items of each kind. */
export const documentDeletion = z
  .object({
    deleted: z.literal(true).describe('Always true.'),
    document_id: id,
    artifacts_removed: z.int().describe('Files.'),
    segments_removed: z.int().describe('Segments.'),
    golden_records_deleted: z.int().describe('Deleted audit records of the approval.'),
    tm_pairs_removed: z
      .int()
      .describe('Removed pairs that only this document had added to the translation memory.'),
    learning_rows_removed: z.int().describe('Removed rows that were learned from it.'),
  })
  .meta({ id: 'DocumentDeletion' });

export const documentSummary = z
  .object({
    total: z.int().describe('All jobs.'),
    by_status: z.record(z.string(), z.int()).describe('The number of jobs by status.'),
    by_format: z.record(z.string(), z.int()).describe('The number of jobs by file format.'),
    approved: z.int().describe('Approved jobs.'),
    needs_review: z.int().describe('The number of translated jobs with a segment that needs a review.'),
    billable_chars: z.int().describe('Characters of translated source segments, unweighted.'),
    tenants: z.array(openObject).optional().meta({ description: 'operator only' }),
    stage_timings: openObject.optional().meta({ description: 'operator only' }),
  })
  .meta({ id: 'DocumentSummary', description: 'The numbers of documents.' });

export const summaryQuery = z.object({
  include_tenant_breakdown: z.boolean().optional().describe('Operator only: figures of each tenant.'),
  include_stage_timing_breakdown: z.boolean().optional().describe('Operator only: durations of the stages.'),
});

export const documentApproval = z
  .object({
    job: documentJob,
    approval_result: z
      .object({
        approved: z.literal(true).describe('Always true.'),
        already_approved: z.boolean().describe('Whether it was already approved; then nothing changed.'),
        reviewer: z.string().nullable().describe('The first approver.'),
        fed_pairs: z.int().describe('Pairs that this call added to the translation memory.'),
        skipped: z
          .object({
            fast_path: z.int().describe('Served from the translation memory or a glossary.'),
            needs_review: z.int().describe('Flagged, and neither corrected nor confirmed by a reviewer.'),
            duplicates: z.int().describe('Known already.'),
            empty: z.int().describe('Without text.'),
          })
          .describe('Segments that were not added, by reason.'),
        feed_error: z
          .string()
          .nullable()
          .describe(
            'The error if the translation memory could not be updated; the approval is valid. Otherwise null.',
          ),
      })
      .meta({
        id: 'DocumentApprovalResult',
        description: 'The approved document and the effects of the approval.',
      }),
  })
  .meta({ id: 'DocumentApproval', description: 'The approved document and the effects of the approval.' });

export type DocumentReviewRequest = Omit<z.infer<typeof documentReviewInput>, 'document_id'>;
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
