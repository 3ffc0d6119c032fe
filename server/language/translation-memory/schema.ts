import { z } from 'zod';
import { uploadedFile } from '#server/trpc.ts';

const id = z.string().meta({ description: 'The ID: 32 hexadecimal characters.' });
const dateTime = z.string().meta({ format: 'date-time', description: 'A time in ISO 8601 format, in UTC.' });

/** A TM set. Only the response to an upload has the last four fields. */
export const memorySet = z
  .object({
    id,
    name: z.string().describe('The name of the set. An upload with the same name replaces the set.'),
    source_lang: z.string().describe('The source language.'),
    target_lang: z.string().describe('The target language.'),
    origin: z
      .enum(['tmx_import', 'golden_approved'])
      .describe(
        '`tmx_import` for an imported file; `golden_approved` for the approved translations of the workspace.',
      ),
    entry_count: z.int().describe('The number of segments.'),
    embedding_model: z
      .string()
      .nullable()
      .describe('The model that computed its embeddings; null if it has none.'),
    stub_embeddings: z
      .boolean()
      .describe(
        'True if the deployment has no embedding model. Fuzzy matches are then found by similar spelling only.',
      ),
    created_at: dateTime,
    updated_at: dateTime,
    total_units: z.int().optional().meta({ description: 'The number of units in the file.' }),
    imported: z.int().optional().meta({ description: 'The number of segments that were stored.' }),
    skipped_units: z.int().optional().meta({
      description:
        'The number of units that were skipped because a text in one of the two languages is missing.',
    }),
    duplicates_dropped: z
      .int()
      .optional()
      .describe('The number of units that were dropped because another unit has the same source text.'),
  })
  .meta({
    id: 'TranslationMemorySet',
    description:
      'A set of segments in the translation memory. Only the response to an upload has the fields `total_units`, `imported`, `skipped_units` and `duplicates_dropped`.',
  });

/** An import that runs in the background. */
export const memoryImportJob = z
  .object({
    id,
    status: z
      .enum(['running', 'completed', 'failed'])
      .describe('The status of the import. Poll it until it is `completed` or `failed`.'),
    set_name: z.string().describe('The name of the set to import into.'),
    source_lang: z.string().describe('The source language, as sent with the upload.'),
    target_lang: z.string().describe('The target language, as sent with the upload.'),
    total_units: z.int().describe('The number of units in the file.'),
    deduped_units: z.int().meta({ description: 'The number of units without duplicates.' }),
    created_at: dateTime,
    updated_at: dateTime,
    error: z
      .string()
      .nullable()
      .describe('The error and how to fix it, if the import failed; otherwise null.'),
    result: memorySet
      .nullable()
      .meta({ description: 'The imported set, when the import is completed; otherwise null.' }),
  })
  .meta({ id: 'TranslationMemoryImportJob', description: 'An import that runs in the background.' });

/** The 202 response to a large import. Requests for the import's status get the same response. */
export const memoryImportPoll = z
  .object({
    poll_url: z.string().describe('The path to poll for the status of the import.'),
    job: memoryImportJob,
  })
  .meta({
    id: 'TranslationMemoryImportPoll',
    description: 'An import in the background, and the path to poll for its status.',
  });

/** The upload form. The service itself returns 400 for fields that are missing or too long. */
export const importForm = z.object({
  tmx_file: uploadedFile.optional().meta({ description: 'The file to import: .tmx, in TMX 1.4b.' }),
  name: z.string().optional().meta({ description: 'The name of the set, 1 to 128 characters.' }),
  source_lang: z
    .string()
    .optional()
    .describe('Required: the source language. A supported language, or a regional tag of one.'),
  target_lang: z
    .string()
    .optional()
    .describe('Required: the target language. A supported language, or a regional tag of one.'),
});

export const goldenExportQuery = z.object({
  source_lang: z.string().default('').describe('The source language.'),
  target_lang: z.string().default('').describe('The target language.'),
});

export type MemorySet = z.infer<typeof memorySet>;
export type MemoryImportJob = z.infer<typeof memoryImportJob>;
export type MemoryImportPoll = z.infer<typeof memoryImportPoll>;
export type ImportForm = z.infer<typeof importForm>;
