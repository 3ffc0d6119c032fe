import { z } from 'zod';

/** The maximum length of a file in base64: 30,000,000 bytes. */
const maxContent = 40_000_000;
const maxPairs = 50_000;
const maxText = 20_000;

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
  source: z.string().max(maxText).describe('One or more sentences of the source file.'),
  target: z.string().max(maxText).describe('Their translation.'),
};

/** Output of `memory.align`. */
export const fileAlignment = z.object({
  links: z
    .array(
      z.object({
        ...sentencePair,
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
  pairs: z.array(z.object(sentencePair)).min(1).max(maxPairs).describe('The sentence pairs.'),
});

export type AlignFilesRequest = z.infer<typeof alignFilesRequest>;
export type FileAlignment = z.infer<typeof fileAlignment>;
export type ImportPairsRequest = z.infer<typeof importPairsRequest>;
