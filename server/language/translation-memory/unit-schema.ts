import { z } from 'zod';
import { searchedText, textSpan } from '#server/http/text-search.ts';

const setId = z.string().max(64);
const language = z
  .string()
  .max(100)
  .meta({ description: 'A supported language, or a regional tag of one, such as en-US.' });
const limit = z.int().min(1).max(200).default(50).describe('The maximum number of segments on a page.');
const cursor = z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.');

/** A stored segment, with its set. */
export const memoryUnit = z.object({
  set_id: z.string().describe('The ID of the translation memory.'),
  set_name: z.string().describe('The name of the translation memory.'),
  origin: z
    .enum(['tmx_import', 'golden_approved'])
    .describe(
      '`tmx_import` for an imported file; `golden_approved` for the approved translations of the workspace.',
    ),
  source_lang: z
    .string()
    .meta({ description: 'The source language of the translation memory, as sent with the upload.' }),
  target_lang: z.string().describe('The target language of the translation memory.'),
  unit_no: z.int().meta({ description: 'The position of the segment in the translation memory.' }),
  tuid: z.string().meta({ description: 'The ID of the segment in an exported TMX file.' }),
  source_text: z.string().describe('The source text of the segment.'),
  target_text: z.string().describe('The translation of the segment.'),
  changed_at: z.string().meta({
    format: 'date-time',
    description: 'The time of the last change of the segment, or of the import if the file has no such date.',
  }),
  changed_by: z
    .string()
    .nullable()
    .describe(
      'The email address of the member who changed the segment in the last 30 days, if any; null in responses to API keys without the scope admin.',
    ),
  file_name: z
    .string()
    .nullable()
    .describe('The imported file; null for approved translations and old imports.'),
  served: z
    .int()
    .describe(
      'How often the segment was the translation of a text or of a sentence. Fuzzy matches do not count. Seconds late.',
    ),
  served_at: z
    .string()
    .nullable()
    .meta({ format: 'date-time', description: 'When the segment was last served; null if never.' }),
});

const nextCursor = z.string().nullable().meta({
  description:
    'The cursor of the next page; null on the last page. The work for one page is limited, so a page with few or no segments may have a next page.',
});

/** Selects the segments of one set, of the sets of a language pair, or of all sets. */
export const browseRequest = z
  .object({
    set_id: setId.optional().describe('Only segments of the translation memory with this ID.'),
    source_lang: language.optional(),
    target_lang: language.optional(),
    text: searchedText.optional(),
    match: z
      .enum(['contains', 'prefix'])
      .default('contains')
      .describe('`contains` finds segments that contain `text`; `prefix` finds segments that start with it.'),
    side: z
      .enum(['source', 'target', 'either'])
      .default('either')
      .describe('Which side of the segments is searched for `text`.'),
    limit,
    cursor,
  })
  // As in the other listings, a request without input gets the first page of everything.
  .prefault({});

export const unitPage = z.object({
  units: z.array(memoryUnit).describe('The segments on this page.'),
  next_cursor: nextCursor,
});

const problemKind = z.enum([
  'numbers',
  'tags',
  'length',
  'language',
  'forbidden_words',
  'other_translation',
  'duplicate',
]);

export type ProblemKind = z.infer<typeof problemKind>;

/** A search for the bad segments of a set. */
export const problemsRequest = z.object({
  set_id: setId.describe('The ID of the translation memory.'),
  kinds: z
    .array(problemKind)
    .min(1)
    .max(problemKind.options.length)
    .default([...problemKind.options])
    .describe('The kinds of problems to search for. Default: all.'),
  limit,
  cursor,
});

export const problemPage = z.object({
  units: z
    .array(
      memoryUnit.extend({
        problems: z
          .array(
            z.object({
              kind: problemKind.describe(
                'What is wrong: a number or a tag, placeholder or link is lost; the translation is too long or too short, is in another language or is the source, or has a word that a style guide forbids; the language pair has another translation of the source, or the same segment again.',
              ),
              text: z
                .string()
                .nullable()
                .describe(
                  'The lost or forbidden part, or the other translation; null if the problem has no text.',
                ),
              set_name: z
                .string()
                .nullable()
                .describe('The translation memory of the other segment; null for other problems.'),
            }),
          )
          .describe('The problems of the segment, at most one of each kind.'),
      }),
    )
    .describe('The segments with problems, in their stored order.'),
  next_cursor: nextCursor,
});

/** A search for the occurrences of a word or phrase in the TM of a language pair. */
export const concordanceRequest = z.object({
  text: searchedText,
  source_lang: language,
  target_lang: language,
  side: z
    .enum(['source', 'target'])
    .default('source')
    .describe('Which side of the segments is searched for `text`.'),
  whole_words: z.boolean().default(false).describe('Whether only whole words are found.'),
  limit,
  cursor,
});

export const concordancePage = z.object({
  units: z
    .array(
      memoryUnit.extend({
        spans: z.array(textSpan).meta({
          description:
            'The places of the text on the searched side, as UTF-16 offsets; at most 100. The list can be empty, because the database considers some different letters equal.',
        }),
      }),
    )
    .describe('The segments in which the text occurs.'),
  next_cursor: nextCursor,
});

/** A text to translate. The TM is searched in the same way as for a job. */
export const memoryMatchesRequest = z.object({
  source_text: z.string().min(1).describe('The text for which the translation memory is searched.'),
  source_lang: language,
  target_lang: language,
  text_type: z.enum(['Plain', 'Html']).default('Plain').describe('`Html` if the text is HTML.'),
  segment: z
    .object({
      document_id: z.string().max(200).describe('The ID of the document job.'),
      position: z.int().min(0).max(2_147_483_646).describe('The position of the segment, from 0.'),
    })
    .optional()
    .describe('The segment of a document whose text it is, so that context matches are found.'),
});

const memoryMatch = z.object({
  part: z
    .string()
    .optional()
    .describe(
      'The sentence of the text that the segment matches. It is missing if the segment matches the text.',
    ),
  kind: z
    .enum(['exact', 'close'])
    .describe('`exact` if the source text of the segment equals the text; `close` if it is similar.'),
  typography: z
    .literal(true)
    .optional()
    .describe(
      'Whether the segment differs from the text in typography only. Then the translation has the typography of the text.',
    ),
  score: z.int().min(70).max(101).meta({
    description:
      'How similar the source texts are, in percent, without the points of the penalty. Only an exact match, of the text or a sentence, has 100, and one in the same context 101.',
  }),
  source_text: z.string().describe('The source text of the segment.'),
  target_text: z.string().describe('The translation of the segment.'),
  set_id: z
    .string()
    .describe('The ID of the translation memory; for an unapproved correction, that of its document.'),
  set_name: z
    .string()
    .describe(
      'The name of the translation memory; for an unapproved correction, the name of the document’s file.',
    ),
  origin: z
    .enum(['tmx_import', 'golden_approved', 'unapproved'])
    .describe(
      '`tmx_import` for an imported file; `golden_approved` for the approved translations of the workspace; `unapproved` for a correction in an assigned document that is not approved yet, which no job uses.',
    ),
  tuid: z.string().nullable().describe('The ID of the segment in its TMX file; null if it has none.'),
  changed_at: z.string().nullable().meta({
    format: 'date-time',
    description: 'The time of the last change of the segment; null if unknown.',
  }),
});

export const memoryMatches = z.object({
  matches: z.array(memoryMatch).meta({
    description:
      'The matches of the whole text, best first: the exact match if there is one, then at most five similar segments. Then, for each sentence of a text of several, the exact match or at most two similar segments.',
  }),
});

export type MemoryUnit = z.infer<typeof memoryUnit>;
export type UnitPageView = z.infer<typeof unitPage>;
export type BrowseRequest = z.infer<typeof browseRequest>;
export type ConcordanceRequest = z.infer<typeof concordanceRequest>;
export type ConcordancePage = z.infer<typeof concordancePage>;
export type MemoryMatchesRequest = z.infer<typeof memoryMatchesRequest>;
export type MemoryMatches = z.infer<typeof memoryMatches>;
export type ProblemsRequest = z.infer<typeof problemsRequest>;
export type ProblemPage = z.infer<typeof problemPage>;
