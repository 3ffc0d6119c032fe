import { z } from 'zod';

/** The maximum length of a file in base64: 30,000,000 bytes. */
const maxContent = 40_000_000;
const maxPairs = 50_000;
/** Maximum characters of a text of a sentence pair. */
export const maxPairText = 20_000;

const file = z.object({
  file_name: z.string().max(1000).describe('The name of the file; its suffix decides how it is read.'),
  content: z.string().max(maxContent).describe('The bytes of the file, in base64.'),
});

const languages = {
  source_lang: z.string().max(100).describe('The language of the source file.'),
  target_lang: z.string().max(100).describe('The language of its translation.'),
};

/** Input of `memory.align`. */
export const alignFilesRequest = z.object({
  source_file: file.describe('The file.'),
  target_file: file.describe('Its translation, in any supported format.'),
  ...languages,
});

const sentencePair = {
  source: z.string().max(maxPairText).describe('One or more sentences of the source file.'),
  target: z.string().max(maxPairText).describe('Their translation.'),
};

/** Output of `memory.align`. */
export const fileAlignment = z.object({
  links: z
    .array(
      z.object({
        ...sentencePair,
        source_sentences: z.array(z.string()).describe('The sentences of which `source` consists.'),
        target_sentences: z.array(z.string()).describe('The sentences of which `target` consists.'),
        confidence: z
          .number()
          .describe('The probability that exactly these sentences belong together, from 0 to 1.'),
      }),
    )
    .describe('In the order of the files. A sentence without a partner has an empty text on the other side.'),
});

/** Input of `memory.importPairs`. */
export const importPairsRequest = z.object({
  name: z.string().max(1000).describe('The name of the translation memory. An existing one is replaced.'),
  ...languages,
  file_name: z.string().max(1000).optional().describe('The file of the pairs, shown with its segments.'),
  pairs: z.array(z.object(sentencePair)).min(1).max(maxPairs).describe('The sentence pairs.'),
});

/** Input of `memory.addPairs`. */
export const addPairsRequest = z.object({
  set_id: z.string().max(64).describe('The ID of an imported translation memory.'),
  ...languages,
  pairs: z.array(z.object(sentencePair)).min(1).max(maxPairs).describe('The sentence pairs.'),
  is_preview: z.boolean().default(false).describe('Whether to only count what would be added.'),
});

/** Output of `memory.addPairs`. */
export const addedPairs = z.object({
  added: z.int().describe('The number of new segments.'),
  already_there: z
    .int()
    .describe('The number of pairs that were left out, because the translation memory has their source.'),
});

export type AddPairsRequest = z.infer<typeof addPairsRequest>;
export type AddedPairs = z.infer<typeof addedPairs>;
export type AlignFilesRequest = z.infer<typeof alignFilesRequest>;
export type FileAlignment = z.infer<typeof fileAlignment>;
export type ImportPairsRequest = z.infer<typeof importPairsRequest>;
