import { z } from 'zod';
import { uploadedFile } from '#server/trpc.ts';

const id = z.string().meta({ description: '32 hexadecimal characters' });
const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** A TM set. Only the response to an upload has the last four fields. */
export const memorySet = z
  .object({
    id,
    name: z.string().describe("The set's name; uploading the name again replaces it."),
    source_lang: z.string().describe('The language translated from.'),
    target_lang: z.string().describe('The language translated into.'),
    origin: z.enum(['tmx_import', 'golden_approved']).describe('Imported, or collected from approvals.'),
    entry_count: z.int().describe('The number of segments.'),
    embedding_model: z.string().nullable().describe('The model of its vectors; null without one.'),
    stub_embeddings: z
      .boolean()
      .describe('Whether no embedding model is configured: then close matches compare characters only.'),
    created_at: dateTime,
    updated_at: dateTime,
    total_units: z.int().optional().meta({ description: 'units of the file' }),
    imported: z.int().optional().meta({ description: 'segments that are stored' }),
    skipped_units: z.int().optional().meta({ description: 'units without a text in both languages' }),
    duplicates_dropped: z.int().optional().describe('Units with a repeated source.'),
  })
  .meta({
    id: 'TranslationMemorySet',
    description: 'A set of a translation memory. Only the response to an upload has the last four fields.',
  });

/** An import that runs in the background. */
export const memoryImportJob = z
  .object({
    id,
    status: z
      .enum(['running', 'completed', 'failed'])
      .describe('Poll it until it is `completed` or `failed`.'),
    set_name: z.string().describe('The name of the set.'),
    source_lang: z.string().describe('The declared source language.'),
    target_lang: z.string().describe('The declared target language.'),
    total_units: z.int().describe('Units of the file.'),
    deduped_units: z.int().meta({ description: 'the units left after duplicates collapse' }),
    created_at: dateTime,
    updated_at: dateTime,
    error: z.string().nullable().describe('How to solve a failure; null otherwise.'),
    result: memorySet.nullable().meta({ description: 'the response of a synchronous import' }),
  })
  .meta({ id: 'TranslationMemoryImportJob', description: 'An import that runs in the background.' });

/** The 202 response to a large import. Requests for the import's status get the same response. */
export const memoryImportPoll = z
  .object({ poll_url: z.string().describe('The path to poll.'), job: memoryImportJob })
  .meta({ id: 'TranslationMemoryImportPoll', description: 'An import, and where to poll it.' });

/** The upload form. The service itself returns 400 for fields that are missing or too long. */
export const importForm = z.object({
  tmx_file: uploadedFile.optional().meta({ description: 'a .tmx file, TMX 1.4b' }),
  name: z.string().optional().meta({ description: '1 to 128 characters' }),
  source_lang: z.string().optional().describe('Required. A supported language, or a regional tag of one.'),
  target_lang: z.string().optional().describe('Required. A supported language, or a regional tag of one.'),
});

export const goldenExportQuery = z.object({
  source_lang: z.string().default('').describe('The language translated from.'),
  target_lang: z.string().default('').describe('The language translated into.'),
});

export type MemorySet = z.infer<typeof memorySet>;
export type MemoryImportJob = z.infer<typeof memoryImportJob>;
export type MemoryImportPoll = z.infer<typeof memoryImportPoll>;
export type ImportForm = z.infer<typeof importForm>;
