import { z } from 'zod';
import { warnings } from '#server/http/warnings.ts';
import { languageCodes } from '#server/languages.ts';
import {
  agentRun,
  dateTime,
  id,
  qualityAssessment,
  refinement,
  verification,
} from '#server/translation/core/agent-run-schema.ts';
import { jobListFilter } from '#server/translation/core/listing/job-list-filter.ts';

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
    source_text: z.string().describe('At most 50000 characters (Unicode code points), not blank.'),
    target_lang: z
      .string()
      .describe(`A supported language, in any letter case: ${languageCodes.join(', ')}.`),
    source_lang: z
      .string()
      .default('en')
      .describe(
        'A supported language, or `auto` to detect it; the job has the detected language, and `metadata.source_lang_detection` its confidence. 422 lists the candidates if detection fails. The default is English.',
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
        '1 to 255 characters, unique in the workspace. The Idempotency-Key header sets it. A key that already has a job returns that job.',
      ),
    domain: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe(
        'A hint. `finance`, `financial`, `healthcare`, `legal`, `medical` and `pharma` always require a review.',
      ),
    metadata: openObject
      .default({})
      .describe(
        'Options by key: `min_quality_score` (0 to 100, default 85), `max_quality_loop_retries` (1 to 5, default 2), `candidate_models` (two at most), `debate_rounds` (1 to 3, default 1), `sensitive`, `regulated` and `requires_human_review` (true requires a review), `source_document` (a text that is translated page by page). Other keys are kept. In jobs the service adds its own, such as `tenant`, `provenance`, `terminology_gate` and `source_lang_detection` (`language` and `confidence`, 0 to 1).',
      ),
    text_type: textType
      .nullable()
      .default(null)
      .describe(
        '`Html`: only text and the attributes title, alt, placeholder and aria-label are translated. Default: `Plain`.',
      ),
    tone: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('The register, such as `formal` or `informal`: formality and wording only.'),
    gender: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('Grammatical gender, for agreement if the target language requires it.'),
    deployment_name: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('Accepted and returned, without effect.'),
    adaptive_dataset_id: z
      .string()
      .max(1000)
      .nullable()
      .default(null)
      .describe('Accepted and returned, without effect.'),
    allow_fallback: z.boolean().nullable().default(null).describe('Accepted and returned, without effect.'),
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
      .describe('The machine translation, before repair and review.'),
    final_translation: z.string().nullable().describe('The published text, or the proposal for review.'),
    quality_assessment: qualityAssessment.nullable().describe('The quality assessment; null on a fast path.'),
    refinement: refinement.nullable().describe('The repair; null on a fast path.'),
    verification: verification.nullable().describe('The last check; null on a fast path.'),
    agent_run: agentRun,
    warnings,
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: 'TranslationJob', description: 'A text, its translation, and the steps of the pipeline.' });

export const goldenFormat = z.enum(['txt', 'docx', 'pdf']).default('txt').describe('The type of the file.');

/** The result of a deletion: the items that were actually removed. */
export const jobDeletion = z
  .object({
    deleted: z.literal(true).describe('Always true.'),
    job_id: id,
    records_removed: z.int().describe('Database records.'),
    artifacts_removed: z.int().describe('Files.'),
    golden_records_deleted: z.int().describe('Deleted golden records.'),
    tm_pairs_removed: z.int().describe('Pairs removed from the translation memory.'),
  })
  .meta({ id: 'TranslationDeletion' });

export const listQuery = jobListFilter.extend({
  status: jobStatus.optional().describe('Only jobs with this status.'),
  limit: z.int().min(1).max(200).default(50).describe('1 to 200 jobs.'),
  cursor: z.string().max(200).optional().describe('From the X-Next-Cursor header of the previous page.'),
});

export type JobStatus = z.infer<typeof jobStatus>;
export type TranslationRequest = z.infer<typeof translationRequest>;
export type TranslationJob = z.infer<typeof translationJob>;
export type GoldenFormat = z.infer<typeof goldenFormat>;
export type ListQuery = z.infer<typeof listQuery>;
export type JobDeletion = z.infer<typeof jobDeletion>;
