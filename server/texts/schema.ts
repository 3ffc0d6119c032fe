import { z } from 'zod';
import { warnings } from '#server/http/warnings.ts';
import { languageCodes } from '#server/languages.ts';
import { defaultSettings } from '#server/settings.ts';
import {
  agentRun,
  dateTime,
  id,
  qualityAssessment,
  refinement,
  verification,
} from '#server/translation/agent-run-schema.ts';
import { limitFields } from '#server/translation/intake/submission-limits.ts';
import { jobListFilter, jobListPage } from '#server/translation/listing/job-list-filter.ts';
import { aboutText, manner } from '#server/translation/request.ts';

const openObject = z.record(z.string(), z.unknown());

export const jobStatus = z
  .enum([
    'pending',
    'translated',
    'refined',
    'awaiting_review',
    'approved',
    'human_edited',
    'rejected',
    'published',
    'failed',
    'persistence_failed',
  ])
  .meta({
    id: 'JobStatus',
    description:
      'The status of a text job. `awaiting_review` can be reviewed; `published` and `human_edited` can be downloaded; `persistence_failed` is translated and billed, but not published yet. Values may be added.',
  });

const textType = z.enum(['Plain', 'Html']);

/** Maximum number of characters of an idempotency key in a request. */
export const maxKeyLength = 255;

/**
 * The schema does not check languages: the service checks them against the supported ones, and its error message lists
 * these.
 */
export const translationRequest = z
  .object({
    source_text: z
      .string()
      .describe(
        `The text to translate: at most MAX_SOURCE_CHARS characters (Unicode code points; ${defaultSettings.MAX_SOURCE_CHARS} unless the operator has changed it), not blank.`,
      ),
    target_lang: z
      .string()
      .describe(`The target language, one of ${languageCodes.join(', ')}. Letter case is ignored.`),
    source_lang: z
      .string()
      .default('en')
      .describe(
        'The source language: a supported language, or `auto` to detect it. The job then has the detected language, and `metadata.source_lang_detection` has the confidence of the detection. If the detection fails, the response is a 422 that lists possible languages. Default: `en`.',
      ),
    // The length is not checked here: for a job of several, the service adds the job's position to the key. See
    // `requireKey`.
    idempotency_key: z
      .string()
      .min(1)
      .meta({ maxLength: maxKeyLength })
      .nullable()
      .default(null)
      .describe(
        'An idempotency key of 1 to 255 characters, which you can also send in the header Idempotency-Key. If a job of the workspace already has this key, the response is that job.',
      ),
    domain: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe(
        'The subject of the text, as a hint for the model. The domains `finance`, `financial`, `healthcare`, `legal`, `medical` and `pharma` always require a review.',
      ),
    metadata: openObject
      .default({})
      .describe(
        'Options, and any data of yours. The options are `min_quality_score` (0 to 100, default 85), `max_quality_loop_retries` (1 to 5, default 2), `candidate_models` (at most two), `debate_rounds` (1 to 3, default 1), `sensitive`, `regulated` and `requires_human_review` (each requires a review if true), and `source_document` (the text is translated page by page). Other keys are stored unchanged. In jobs, the service adds keys such as `tenant`, `provenance`, `terminology_gate`, `redaction` (`replaced`: the number of values that models did not get, by kind) and `source_lang_detection` (`language`, and `confidence` from 0 to 1).',
      ),
    text_type: textType
      .nullable()
      .default(null)
      .describe(
        'The format of the text. With `Html`, only the visible text and the attributes title, alt, placeholder and aria-label are translated. Default: `Plain`.',
      ),
    ...manner,
    ...aboutText,
    deployment_name: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('Accepted for compatibility and returned; has no effect.'),
    adaptive_dataset_id: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('Accepted for compatibility and returned; has no effect.'),
    allow_fallback: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Accepted for compatibility and returned; has no effect.'),
    ...limitFields,
  })
  .meta({
    id: 'TranslationRequest',
    description: 'A text to translate. In a job, `metadata` also has values that the service added.',
  });

export const translationJob = z
  .object({
    id,
    request: translationRequest,
    status: jobStatus,
    baseline_translation: z
      .string()
      .nullable()
      .describe('The first machine translation, before any repair or review.'),
    final_translation: z
      .string()
      .nullable()
      .describe('The published translation; before the review, the text that is proposed to the reviewer.'),
    published_text: z
      .string()
      .nullable()
      .describe('`final_translation` once the job is published; null before, and if it is never published.'),
    quality_assessment: qualityAssessment
      .nullable()
      .describe(
        'The quality assessment of the first translation; null if the translation comes unchanged from the translation memory or a glossary.',
      ),
    refinement: refinement
      .nullable()
      .describe(
        'The repair of the translation; null if the translation comes unchanged from the translation memory or a glossary.',
      ),
    verification: verification
      .nullable()
      .describe(
        'The check of the final translation; null if the translation comes unchanged from the translation memory or a glossary.',
      ),
    agent_run: agentRun,
    warnings,
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({
    id: 'TranslationJob',
    description: 'A text, its translation, and the steps that the service took.',
  });

export const goldenFormat = z
  .enum(['txt', 'docx', 'pdf'])
  .default('txt')
  .describe('The type of the file to download.');

/** The result of a deletion: the items that were actually removed. */
export const jobDeletion = z
  .object({
    deleted: z.literal(true).describe('Always true.'),
    job_id: id,
    records_removed: z.int().describe('The number of deleted database records.'),
    artifacts_removed: z.int().describe('The number of deleted files.'),
    golden_records_deleted: z.int().describe('The number of deleted golden records.'),
    tm_pairs_removed: z.int().describe('The number of segments removed from the translation memory.'),
  })
  .meta({ id: 'TranslationDeletion' });

export const listQuery = jobListFilter.extend({
  status: jobStatus.optional().describe('Only jobs with this status.'),
  ...jobListPage,
});

export type JobStatus = z.infer<typeof jobStatus>;
export type TranslationRequest = z.infer<typeof translationRequest>;
/** A job as in a response. */
export type JobView = z.infer<typeof translationJob>;
export type TranslationJob = Omit<JobView, 'published_text'>;
export type GoldenFormat = z.infer<typeof goldenFormat>;
export type ListQuery = z.infer<typeof listQuery>;
export type JobDeletion = z.infer<typeof jobDeletion>;
