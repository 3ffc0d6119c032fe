import { z } from 'zod';
import { uploadedFile } from '#server/trpc.ts';

const id = z.string().meta({ description: '32 hexadecimal characters' });
const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** B 2.9. Only the response to an upload has the last four. */
export const memorySet = z
  .object({
    id,
    name: z.string(),
    source_lang: z.string(),
    target_lang: z.string(),
    origin: z.enum(['tmx_import', 'golden_approved']),
    entry_count: z.int(),
    embedding_model: z.string().nullable(),
    stub_embeddings: z.boolean(),
    created_at: dateTime,
    updated_at: dateTime,
    total_units: z.int().optional().meta({ description: 'units of the file' }),
    imported: z.int().optional().meta({ description: 'segments that are stored' }),
    skipped_units: z.int().optional().meta({ description: 'units without a text in both languages' }),
    duplicates_dropped: z.int().optional(),
  })
  .meta({ id: 'TranslationMemorySet' });

/** B 2.9: an import that runs in the background. */
export const memoryImportJob = z
  .object({
    id,
    status: z.enum(['running', 'completed', 'failed']),
    set_name: z.string(),
    source_lang: z.string(),
    target_lang: z.string(),
    total_units: z.int(),
    deduped_units: z.int().meta({ description: 'the units left after duplicates collapse' }),
    created_at: dateTime,
    updated_at: dateTime,
    error: z.string().nullable(),
    result: memorySet.nullable().meta({ description: 'what a synchronous import would have answered' }),
  })
  .meta({ id: 'TranslationMemoryImportJob' });

/** The 202 response to a large import, and the response to polling it. */
export const memoryImportPoll = z
  .object({ poll_url: z.string(), job: memoryImportJob })
  .meta({ id: 'TranslationMemoryImportPoll' });

/** The form of B 4.5. The service returns 400 for fields that are missing or too long. */
export const importForm = z.object({
  tmx_file: uploadedFile.optional().meta({ description: 'a .tmx file, TMX 1.4b' }),
  name: z.string().optional().meta({ description: '1 to 128 characters' }),
  source_lang: z.string().optional(),
  target_lang: z.string().optional(),
});

export const goldenExportQuery = z.object({
  source_lang: z.string().default(''),
  target_lang: z.string().default(''),
});

export type MemorySet = z.infer<typeof memorySet>;
export type MemoryImportJob = z.infer<typeof memoryImportJob>;
export type MemoryImportPoll = z.infer<typeof memoryImportPoll>;
export type ImportForm = z.infer<typeof importForm>;
