import { z } from 'zod';

/** Segments of a file, or texts of a request. */
export const share = z.object({
  segments: z.int().describe('The number of texts or, in a document, of segments.'),
  words: z.int().describe('Their words.'),
  characters: z.int().describe('Their Unicode code points.'),
});

/** The figures of a dry run and of an analysis: those of texts, of a document, or of a file. */
export const figures = {
  ...share.shape,
  exact_matches: share.describe('Texts from the translation memory or a glossary, without a model.'),
  context_matches: share.describe(
    'Those of `exact_matches` whose previous and next texts are the same, too. Only segments of documents have them.',
  ),
  sentence_matches: share.describe(
    'Texts whose sentences are all in the translation memory, and repetitions of a document in other typography. The judge model scores them.',
  ),
  typography_matches: share.describe(
    'Those of `sentence_matches` that differ from the translation memory, or from an earlier text of the document, in typography only: in apostrophes, quotation marks, dashes and the like.',
  ),
  fuzzy_matches: share
    .extend({
      by_similarity: z
        .array(share.extend({ from: z.int().describe('The lowest similarity, in percent.') }))
        .describe('The same texts by their similarity: from 95, 85, 75 and 70 percent.'),
    })
    .describe(
      'Texts for which the model gets similar segments of the translation memory as examples. The similarity is that of the whole text or, if higher, the mean of its sentences by their length.',
    ),
  repetitions: share.describe('Texts that occur earlier in the request, and have no exact match.'),
  no_match: share
    .extend({
      not_searched: z
        .int()
        .describe(
          'The number of texts that were not compared with the translation memory: those after the first 2000.',
        ),
    })
    .describe('All other texts.'),
  billable_characters: z
    .int()
    .describe('The characters that would be billed: weighted, if a language has a dense script.'),
};

/** The figures of a file in a language, which may have parts that need no work because of other files. */
export const fileFigures = z.object({
  ...figures,
  unchanged: share.describe(
    'Segments that keep the translations of an earlier version of the file. They are not billed.',
  ),
  repetitions_across: share.describe('Segments that occur in an earlier file, and have no exact match.'),
});

export type Share = z.infer<typeof share>;
export type FileFigures = z.infer<typeof fileFigures>;

/** Lowest similarity of each band, in percent. The last one is the minimum of a fuzzy match. */
const bands = [95, 85, 75, 70] as const;

const noShare = (): Share => ({ segments: 0, words: 0, characters: 0 });

export function noFigures(): FileFigures {
  return {
    ...noShare(),
    unchanged: noShare(),
    repetitions: noShare(),
    repetitions_across: noShare(),
    exact_matches: noShare(),
    context_matches: noShare(),
    sentence_matches: noShare(),
    typography_matches: noShare(),
    fuzzy_matches: { ...noShare(), by_similarity: bands.map((from) => ({ from, ...noShare() })) },
    no_match: { ...noShare(), not_searched: 0 },
    billable_characters: 0,
  };
}

export function addShare(sum: Share, { segments, words, characters }: Share): void {
  sum.segments += segments;
  sum.words += words;
  sum.characters += characters;
}

/** Adds the figures of a file in a language to a sum. */
export function addFigures(sum: FileFigures, of: FileFigures): void {
  addShare(sum, of);
  for (const name of [
    'unchanged',
    'repetitions',
    'repetitions_across',
    'exact_matches',
    'context_matches',
    'sentence_matches',
    'typography_matches',
    'fuzzy_matches',
    'no_match',
  ] as const)
    addShare(sum[name], of[name]);
  sum.no_match.not_searched += of.no_match.not_searched;
  for (const [index, band] of of.fuzzy_matches.by_similarity.entries())
    addShare(sum.fuzzy_matches.by_similarity[index]!, band);
  sum.billable_characters += of.billable_characters;
}
