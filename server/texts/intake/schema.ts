import { z } from 'zod';
import { tooLarge } from '#server/errors.ts';
import { arrayLimits } from '#server/http/array-limits.ts';
import { defaultSettings, type Settings } from '#server/settings.ts';
import { limitFields, limitFormFields } from '#server/translation/intake/submission-limits.ts';
import { aboutText, type Manner, manner, readManner } from '#server/translation/request.ts';
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

type About = typeof aboutText;
type InBatch<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Capitalize<First>}${InBatch<Rest>}`
  : Capitalize<Name>;
type AboutInput = { [Name in keyof About as InBatch<Name>]: About[Name] };

/** The name of a field in an input of a batch: `max_length` is `MaxLength` there. */
const nameInBatch = (name: string) =>
  name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

const aboutInput = Object.fromEntries(
  Object.entries(aboutText).map(([name, field]) => [
    nameInBatch(name),
    field.describe(`The same as \`${name}\` of a single text.`),
  ]),
) as AboutInput;

/** Returns what an input of a batch states about its text, by the names of the fields of a single text. */
export function aboutOfInput(input: z.infer<z.ZodObject<AboutInput>>): z.infer<z.ZodObject<About>> {
  const stated: Record<string, unknown> = input;
  return Object.fromEntries(Object.keys(aboutText).map((name) => [name, stated[nameInBatch(name)]]));
}

/** The fields of a manner in a target of a batch, and in the form of a file. */
const mannerOfTarget = Object.fromEntries(
  Object.keys(manner).map((name) => [nameInBatch(name), note(`The same as \`${name}\` of a single text.`)]),
) as { [Name in keyof Manner as InBatch<Name>]: ReturnType<typeof note> };
const field = (description: string) => z.string().max(1000).optional().describe(description);
const mannerOfForm = Object.fromEntries(
  Object.keys(manner).map((name) => [name, field('The same field as for a single text.')]),
) as { [Name in keyof Manner]: ReturnType<typeof field> };

/** Returns the manner of a target of a batch. */
export const readTarget = (target: object): Manner => readManner(target, nameInBatch);

export const batchRequest = z
  .object({
    inputs: z
      .array(
        z.object({
          Text: z.string().describe('The text to translate: at most MAX_SOURCE_CHARS characters, not blank.'),
          Language: z.string().default('en').describe('The language of the text; `auto` detects it.'),
          TextType: z
            .enum(['Plain', 'Html'])
            .default('Plain')
            .describe('The same as `text_type` of a single text.'),
          ...aboutInput,
          Targets: z
            .array(
              z.object({
                Language: z.string().describe('The target language.'),
                ...mannerOfTarget,
                DeploymentName: note('Accepted for compatibility; has no effect.'),
                AllowFallback: z
                  .boolean()
                  .nullable()
                  .optional()
                  .describe('Accepted for compatibility; has no effect.'),
                AdaptiveDatasetId: note('Accepted for compatibility; has no effect.'),
              }),
            )
            .min(1)
            .describe('The target languages. Each becomes a job.')
            .register(arrayLimits, batchItems),
        }),
      )
      .min(1)
      .describe('The texts. All texts together have at most 50 targets.')
      .register(arrayLimits, batchItems),
    idempotency_key: z
      .string()
      .min(1)
      .max(maxKeyLength)
      .nullable()
      .default(null)
      .describe(
        'The idempotency key of the batch. Each job gets the key `<key>:<index>`, with its index from 0.',
      ),
    ...limitFields,
  })
  .meta({ id: 'BatchTranslationRequest' });

/** A document that is sent as text is translated page by page. */
export const documentTextRequest = translationRequest
  .omit({ max_length: true, length_unit: true })
  .extend({
    metadata: z
      .looseObject({
        source_document: z
          .looseObject({
            name: z
              .string()
              .max(255)
              .optional()
              .describe('The file name for downloads, at most 255 characters.'),
          })
          .describe(
            `If set, the text is a document: it is split into pages of ${defaultSettings.MAX_PAGE_CHARS} characters, and each page becomes a job.`,
          ),
      })
      .describe('The same field as for a single text.'),
  })
  .meta({ id: 'DocumentTextRequest' });

/** A file whose text is extracted and translated page by page, with the fields of its form or query. */
export const fileRequest = z.object({
  source_document: uploadedFile
    .optional()
    .describe(
      'The file. A PDF, DOCX or XLSX file becomes a document job. Of other files, the text is extracted and split into pages, and each page becomes a job.',
    ),
  target_lang: field('Required: the target language. It must be a supported language.'),
  source_lang: z.string().default('en').describe('The language of the file; `auto` detects it.'),
  domain: field('The same field as for a single text.'),
  ...mannerOfForm,
  text_type: field('The format of the text: `Plain` or `Html`.'),
  candidate_models: field(
    'The names of further models whose translations are compared, separated by commas.',
  ),
  debate_rounds: field('How often the candidate translations are compared: 1 to 3. Default: 1.'),
  model: field('The name of the model that translates.'),
  min_quality_score: field(
    'The minimum quality score for publication without a review: 0 to 100. Default: 85.',
  ),
  max_quality_loop_retries: field('The maximum number of repairs: 1 to 5. Default: 2.'),
  metadata: z
    .string()
    .max(65_536)
    .optional()
    .meta({ description: 'The metadata of the jobs: a JSON object, as a string.' }),
  idempotency_key: z
    .string()
    .min(1)
    .max(maxKeyLength)
    .nullable()
    .default(null)
    .describe('The idempotency key of the file. Each page gets the key `<key>:<n>`, with its number from 1.'),
  ...limitFormFields,
});

export type BatchRequest = z.infer<typeof batchRequest>;
export type DocumentTextRequest = z.infer<typeof documentTextRequest>;
export type FileRequest = z.infer<typeof fileRequest>;
