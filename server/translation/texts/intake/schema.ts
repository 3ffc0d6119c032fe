import { z } from 'zod';
import { tooLarge } from '#server/errors.ts';
import { arrayLimits } from '#server/http/array-limits.ts';
import type { Settings } from '#server/settings.ts';
import { uploadedFile } from '#server/trpc.ts';
import { maxKeyLength, translationRequest } from '../schema.ts';

const note = (description: string) => z.string().max(1000).nullable().optional().describe(description);

/** Each pair of input and target counts as an item; each input needs at least one target. */
const batchItems = {
  most: ({ MAX_BATCH_ITEMS }: Settings) => MAX_BATCH_ITEMS,
  refusal: ({ MAX_BATCH_ITEMS }: Settings, input: unknown) =>
    tooLarge('batch exceeds MAX_BATCH_ITEMS', {
      limit: MAX_BATCH_ITEMS,
      actual: countItems(input),
      unit: 'items',
    }),
};

/** An input without a list of targets counts once: its errors are reported after the number of items is checked. */
function countItems(input: unknown): number {
  const { inputs = [] } = input as { inputs?: { Targets?: unknown }[] };
  return inputs.reduce(
    (sum, one) => sum + (Array.isArray(one?.Targets) ? Math.max(one.Targets.length, 1) : 1),
    0,
  );
}

export const batchRequest = z
  .object({
    inputs: z
      .array(
        z.object({
          Text: z.string().describe('At most 50000 characters, not blank.'),
          Language: z.string().default('en').describe('The language of the text; `auto` detects it.'),
          TextType: z.enum(['Plain', 'Html']).default('Plain').describe('Like `text_type` of a single text.'),
          Targets: z
            .array(
              z.object({
                Language: z.string().describe('The language to translate into.'),
                Tone: note('The register.'),
                Gender: note('Grammatical gender, for agreement.'),
                DeploymentName: note('Accepted, without effect.'),
                AllowFallback: z.boolean().nullable().optional().describe('Accepted, without effect.'),
                AdaptiveDatasetId: note('Accepted, without effect.'),
              }),
            )
            .min(1)
            .describe('A job for each.')
            .register(arrayLimits, batchItems),
        }),
      )
      .min(1)
      .describe('The texts, of at most 50 pairs of a text and a target.')
      .register(arrayLimits, batchItems),
    idempotency_key: z
      .string()
      .min(1)
      .max(maxKeyLength)
      .nullable()
      .default(null)
      .describe('Each job gets this key with its index from 0: `<key>:<index>`.'),
  })
  .meta({ id: 'BatchTranslationRequest' });

/** A document that is sent as text is translated page by page. */
export const documentTextRequest = translationRequest
  .extend({
    metadata: z
      .looseObject({
        source_document: z
          .looseObject({
            name: z.string().max(255).optional().describe('The name for downloads; at most 255 characters.'),
          })
          .describe(
            'Marks the text as a document: it is split into pages of 5000 characters, one job per page.',
          ),
      })
      .describe('Like that of a single text.'),
  })
  .meta({ id: 'DocumentTextRequest' });

const field = (description: string) => z.string().max(1000).optional().describe(description);

/** A file whose text is extracted and translated page by page, with the fields of its form or query. */
export const fileRequest = z.object({
  source_document: uploadedFile
    .optional()
    .describe('A PDF, DOCX or XLSX becomes a document job; other files are read as text, one job per page.'),
  target_lang: field('Required. A supported language.'),
  source_lang: z.string().default('en').describe('The language of the file; `auto` detects it.'),
  domain: field('Like that of a single text.'),
  tone: field('The register.'),
  gender: field('Grammatical gender, for agreement.'),
  text_type: field('`Plain` or `Html`.'),
  candidate_models: field('Models to compare, separated by commas.'),
  debate_rounds: field('1 to 3; default 1.'),
  model: field('The model to translate with.'),
  min_quality_score: field('0 to 100; default 85.'),
  max_quality_loop_retries: field('1 to 5; default 2.'),
  metadata: z.string().max(65_536).optional().meta({ description: 'a JSON object as text' }),
  idempotency_key: z
    .string()
    .min(1)
    .max(maxKeyLength)
    .nullable()
    .default(null)
    .describe('Each page gets this key with its number from 1: `<key>:<n>`.'),
});

export type BatchRequest = z.infer<typeof batchRequest>;
export type DocumentTextRequest = z.infer<typeof documentTextRequest>;
export type FileRequest = z.infer<typeof fileRequest>;
