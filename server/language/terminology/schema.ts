import { z } from 'zod';
import { uploadedFile } from '#server/trpc.ts';

/** A glossary as the API returns it. */
export const terminologySet = z
  .object({
    id: z
      .string()
      .meta({ description: '32 hexadecimal characters; it stays the same when the name is uploaded again' }),
    name: z.string().describe("The glossary's name; uploading the name again replaces it."),
    source_lang: z.string().nullable().meta({ description: 'as supplied' }),
    target_lang: z.string().nullable().meta({ description: 'as supplied' }),
    entry_count: z.int().describe('The number of entries.'),
    embedding_model: z.string().nullable().describe('The model of its vectors; null without one.'),
    stub_embeddings: z.boolean().describe('Whether no embedding model is configured.'),
    created_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
    updated_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
  })
  .meta({ id: 'TerminologySet', description: 'A glossary.' });

/** The response to an upload. */
export const uploadedGlossary = terminologySet
  .extend({
    warnings: z.array(z.string()).meta({
      description:
        'possible mistakes: no header row, rows skipped, two targets for one source, entries that apply to every language pair',
    }),
  })
  .meta({ id: 'UploadedTerminologySet' });

const declaredLanguage = z.string().optional().meta({
  description: 'required with TMX and TBX; with CSV, for entries without their own',
});

/** The upload form. The service itself returns 400 for fields that are missing or too long. */
export const glossaryForm = z.object({
  terminology_file: uploadedFile.optional().meta({ description: 'a .csv, .tmx or .tbx file' }),
  terminology_csv: uploadedFile
    .optional()
    .meta({ deprecated: true, description: 'the older name of terminology_file, which takes precedence' }),
  name: z.string().optional().meta({ description: '1 to 128 characters' }),
  source_lang: declaredLanguage,
  target_lang: declaredLanguage,
});

export type TerminologySet = z.infer<typeof terminologySet>;
export type UploadedGlossary = z.infer<typeof uploadedGlossary>;
export type GlossaryForm = z.infer<typeof glossaryForm>;
