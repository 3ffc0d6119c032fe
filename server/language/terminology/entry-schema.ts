import { z } from 'zod';
import { maxTermLength } from '#server/formats/glossary-file.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { searchedText, textSpan } from '#server/http/text-search.ts';
import { terminologySet } from './schema.ts';

const language = z
  .string()
  .max(100)
  .meta({ description: 'a code, or a tag that stands for one, such as en-US' });

export const entriesRequest = z.object({
  set_id: z.string().max(64).describe('The glossary.'),
  source_lang: language.optional(),
  target_lang: language.optional(),
  text: searchedText.optional(),
  match: z
    .enum(['contains', 'prefix'])
    .default('contains')
    .describe('Whether `text` may stand anywhere, or begins the term.'),
  side: z.enum(['source', 'target', 'either']).default('either').describe('Where `text` is sought.'),
  limit: z.int().min(1).max(200).default(50).describe('Entries of a page.'),
  cursor: z.string().max(200).optional().describe('The next_cursor of the page before.'),
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
  target_term: z.string().describe('What a translation must have for it.'),
  case_sensitive: z.boolean().describe('Whether letter case matters.'),
  priority: z.int().describe('Which of several translations of a term goes first.'),
});

export const entryPage = z.object({
  entries: z.array(terminologyEntry).describe('In the order of the file.'),
  next_cursor: z.string().nullable().meta({
    description:
      'null at the end. A page ends after 20,000 entries that do not fit, so one with few or none may have a next',
  }),
});

/** As a cell of a glossary file: on one line, and not longer than there. */
const newTerm = z
  .string()
  .max(4 * maxTermLength)
  .trim()
  .min(1)
  .refine((term) => countCodePoints(term) <= maxTermLength, `a term has ${maxTermLength} characters at most`)
  .refine((term) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(term), 'a term stands on one line');

export const addEntryRequest = z.object({
  set_id: z.string().max(64).describe('The glossary.'),
  source_lang: language,
  target_lang: language,
  source_term: newTerm.describe('The term.'),
  target_term: newTerm.describe('What a translation must have for it.'),
  case_sensitive: z.boolean().default(false).describe('Whether letter case matters.'),
});

export const addedEntry = z.object({
  set: terminologySet,
  entry: terminologyEntry.describe('As it was added.'),
  other_targets: z.array(z.string()).meta({
    description:
      'other translations that the glossary has for the term, the newest first, at most 20; the added one comes before them',
  }),
});

/** A source text, and optionally its translation. */
export const termMatchesRequest = z.object({
  source_text: z.string().min(1).describe('The text to look through.'),
  source_lang: language,
  target_lang: language,
  target_text: z.string().optional().describe('Its translation.'),
  text_type: z.enum(['Plain', 'Html']).default('Plain').describe('Whether the texts are HTML.'),
});

export const matchedTerm = z.object({
  source_term: z.string().describe('The term, as the glossary has it.'),
  target_terms: z
    .array(z.string())
    .meta({ description: 'what the translation must have: the first, or another one that counts the same' }),
  case_sensitive: z.boolean().describe('Whether letter case matters.'),
  set_id: z.string().meta({ description: 'the glossary that the term was taken from' }),
  set_name: z.string().describe('Its name.'),
  count: z.int().meta({ description: 'how often the source has the term' }),
  spans: z
    .array(textSpan)
    .meta({ description: 'where, as UTF-16 offsets; none for HTML, whose markup is not searched' }),
  found: z.int().nullable().meta({
    description:
      'how often the translation has the first target term, an inflected form or an alternative; null without a translation. Source terms with one target are counted together',
  }),
  missing: z.boolean().nullable().meta({ description: 'null without a translation' }),
});

export const termMatches = z.object({
  terms: z.array(matchedTerm).meta({ description: 'in the order of the source' }),
  passed: z
    .boolean()
    .nullable()
    .meta({ description: 'whether the translation misses no term; null without a translation' }),
});

export type EntriesRequest = z.infer<typeof entriesRequest>;
export type EntryPage = z.infer<typeof entryPage>;
export type TermMatchesRequest = z.infer<typeof termMatchesRequest>;
export type TermMatches = z.infer<typeof termMatches>;
export type AddEntryRequest = z.infer<typeof addEntryRequest>;
export type AddedEntry = z.infer<typeof addedEntry>;
