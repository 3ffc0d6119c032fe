import { z } from 'zod';
import { arrayLimits } from '#server/array-limits.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { uploadedFile } from '#server/trpc.ts';
import { longestKey, translationRequest } from '../schema.ts';

const note = z.string().max(1000).nullable().optional();

/** B 8: items are counted as (input × target) pairs, and each input has a target. */
const batchItems = {
  most: ({ MAX_BATCH_ITEMS }: Settings) => MAX_BATCH_ITEMS,
  refusal: () => new AppError('payload_too_large', 'batch exceeds MAX_BATCH_ITEMS'),
};

/** B 2.5 */
export const batchRequest = z
  .object({
    inputs: z
      .array(
        z.object({
          Text: z.string(),
          Language: z.string().default('en'),
          TextType: z.enum(['Plain', 'Html']).default('Plain'),
          Targets: z
            .array(
              z.object({
                Language: z.string(),
                Tone: note,
                Gender: note,
                DeploymentName: note,
                AllowFallback: z.boolean().nullable().optional(),
                AdaptiveDatasetId: note,
              }),
            )
            .min(1)
            .register(arrayLimits, batchItems),
        }),
      )
      .min(1)
      .register(arrayLimits, batchItems),
    /** Each job's key is this and its place, `<key>:<index>` from 0. */
    idempotency_key: z.string().min(1).max(longestKey).nullable().default(null),
  })
  .meta({ id: 'BatchTranslationRequest' });

/** B 2.6 source_document: a text that stands for a document is translated page by page. */
export const documentTextRequest = translationRequest
  .extend({
    metadata: z.looseObject({
      source_document: z.looseObject({ name: z.string().max(255).optional() }),
    }),
  })
  .meta({ id: 'DocumentTextRequest' });

const field = z.string().max(1000).optional();

/** A file to be flattened and translated page by page, with the fields of its form or query. */
export const fileRequest = z.object({
  source_document: uploadedFile.optional(),
  target_lang: field,
  source_lang: z.string().default('en'),
  domain: field,
  tone: field,
  gender: field,
  text_type: field,
  candidate_models: field,
  debate_rounds: field,
  model: field,
  min_quality_score: field,
  max_quality_loop_retries: field,
  metadata: z.string().max(65_536).optional().meta({ description: 'a JSON object, as text' }),
  idempotency_key: z.string().min(1).max(longestKey).nullable().default(null),
});

export type BatchRequest = z.infer<typeof batchRequest>;
export type DocumentTextRequest = z.infer<typeof documentTextRequest>;
export type FileRequest = z.infer<typeof fileRequest>;
