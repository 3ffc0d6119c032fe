import { z } from 'zod';
import { layoutKindNames } from '#server/formats/layout-kinds.ts';
import { includable, outputs, sourceFields } from '#server/formats/selection.ts';
import { warnings } from '#server/http/warnings.ts';
import { claimedVia } from '#server/identity/access/principal.ts';
import { defaultSettings } from '#server/settings.ts';
import { limitFormFields } from '#server/translation/intake/submission-limits.ts';
import { jobListFilter, jobListPage } from '#server/translation/listing/job-list-filter.ts';
import { uploadedFile } from '#server/trpc.ts';

const id = z.string().meta({ description: 'The ID: 32 hexadecimal characters.' });
const dateTime = z.string().meta({ format: 'date-time', description: 'A time in ISO 8601 format, in UTC.' });
const openObject = z.record(z.string(), z.unknown());

/** `pending` is never stored: a new job is `queued`. */
export const documentJobStatus = z.enum(['pending', 'queued', 'extracted', 'translated', 'failed']).meta({
  id: 'DocumentJobStatus',
  description: 'The status of a document; poll it until it is `translated` or `failed`. Values may be added.',
});

export const documentStage = z.enum(['ingest', 'extract', 'admit', 'map_translate', 'reconstruct']);

const documentTranslationRequest = z
  .object({
    source_lang: z.string().describe('The source language, as sent or detected. Default: `en`.'),
    target_lang: z.string().describe('The target language.'),
    domain: z.string().nullable().describe('The domain, as sent.'),
    idempotency_key: z
      .string()
      .nullable()
      .describe('The idempotency key, as sent in the body or in the header Idempotency-Key.'),
    metadata: openObject.describe(
      'Data that the service adds: `content_type`, `size_bytes`, `idempotency_key` and `tenant`; `submitted_via` if the file was sent to POST /api/translations; and `source_lang_detection` (`language`, `confidence`) if the source language was detected.',
    ),
    text_type: z
      .enum(['Plain', 'Html'])
      .nullable()
      .describe('The text type, as sent. It has no effect on documents.'),
    tone: z.string().nullable().describe('The register, such as `formal`. It applies to every segment.'),
    gender: z
      .string()
      .nullable()
      .describe(
        'The grammatical gender to use if the target language requires one. It applies to every segment.',
      ),
    update_of: z
      .string()
      .optional()
      .describe(
        'The ID of the earlier document whose translations were kept. Absent if the request names none.',
      ),
    pages: z
      .array(z.string())
      .optional()
      .describe(
        'The selected pages of a PDF or slides of a PPTX file, such as `1-3` and `7`, or the names of the selected sheets. Absent if the whole file is translated.',
      ),
    include: z
      .array(z.enum(includable))
      .optional()
      .describe('The texts that are translated only on request, as sent. Absent if none was sent.'),
    exclude_columns: z
      .array(z.string())
      .optional()
      .describe('The columns of sheets whose cells stay, as sent. Absent if none was sent.'),
    output: z
      .enum(outputs)
      .exclude(['translated'])
      .optional()
      .describe('The form of the translated file. Absent for `translated`.'),
    source_field: z
      .enum(sourceFields)
      .optional()
      .describe(
        'The field of a gettext entry that has the text to translate. Absent if the service determines it.',
      ),
    line_length: z
      .number()
      .int()
      .optional()
      .describe("The maximum number of characters of a subtitle's line, as sent. Absent if it was not sent."),
    reading_speed: z
      .number()
      .int()
      .optional()
      .describe(
        'The maximum number of characters of a subtitle for each second, as sent. Absent if it was not sent.',
      ),
    text_names: z
      .object({
        keys: z.array(z.string()).describe('Keys of front matter.'),
        attributes: z.array(z.string()).describe('Attributes of components, elements and shortcodes.'),
      })
      .optional()
      .describe(
        'The keys of front matter and the attributes that the workspace had added to those with texts when the file was sent. Absent if it had none, or the format has no such names.',
      ),
  })
  .meta({ id: 'DocumentTranslationRequest', description: 'The request of a document job.' });

export const documentFailureDetail = z
  .object({
    code: z
      .enum(['stage_timeout', 'transient_error', 'unexpected_error', 'interrupted', 'quota_exceeded'])
      .describe(
        'The reason for the failure, and what to do. `transient_error`: send the file again later. `stage_timeout`: split the file. `unexpected_error`: do not send the same file again. `interrupted`: send the file again. `quota_exceeded`: the remaining allowance was too small.',
      ),
    stage: z.string().meta({
      description:
        'The stage that failed: `ingest`, `extract`, `admit`, `map_translate` or `reconstruct`; `worker` if the process of the worker stopped.',
    }),
    message: z.string().describe('A readable description of the failure.'),
    error_type: z.string().nullable().describe('The internal type of the error; null if it has no type.'),
    retry_attempts: z.int().describe('How often the stage was retried.'),
    transient: z.boolean().describe('Whether the same file may succeed later.'),
    timeout: z.boolean().describe('Whether the stage exceeded its time limit.'),
    metadata: openObject.describe('Further data about the failure.'),
  })
  .meta({
    id: 'DocumentFailureDetail',
    description: 'Why a document failed. Programs should use `code` only.',
  });

const documentQualityFinding = z
  .object({
    severity: z.enum(['info', 'warning', 'error']).describe('The severity of the finding.'),
    code: z
      .string()
      .describe('The kind of finding, such as `text_shrunk` or `low_segment_quality`. Values may be added.'),
    message: z.string().describe('A readable description of the finding.'),
    unit_id: z.string().nullable().meta({
      description:
        'The ID of the region, cell or table with the finding; null if it is about the whole file.',
    }),
  })
  .meta({ id: 'DocumentQualityFinding', description: 'A finding about a translated document.' });

const documentQualityReport = z
  .object({
    schema_version: z.string().describe('The version of the report format: `1.0`.'),
    document_id: id.meta({
      description: 'The ID of the layout of the document. It is not the ID of the document job.',
    }),
    source_lang: z.string().describe('The source language.'),
    target_lang: z.string().describe('The target language.'),
    overall_score: z.number().meta({ description: 'The quality of the whole document, from 0 to 1.' }),
    translated_units: z.int().describe('The number of segments with a translation.'),
    total_units: z.int().describe('The number of all segments.'),
    findings: z.array(documentQualityFinding).describe('The findings; may be empty.'),
    metadata: openObject.describe(
      'Counts: `page_count`, and `llm_quality` with `needs_review_units` and `noncompliant_units`. If reviewers have confirmed segments, also `human_review` with `confirmed_units`, and with `unresolved_units`, which need a review and are not confirmed. `receipt` has the outcome of every visible text of the source: `rows` with `outcome` (`translated`, `unchanged`, `failed`, `kept`, `unreadable`, `not_selected` or `unaccounted`), `reason`, `texts` and `characters` (without white space), whose sums are `texts` and `characters`; and `truncated_texts`, the number of translated texts that did not fit. It is absent for a document of an earlier version.',
    ),
  })
  .meta({
    id: 'DocumentQualityReport',
    description: 'The quality of the translated document, when its file was last written.',
  });

const documentReviewRecord = z
  .object({
    id,
    reviewer: z.string().nullable().describe('The reviewer; null if unknown.'),
    claimed_via: claimedVia
      .nullish()
      .describe(
        'The API key whose client sent the name in `reviewer`, which is not verified. Null or absent for a signed-in member.',
      ),
    corrections: z.int().describe('The number of corrected segments.'),
    notes: z.string().nullable().describe('The notes of the reviewer.'),
    created_at: dateTime,
    artifact_id: id,
  })
  .meta({
    id: 'DocumentReviewRecord',
    description: 'A review of a document, in which segments were corrected.',
  });

export const documentArtifact = z
  .object({
    id,
    kind: z
      .enum(['source', 'translated', 'existing'])
      .describe(
        'Whether this is the source file, a translated file, or the texts that stay of an existing translation.',
      ),
    revision: z.int().meta({
      description:
        'The number of the revision, from 1. Source files and translated files are counted separately.',
    }),
    content_type: z.string().describe('The media type of the file.'),
    size_bytes: z.int().describe('The size of the file in bytes.'),
    sha256: z.string().meta({ description: 'The SHA-256 hash of the content, in hexadecimal.' }),
    created_at: dateTime,
  })
  .meta({
    id: 'TenantDocumentArtifact',
    description: 'A file of a document: the source, or a revision of the translated file.',
  });

const documentFedPair = z
  .object({
    source_text: z.string().describe('The source text of the segment.'),
    target_text: z.string().describe('The approved translation of the segment.'),
    source_hash: z
      .string()
      .describe(
        'The hash of the normalized source text, which identifies the segment in the translation memory.',
      ),
    corrected: z.boolean().describe('Whether a reviewer changed the translation.'),
    stage: z
      .enum(['review', 'approve'])
      .describe('Whether the segment was added by a review or by the approval of the document.'),
    created_at: dateTime,
  })
  .meta({ id: 'DocumentFedPair', description: 'A segment that a document added to the translation memory.' });

const documentFeedManifest = z
  .object({
    fed_pairs: z.array(documentFedPair).describe('The segments that were added, oldest first.'),
    skipped: z
      .record(z.string(), z.int())
      .describe(
        'How many segments the last approval did not add, by reason: `empty`, `fast_path`, `needs_review`, `duplicates`.',
      ),
    golden_skipped_at_cap: z
      .int()
      .describe('The number of segments that were not added because the translation memory was full.'),
    last_feed_error: z
      .string()
      .nullable()
      .describe('The error of the last attempt to add segments; null if it succeeded.'),
  })
  .meta({
    id: 'DocumentFeedManifest',
    description: 'The segments that a document added to the translation memory.',
  });

export const documentJob = z
  .object({
    id,
    tenant_id: z
      .string()
      .nullable()
      .describe('The ID of the workspace; null on a deployment without tenants.'),
    request: documentTranslationRequest,
    status: documentJobStatus,
    source_file_name: z
      .string()
      .describe('The name of the source file, which is also the name of downloads.'),
    source_format: z
      .enum(layoutKindNames)
      .describe('The format of the source file and of the translated file.'),
    layout: z.null().describe('Reserved; always null.'),
    quality_report: documentQualityReport
      .nullable()
      .describe('The quality of the document; null before it is translated.'),
    billable_chars: z
      .int()
      .describe('The characters of the translated source segments, unweighted; 0 if the job is not billed.'),
    review_history: z.array(documentReviewRecord).describe('The reviews, oldest first.'),
    artifacts: z
      .array(documentArtifact)
      .describe('The source file and all revisions of the translated file, oldest first.'),
    approved_at: dateTime.nullable().describe('The time of the approval, ISO 8601 in UTC; null before it.'),
    approved_by: z.string().nullable().describe('The reviewer who approved the document first.'),
    changed_since_approval: dateTime
      .nullable()
      .describe(
        'The time of the last correction after the approval: the file is newer than what was approved. Null without one, and after the next approval.',
      ),
    awaits_approval: z
      .boolean()
      .describe(
        'Whether a reviewer is to approve the document, because it is assigned: until then, corrections in its file are not approved.',
      ),
    approved_via: claimedVia
      .nullable()
      .describe(
        'The API key whose client sent the name in `approved_by`, which is not verified. Null for a signed-in member.',
      ),
    feed_manifest: documentFeedManifest,
    error: z.string().nullable().describe('The message of `failure`; null if the document did not fail.'),
    failure: documentFailureDetail.nullable().describe('Why the document failed; null if it did not fail.'),
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
      .meta({ description: 'How far the translation is; null if the job is not in progress.' }),
    waiting: z
      .object({
        since: dateTime.describe('The time of the first failed attempt, ISO 8601 in UTC.'),
        reason: z
          .string()
          .describe(
            'The error code of the last attempt: `transient_error`, `rate_limit` or `service_unavailable`. Values may be added.',
          ),
        attempts: z.int().describe('The number of failed attempts.'),
        next_attempt_at: dateTime.describe(
          'The time of the next attempt, ISO 8601 in UTC. It is in the past while that attempt runs.',
        ),
      })
      .nullable()
      .meta({
        description:
          'Set if the last attempt failed for a temporary reason, for example because the model did not respond. The service retries the job for OUTAGE_HOURS. Otherwise null.',
      }),
    stage_timings: openObject
      .optional()
      .meta({ description: 'The duration of each stage in milliseconds. Only operators get this field.' }),
    input_tokens: z
      .int()
      .optional()
      .meta({ description: 'Input tokens of the models. Only operators get this field.' }),
    output_tokens: z
      .int()
      .optional()
      .meta({ description: 'Output tokens of the models. Only operators get this field.' }),
    models: z
      .array(z.string())
      .optional()
      .meta({ description: 'The models that the job used. Only operators get this field.' }),
  })
  .meta({
    id: 'TenantDocumentJob',
    description: 'The job of a file that is translated and keeps its layout.',
  });

const field = (description: string) => z.string().max(1000).optional().describe(description);

/** A field with several values: sent several times, or once with commas or a JSON list. */
const listField = (description: string) =>
  z
    .union([z.string().max(10_000), z.array(z.string().max(1000)).max(1000)])
    .optional()
    .describe(description);

/** The form of POST /api/documents/translate. */
export const documentForm = z.object({
  source_document: uploadedFile
    .optional()
    .describe(
      `The file to translate, of at most ${defaultSettings.MAX_UPLOAD_BYTES} bytes. Its extension determines the format; a 415 lists all of them.`,
    ),
  target_lang: field('Required: the target language. It must be a supported language.'),
  source_lang: field('The source language: a supported language, or `auto` to detect it. Default: `en`.'),
  domain: field('The subject of the document. It is stored with the job.'),
  tone: field('The register, such as `formal`.'),
  gender: field('The grammatical gender to use if the target language requires one.'),
  text_type: field('`Plain` or `Html`. It has no effect on documents. Default: `Plain`.'),
  update_of: field(
    'The ID of an earlier document with the same languages, `domain`, `tone` and `gender`. Texts that the file has in common with it keep their translations and confirmations, and are not billed.',
  ),
  existing_target: uploadedFile
    .optional()
    .describe(
      'The translation of an earlier version of the file, in the same format, perhaps edited by hand. Its texts stay, and are not billed, except those whose source has changed. A text that was edited since it was written stays also then. Warnings name edited texts whose source has changed or was removed.',
    ),
  existing_texts: uploadedFile
    .optional()
    .describe(
      'The hashes of the texts of `existing_target` when the service wrote it, as JSON from `GET /api/documents/{document_id}/download?content=texts`. Without them, all texts of `existing_target` stay. With ` outdated` after its hashes, a text is translated again unless it was edited.',
    ),
  pages: listField(
    'What to translate: for a PDF, pages such as `1-3,7` or `5-`; for a PPTX file, slides in the same form; for an XLSX file, names of sheets. Send the field several times, or once with commas or a JSON list of strings. Only a JSON list or a repeated field can have the name of a sheet with a comma. The rest of the file stays unchanged and is not billed. Default: everything.',
  ),
  include: listField(
    `Texts that are translated only on request: ${includable.map((name) => `\`${name}\``).join(', ')}. A format accepts only those that it has. Send the field several times, or once with commas.`,
  ),
  exclude_columns: listField(
    'For workbooks and ODS files: columns whose cells stay and are not billed, such as `A`, or `Labels!A` for one sheet. Send the field several times, or once with commas or a JSON list of strings.',
  ),
  output: field(
    'The form of the translated file: `translated`, `bilingual` or `docx`. Default: `translated`.',
  ),
  source_field: field(
    'For a gettext catalog: `msgid`, or `msgstr` if the IDs are keys or the translations are in the source language. Default: determined from the catalog.',
  ),
  line_length: field(
    'For subtitles: the maximum number of characters of a line, from 10 to 200. Default: 42, or 20 for Chinese, Japanese, Korean and Thai.',
  ),
  reading_speed: field(
    'For subtitles: the maximum number of characters for each second, from 5 to 100. Default: 21, or 11 for Chinese, Japanese, Korean and Thai. A model shortens a longer translation once; what is still too long gets the finding `text_too_long`.',
  ),
  wait: field('With `1`, `true` or `yes`, the response is sent when the job has ended, and has status 200.'),
  idempotency_key: z
    .string()
    .min(1)
    .max(255)
    .nullable()
    .default(null)
    .describe(
      'An idempotency key of 1 to 255 characters. If a job of the workspace already has this key, the response is that job.',
    ),
  ...limitFormFields,
});

export const documentListQuery = jobListFilter.extend({
  status: documentJobStatus.optional().describe('Only jobs with this status.'),
  ...jobListPage,
});

/** Maximum characters of a reviewer's translation of a segment. */
export const maxTargetLength = 50_000;

export const documentReviewInput = z
  .object({
    document_id: z.string().describe('The ID of the document job.'),
    corrections: z
      .array(
        z.object({
          region_id: z
            .string()
            .max(500)
            .describe('The `region_id` of the segment, from the list of segments.'),
          cell_id: z.string().max(500).nullish().describe('The `cell_id` of the segment, if it has one.'),
          target_text: z
            .string()
            .max(maxTargetLength)
            .describe(`The corrected translation, at most ${maxTargetLength} characters.`),
        }),
      )
      .min(1)
      .max(1000)
      .describe('The corrections, 1 to 1000. Either all are applied or none.'),
    notes: z.string().max(10_000).nullish().describe('Notes of the reviewer, at most 10000 characters.'),
    reviewer: z
      .string()
      .max(320)
      .nullish()
      .describe(
        'The name of the reviewer, at most 320 characters, for clients with an API key. For signed-in members, the session determines the reviewer.',
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
    artifacts_removed: z.int().describe('The number of deleted files.'),
    segments_removed: z.int().describe('The number of deleted segments.'),
    golden_records_deleted: z.int().describe('The number of deleted records of the approval.'),
    tm_pairs_removed: z
      .int()
      .describe(
        'The number of segments removed from the translation memory. Only segments that no other document or text has added are removed.',
      ),
    learning_rows_removed: z
      .int()
      .describe(
        'The number of removed entries that say which segments the document added to the translation memory.',
      ),
  })
  .meta({ id: 'DocumentDeletion' });

export const documentSummary = z
  .object({
    total: z.int().describe('The number of all document jobs.'),
    by_status: z.record(z.string(), z.int()).describe('The number of jobs by status.'),
    by_format: z.record(z.string(), z.int()).describe('The number of jobs by file format.'),
    approved: z.int().describe('The number of approved document jobs.'),
    needs_review: z
      .int()
      .describe('The number of translated document jobs in which a segment needs a review.'),
    billable_chars: z
      .int()
      .describe('The characters of the translated source segments of all jobs, unweighted.'),
    tenants: z
      .array(openObject)
      .optional()
      .meta({ description: 'The figures of each tenant. Only operators get this field.' }),
    stage_timings: openObject
      .optional()
      .meta({ description: 'The durations of the stages. Only operators get this field.' }),
  })
  .meta({ id: 'DocumentSummary', description: 'Counts of document jobs.' });

export const summaryQuery = z.object({
  include_tenant_breakdown: z
    .boolean()
    .optional()
    .describe('For operators only: whether the response has the figures of each tenant.'),
  include_stage_timing_breakdown: z
    .boolean()
    .optional()
    .describe('For operators only: whether the response has the durations of the stages.'),
});

export const documentApproval = z
  .object({
    job: documentJob,
    approval_result: z
      .object({
        approved: z.literal(true).describe('Always true.'),
        already_approved: z
          .boolean()
          .describe('Whether the document was already approved. If so, nothing has changed.'),
        reviewer: z.string().nullable().describe('The reviewer who approved the document first.'),
        fed_pairs: z
          .int()
          .describe('The number of segments that this approval added to the translation memory.'),
        skipped: z
          .object({
            fast_path: z
              .int()
              .describe('Segments that come unchanged from the translation memory or a glossary.'),
            needs_review: z
              .int()
              .describe('Segments that need a review and were neither corrected nor confirmed.'),
            duplicates: z.int().describe('Segments that are already in the translation memory.'),
            empty: z.int().describe('Segments without text.'),
          })
          .describe('The number of segments that were not added to the translation memory, by reason.'),
        feed_error: z
          .string()
          .nullable()
          .describe(
            'The error if the translation memory could not be updated; otherwise null. The approval is valid in both cases.',
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
