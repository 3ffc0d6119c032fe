import { z } from 'zod';
import { searchedText, textSpan } from '#server/http/text-search.ts';

const setId = z.string().max(64);
const language = z
  .string()
  .max(100)
  .meta({ description: 'a language code, or a regional tag of one, such as en-US' });
const limit = z.int().min(1).max(200).default(50).describe('Units per page.');
const cursor = z.string().max(200).optional().describe('The next_cursor of the previous page.');

/** A stored segment, with its set. */
export const memoryUnit = z.object({
  set_id: z.string().describe('The memory.'),
  set_name: z.string().describe('The name of the memory.'),
  origin: z.enum(['tmx_import', 'golden_approved']).describe('Imported, or collected from approvals.'),
  source_lang: z.string().meta({ description: "the set's, as supplied" }),
  target_lang: z.string().describe('The language translated into.'),
  unit_no: z.int().meta({ description: 'its position in the set' }),
  tuid: z.string().meta({ description: 'the same as in an export' }),
  source_text: z.string().describe('The text.'),
  target_text: z.string().describe('Its translation.'),
  changed_at: z.string().meta({
    format: 'date-time',
    description: "the unit's own date, or else when its set was stored",
  }),
});

const nextCursor = z.string().nullable().meta({
  description:
    'null at the end. A page ends early after a certain amount of work, so one with few or no units may have a next',
});

/** Selects the segments of one set, of the sets of a language pair, or of all sets. */
export const browseRequest = z
  .object({
    set_id: setId.optional().describe('Only units of this memory.'),
    source_lang: language.optional(),
    target_lang: language.optional(),
    text: searchedText.optional(),
    match: z
      .enum(['contains', 'prefix'])
      .default('contains')
      .describe('Whether the unit contains `text`, or starts with it.'),
    side: z.enum(['source', 'target', 'either']).default('either').describe('The side to search for `text`.'),
    limit,
    cursor,
  })
  // As in the other listings, a request without input gets the first page of everything.
  .prefault({});

export const unitPage = z.object({
  units: z.array(memoryUnit).describe('The units of the page.'),
  next_cursor: nextCursor,
});

/** A search for the occurrences of a word or phrase in the TM of a language pair. */
export const concordanceRequest = z.object({
  text: searchedText,
  source_lang: language,
  target_lang: language,
  side: z.enum(['source', 'target']).default('source').describe('The side to search for `text`.'),
  whole_words: z.boolean().default(false).describe('Whether to match whole words only.'),
  limit,
  cursor,
});

export const concordancePage = z.object({
  units: z
    .array(
      memoryUnit.extend({
        spans: z.array(textSpan).meta({
          description:
            'occurrences on the searched side, as UTF-16 offsets: the first 100; none if only the database considers two letters equal',
        }),
      }),
    )
    .describe('The units in which the text occurs.'),
  next_cursor: nextCursor,
});

/** A text to translate. The TM is searched in the same way as for a job. */
export const memoryMatchesRequest = z.object({
  source_text: z.string().min(1).describe('The text to find matches for.'),
  source_lang: language,
  target_lang: language,
  text_type: z.enum(['Plain', 'Html']).default('Plain').describe('Whether the text is HTML.'),
});

export const memoryMatch = z.object({
  kind: z.enum(['exact', 'close']).describe('Whether the memory has this very text.'),
  score: z.int().min(70).max(100).meta({ description: '100 only for an exact match' }),
  source_text: z.string().describe('The text.'),
  target_text: z.string().describe('Its translation.'),
  set_id: z.string().describe('The memory.'),
  set_name: z.string().describe('The name of the memory.'),
  origin: z.enum(['tmx_import', 'golden_approved']).describe('Imported, or collected from approvals.'),
  tuid: z.string().nullable().describe("The unit's id in its file."),
  changed_at: z.string().nullable().meta({ format: 'date-time', description: "the unit's own date" }),
});

export const memoryMatches = z.object({
  matches: z
    .array(memoryMatch)
    .meta({ description: 'best first: the exact one, then up to five close ones' }),
});

export type MemoryUnit = z.infer<typeof memoryUnit>;
export type UnitPageView = z.infer<typeof unitPage>;
export type BrowseRequest = z.infer<typeof browseRequest>;
export type ConcordanceRequest = z.infer<typeof concordanceRequest>;
export type ConcordancePage = z.infer<typeof concordancePage>;
export type MemoryMatchesRequest = z.infer<typeof memoryMatchesRequest>;
export type MemoryMatches = z.infer<typeof memoryMatches>;
