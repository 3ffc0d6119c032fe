import { z } from 'zod';
import { uploadedFile } from '#server/trpc.ts';

/** A glossary as the API returns it. */
export const terminologySet = z
  .object({
    id: z.string().meta({
      description:
        'The ID of the glossary: 32 hexadecimal characters. It does not change when the glossary is replaced.',
    }),
    name: z
      .string()
      .describe('The name of the glossary. An upload with the same name replaces the glossary.'),
    source_lang: z
      .string()
      .nullable()
      .meta({ description: 'The source language as sent with the upload; null without one.' }),
    target_lang: z
      .string()
      .nullable()
      .meta({ description: 'The target language as sent with the upload; null without one.' }),
    entry_count: z.int().describe('The number of entries.'),
    embedding_model: z
      .string()
      .nullable()
      .describe('The model that computed its embeddings; null if it has none.'),
    stub_embeddings: z.boolean().describe('True if the deployment has no embedding model.'),
    created_at: z
      .string()
      .meta({ format: 'date-time', description: 'The time of creation, ISO 8601 in UTC.' }),
    updated_at: z
      .string()
      .meta({ format: 'date-time', description: 'The time of the last change, ISO 8601 in UTC.' }),
  })
  .meta({ id: 'TerminologySet', description: 'A glossary.' });

/** The response to an upload. */
export const uploadedGlossary = terminologySet
  .extend({
    warnings: z.array(z.string()).meta({
      description:
        'Possible mistakes in the file: a missing header row, skipped rows, several target terms for one source term, or entries that apply to every language pair. For a workbook also: hidden rows, columns and sheets, and cells whose text was changed.',
    }),
  })
  .meta({ id: 'UploadedTerminologySet' });

/** The number of terms of a glossary for each language pair. */
export const languagePairs = z.array(
  terminologySet
    .pick({ entry_count: true })
    .extend({ source_lang: z.string().nullable(), target_lang: z.string().nullable() }),
);

export const renameRequest = z.object({
  set_id: z.string().max(64),
  // The service itself returns 400 for a name that is missing or too long.
  name: z.string(),
});

export const createRequest = z.object({
  // The service itself returns 400 for a name that is missing or too long.
  name: z.string().max(1000).describe('The name of the glossary, 1 to 128 characters.'),
  source_lang: z.string().max(100).describe('The source language of its terms.'),
  target_lang: z.string().max(100).describe('The target language of its terms.'),
});

const declaredLanguage = z.string().optional().meta({
  description:
    'Required for TMX and TBX files. In other files, it applies to entries that do not name a language, and selects the column of a table with one column for each language.',
});

/** The upload form. The service itself returns 400 for fields that are missing or too long. */
export const glossaryForm = z.object({
  terminology_file: uploadedFile
    .optional()
    .meta({ description: 'The file of the glossary: .csv, .tsv, .tmx, .tbx, .xlsx or .json.' }),
  terminology_csv: uploadedFile.optional().meta({
    deprecated: true,
    description: 'The old name of `terminology_file`. If both are sent, `terminology_file` is used.',
  }),
  name: z.string().optional().meta({ description: 'The name of the glossary, 1 to 128 characters.' }),
  source_lang: declaredLanguage,
  target_lang: declaredLanguage,
});

export type LanguagePairs = z.infer<typeof languagePairs>;
export type CreateRequest = z.infer<typeof createRequest>;
export type RenameRequest = z.infer<typeof renameRequest>;
export type TerminologySet = z.infer<typeof terminologySet>;
export type UploadedGlossary = z.infer<typeof uploadedGlossary>;
export type GlossaryForm = z.infer<typeof glossaryForm>;
