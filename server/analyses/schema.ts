import { z } from 'zod';
import { languageCodes } from '#server/languages.ts';
import { translationEstimate } from '#server/translation/estimate.ts';
import { type FileFigures, fileFigures } from '#server/translation/figures.ts';

/** The limits of an analysis. */
export const maxFiles = 40;
const maxLanguages = 35;
/** The maximum length of a file in base64: 30,000,000 bytes. */
const maxContent = 40_000_000;

const id = z.string().max(64);

/** Input of `analyses.create`. */
export const analysisRequest = z.object({
  source_lang: z
    .string()
    .max(100)
    .default('en')
    .describe('The source language, or `auto` to detect it for each file.'),
  target_langs: z
    .array(z.string().max(100))
    .min(1)
    .max(maxLanguages)
    .describe(`The target languages, of ${languageCodes.length}.`),
  domain: z.string().max(2000).optional().describe('The subject of the documents.'),
  tone: z.string().max(2000).optional().describe('The register, such as `formal`.'),
  gender: z
    .string()
    .max(2000)
    .optional()
    .describe('The grammatical gender to use if a target language requires one.'),
});

/** Input of `analyses.addFile`. */
export const addFileRequest = z.object({
  analysis_id: id.describe('The ID of the analysis.'),
  file_name: z.string().max(1000).describe('The name of the file; its suffix decides how it is read.'),
  content: z.string().max(maxContent).describe('The bytes of the file, in base64.'),
});

export const oneAnalysis = z.object({ analysis_id: id.describe('The ID of the analysis.') });

/** Input of `analyses.removeFile`. */
export const oneFile = oneAnalysis.extend({ file_id: id.describe('The ID of the file.') });

/** Input of `analyses.setVersion`. */
export const versionRequest = oneFile.extend({
  used: z
    .boolean()
    .describe('Whether the file is a new version of the earlier document, in all languages that have one.'),
});

/** Input of `analyses.start`. */
export const startRequest = oneAnalysis.extend({
  only: z
    .array(
      z.object({
        file_id: id.describe('The ID of a file.'),
        target_lang: z.string().max(100).describe('One of the target languages.'),
      }),
    )
    .max(maxFiles * maxLanguages)
    .optional()
    .describe(
      'The files and languages to send, also again if their documents have failed. Default: all files that are not refused, in all languages, once.',
    ),
});

export const listRequest = z.object({
  limit: z.int().min(1).max(100).default(50).describe('The maximum number of analyses.'),
  cursor: z.string().max(500).optional().describe('`next_cursor` of the previous page.'),
});

const version = z.object({
  document_id: z.string().describe('The ID of the document of the earlier version.'),
  created_at: z.string().describe('When it was created, ISO 8601.'),
  used: z
    .boolean()
    .describe('Whether the file is counted, and will be translated, as a new version of this document.'),
});

/**
 * What is stored of a file in a language: the counts and, if there is an earlier version, those without or with it. A
 * cell is stale if an earlier file was removed, until the file is counted again.
 */
export type StoredCell = FileFigures & {
  version?: z.infer<typeof version>;
  other?: FileFigures;
  is_stale?: true;
};

/** The outcome of a start for a file in a language. */
export const startOutcome = z.union([
  z.object({
    state: z.literal('requested').describe('A worker will send the document.'),
    again: z.string().optional().describe('The ID of the failed document that it replaces.'),
  }),
  z.object({
    state: z.literal('sent').describe('The document is accepted.'),
    document_id: z.string().describe('The ID of the document job.'),
  }),
  z.object({
    state: z.literal('refused').describe('The document is rejected.'),
    status: z.int().describe('The HTTP status of the rejection.'),
    detail: z.string().describe('The reason.'),
  }),
]);

const cell = fileFigures.extend({
  target_lang: z.string().describe('The code of the target language.'),
  version: version
    .nullable()
    .describe('The earlier document with the same name, languages and options; null without one.'),
  review: z
    .enum(['second', 'policy', 'usual'])
    .describe(
      '`second`: a rule of the workspace demands a second review. `policy`: the domain requires a review of each text. `usual`: one reviewer approves the file.',
    ),
  covered: z
    .enum(['covered', 'reaches_limit', 'beyond'])
    .describe(
      'Whether the allowance covers the document, if all are sent in this order. The one that reaches the limit is completed.',
    ),
  seconds: z
    .int()
    .nullable()
    .describe('The time to translate it, by the speed of recent documents; null if unknown.'),
  start: startOutcome.nullable().describe('What the start has made of it; null before.'),
});

const file = z.object({
  id: z.string().describe('The ID of the file.'),
  name: z.string().describe('The name of the file.'),
  format: z.string().nullable().describe('The format; null for a type that is not supported.'),
  size_bytes: z.int().describe('The size of the file.'),
  state: z
    .enum(['waiting', 'counted', 'refused'])
    .describe('`waiting`: it is not counted in all languages yet.'),
  refusal: z.string().nullable().describe('Why the file cannot be translated, for the reader.'),
  source_lang: z
    .string()
    .nullable()
    .describe('The stated or detected language; null before the file is read.'),
  image_pages: z.int().describe('Pages whose text is only in images. They are not counted, but translated.'),
  languages: z.array(cell).describe('The counts for each target language that is done.'),
});

const totals = fileFigures.extend({ seconds: cell.shape.seconds });

const summary = {
  id: z.string().describe('The ID of the analysis.'),
  status: z
    .enum(['analyzing', 'completed', 'canceled'])
    .describe('`completed`: all files that were added are counted or refused.'),
  source_lang: z.string().describe('As sent.'),
  target_langs: z.array(z.string()).describe('The codes of the target languages.'),
  created_by: z.string().nullable().describe('The member; null if an API key was used.'),
  created_at: z.string().describe('When it was created, ISO 8601.'),
  expires_at: z.string().describe('When the analysis and its files are deleted.'),
  started_at: z.string().nullable().describe('When its documents were first requested; null before.'),
  progress: z
    .object({ done: z.int().describe('Those that are counted or refused.'), all: z.int().describe('All.') })
    .describe('Files in a language.'),
};

const analysisSummary = z.object({
  ...summary,
  files: z.int().describe('The number of files.'),
  billable_characters: z.int().describe('The billed characters of all files and languages.'),
});
export const analysisPage = z.object({
  analyses: z.array(analysisSummary).describe('In the order of their creation, the latest first.'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
});

export const analysis = z.object({
  ...summary,
  domain: z.string().nullable().describe('As sent; null if omitted.'),
  tone: z.string().nullable().describe('As sent; null if omitted.'),
  gender: z.string().nullable().describe('As sent; null if omitted.'),
  files: z.array(file).describe('In the order in which they were added.'),
  totals: totals
    .extend({
      by_language: z
        .array(totals.extend({ target_lang: z.string().describe('The code of the target language.') }))
        .describe('The sums of each language.'),
    })
    .describe('The sums of all files.'),
  documents: z
    .object({
      requested: z.int().describe('Those that a worker will send.'),
      sent: z.int().describe('Those that are accepted.'),
      refused: z.int().describe('Those that are rejected.'),
    })
    .describe('What the start has made of the files, in each language.'),
  allowance: translationEstimate.shape.allowance
    .extend({
      missing: z.int().describe('The billable characters of the analysis that the allowance does not cover.'),
      refusal: translationEstimate.shape.refusal,
    })
    .describe('The allowance of the workspace now.'),
  price: z
    .object({
      packs: z.int().describe('The number of packs.'),
      characters: z.int().describe('The characters of these packs.'),
      amount: z.number().describe('Their price, in units of the currency.'),
      currency: z.string().describe('The ISO 4217 code of the currency.'),
    })
    .nullable()
    .describe(
      'The prepaid characters that would cover what is missing; null if nothing is missing or no price is known.',
    ),
});

/** Output of `analyses.exportXlsx`. */
export const exportedWorkbook = z.object({
  file_name: z.string().describe('The name of the workbook.'),
  content: z.string().describe('The bytes of the workbook, in base64.'),
});

export type AnalysisRequest = z.infer<typeof analysisRequest>;
export type AddFileRequest = z.infer<typeof addFileRequest>;
export type StartRequest = z.infer<typeof startRequest>;
export type ListRequest = z.infer<typeof listRequest>;
export type Analysis = z.infer<typeof analysis>;
export type AnalysisPage = z.infer<typeof analysisPage>;
export type VersionRequest = z.infer<typeof versionRequest>;
export type StartOutcome = z.infer<typeof startOutcome>;
