import { z } from 'zod';
import { maxTermLength } from '#server/formats/glossary-file.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { searchedText, textSpan } from '#server/http/text-search.ts';
import { terminologySet } from './schema.ts';

const language = z
  .string()
  .max(100)
  .meta({ description: 'a language code, or a regional tag of one, such as en-US' });

export const entriesRequest = z.object({
  set_id: z.string().max(64).describe('The glossary.'),
  source_lang: language.optional(),
  target_lang: language.optional(),
  text: searchedText.optional(),
  match: z
    .enum(['contains', 'prefix'])
    .default('contains')
    .describe('Whether the term contains `text`, or starts with it.'),
  side: z.enum(['source', 'target', 'either']).default('either').describe('The side to search for `text`.'),
  limit: z.int().min(1).max(200).default(50).describe('Entries per page.'),
  cursor: z.string().max(200).optional().describe('The next_cursor of the previous page.'),
});

const entryLanguage = z
  .string()
  .nullable()
  .meta({ description: 'a code; null if the term is for any language' });

export const terminologyEntry = z.object({
  entry_no: z.int().meta({ description: 'its place in the file, from 1' }),
  source_lang: entryLanguage,
  target_lang: entryLanguage,
  source_term: z.string().describe('The term.'),
  target_term: z.string().describe('The required translation of the term.'),
  case_sensitive: z.boolean().describe('Whether letter case matters.'),
  priority: z.int().describe('The order of several translations of a term.'),
});

export const entryPage = z.object({
  entries: z.array(terminologyEntry).describe('In the order of the file.'),
  next_cursor: z.string().nullable().meta({
    description:
      'null at the end. A page ends after 20,000 entries that do not match, so one with few or none may have a next',
  }),
});

/** The same rules as for a cell of a glossary file: one line, and the same maximum length. */
const newTerm = z
  .string()
  .max(4 * maxTermLength)
  .trim()
  .min(1)
  .refine((term) => countCodePoints(term) <= maxTermLength, `a term has at most ${maxTermLength} characters`)
  .refine((term) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(term), 'a term must be on one line');

export const addEntryRequest = z.object({
  set_id: z.string().max(64).describe('The glossary.'),
  source_lang: language,
  target_lang: language,
  source_term: newTerm.describe('The term.'),
  target_term: newTerm.describe('The required translation of the term.'),
  case_sensitive: z.boolean().default(false).describe('Whether letter case matters.'),
});

export const addedEntry = z.object({
  set: terminologySet,
  entry: terminologyEntry.describe('The added entry.'),
  other_targets: z.array(z.string()).meta({
    description:
      'other translations that the glossary has for the term, latest first, at most 20; the added one comes before them',
  }),
});

/** A source text, and optionally its translation. */
export const termMatchesRequest = z.object({
  source_text: z.string().min(1).describe('The text to search for terms.'),
  source_lang: language,
  target_lang: language,
  target_text: z.string().optional().describe('Its translation.'),
  text_type: z.enum(['Plain', 'Html']).default('Plain').describe('Whether the texts are HTML.'),
});

export const matchedTerm = z.object({
  source_term: z.string().describe('The term, as the glossary has it.'),
  target_terms: z
    .array(z.string())
    .meta({ description: 'the accepted translations of the term, the preferred one first' }),
  case_sensitive: z.boolean().describe('Whether letter case matters.'),
  set_id: z.string().meta({ description: 'the glossary of the term' }),
  set_name: z.string().describe('The name of the glossary.'),
  count: z.int().meta({ description: 'occurrences in the source' }),
  spans: z
    .array(textSpan)
    .meta({ description: 'positions as UTF-16 offsets; none for HTML, whose markup is not searched' }),
  found: z.int().nullable().meta({
    description:
      'occurrences in the translation of the first target term, an inflected form or an alternative; null without a translation. Source terms with one target are counted together',
  }),
  missing: z.boolean().nullable().meta({ description: 'null without a translation' }),
});

export const termMatches = z.object({
  terms: z.array(matchedTerm).meta({ description: 'in the order of the source' }),
  passed: z
    .boolean()
    .nullable()
    .meta({ description: 'whether the translation has all terms; null without a translation' }),
});

export type EntriesRequest = z.infer<typeof entriesRequest>;
export type EntryPage = z.infer<typeof entryPage>;
export type TermMatchesRequest = z.infer<typeof termMatchesRequest>;
export type TermMatches = z.infer<typeof termMatches>;
export type AddEntryRequest = z.infer<typeof addEntryRequest>;
export type AddedEntry = z.infer<typeof addedEntry>;
