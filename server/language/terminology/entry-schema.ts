import { z } from 'zod';
import { maxTermLength } from '#server/formats/glossary-file.ts';
import {
  fieldLimits,
  fieldText,
  genders,
  partsOfSpeech,
  pictureUrl,
  termStatuses,
} from '#server/formats/term-fields.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { searchedText, textSpan } from '#server/http/text-search.ts';
import { terminologySet } from './schema.ts';

const language = z
  .string()
  .max(100)
  .meta({ description: 'A supported language, or a regional tag of one, such as en-US.' });

export const entriesRequest = z.object({
  set_id: z.string().max(64).describe('The ID of the glossary.'),
  source_lang: language.optional(),
  target_lang: language.optional(),
  text: searchedText.optional(),
  match: z
    .enum(['contains', 'prefix'])
    .default('contains')
    .describe('`contains` finds terms that contain `text`; `prefix` finds terms that start with it.'),
  side: z
    .enum(['source', 'target', 'either'])
    .default('either')
    .describe('Which side of the entries is searched for `text`.'),
  only: z
    .enum(['forbidden', 'not_translated', 'no_definition'])
    .optional()
    .describe(
      '`forbidden` returns only forbidden translations, `not_translated` only terms that are not translated, and `no_definition` only preferred translations without a definition.',
    ),
  limit: z.int().min(1).max(200).default(50).describe('The maximum number of entries on a page.'),
  cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
});

const entryLanguage = z
  .string()
  .nullable()
  .meta({ description: 'The code of the language; null if the term applies to any language.' });

const shortText = (max: number) =>
  z
    .string()
    .max(max)
    .transform(fieldText)
    .pipe(
      z
        .string()
        .max(max)
        .refine((text) => text.isWellFormed(), 'must be valid Unicode')
        .nullable(),
    );

/** The fields of a term as a member sets them; null removes it. */
export const givenFields = {
  definition: shortText(fieldLimits.definition).nullable().optional().describe('What the term means.'),
  note: shortText(fieldLimits.note).nullable().optional().describe('A note for translators.'),
  part_of_speech: z.enum(partsOfSpeech).nullable().optional().describe('The part of speech of the term.'),
  gender: z.enum(genders).nullable().optional().describe('The grammatical gender of the translation.'),
  status: z
    .enum(termStatuses)
    .optional()
    .describe(
      '`preferred` (default) and `allowed` translations are accepted. A `forbidden` one must not be used for the term.',
    ),
  do_not_translate: z
    .boolean()
    .optional()
    .describe('Whether the term is not translated. Then its translation equals the term.'),
  domain: shortText(fieldLimits.domain).nullable().optional().describe('The subject field of the term.'),
  picture: z
    .string()
    .max(fieldLimits.picture)
    .refine((url) => url.trim() === '' || pictureUrl(url.trim()) !== null, 'must be an https URL')
    .transform((url) => pictureUrl(url.trim()))
    .nullable()
    .optional()
    .describe('The https URL of a picture. The service never requests it.'),
};

/** The fields of a stored term. Fields without a value, and the status `preferred`, are omitted. */
const storedFields = {
  definition: z.string().optional().describe('What the term means.'),
  note: z.string().optional().describe('A note for translators.'),
  part_of_speech: z.enum(partsOfSpeech).optional().describe('The part of speech of the term.'),
  gender: z.enum(genders).optional().describe('The grammatical gender of the translation.'),
  status: z.enum(termStatuses).optional().describe('`allowed` or `forbidden`; omitted if `preferred`.'),
  do_not_translate: z.boolean().optional().describe('True if the term is not translated.'),
  domain: z.string().optional().describe('The subject field of the term.'),
  picture: z.string().optional().describe('The https URL of a picture.'),
};

export const terminologyEntry = z.object({
  entry_no: z.int().meta({ description: 'The position of the entry in the file of the glossary, from 1.' }),
  source_lang: entryLanguage,
  target_lang: entryLanguage,
  source_term: z.string().describe('The term in the source language.'),
  target_term: z.string().describe('The required translation of the term.'),
  case_sensitive: z.boolean().describe('Whether the term is matched only in the same letter case.'),
  priority: z.int().describe('If a term has several translations, their order of preference.'),
  ...storedFields,
});

export const entryPage = z.object({
  entries: z.array(terminologyEntry).describe('The entries, in the order of the file.'),
  next_cursor: z.string().nullable().meta({
    description:
      'The cursor of the next page; null on the last page. A page ends after 20,000 entries that do not match the filters, so a page with few or no entries may have a next page.',
  }),
});

/** The same rules as for a cell of a glossary file: one line, and the same maximum length. */
const newTerm = z
  .string()
  .max(4 * maxTermLength)
  .trim()
  .min(1)
  .refine((term) => countCodePoints(term) <= maxTermLength, `must have at most ${maxTermLength} characters`)
  .refine((term) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(term), 'must be on one line');

/** The rule about the fields of a new term, for `refine`. */
export const fieldRule = [
  ({ status, do_not_translate }: { status?: string | undefined; do_not_translate?: boolean | undefined }) =>
    !(do_not_translate && status === 'forbidden'),
  'the translation of a term that is not translated cannot be forbidden',
] as const;

export const newEntry = z.object({
  set_id: z.string().max(64).describe('The ID of the glossary.'),
  source_lang: language,
  target_lang: language,
  source_term: newTerm.describe('The term in the source language.'),
  target_term: newTerm.describe('The required translation of the term.'),
  case_sensitive: z
    .boolean()
    .default(false)
    .describe('Whether the term is matched only in the same letter case.'),
  ...givenFields,
});

export const addEntryRequest = newEntry.refine(...fieldRule);

export const addedEntry = z.object({
  set: terminologySet,
  entry: terminologyEntry.describe('The entry that was added.'),
  other_targets: z.array(z.string()).meta({
    description:
      'The other translations of the term in the glossary, latest first, at most 20. The new translation takes precedence over them.',
  }),
});

/** A source text, and optionally its translation. */
export const termMatchesRequest = z.object({
  source_text: z.string().min(1).describe('The text in which terms are searched.'),
  source_lang: language,
  target_lang: language,
  target_text: z
    .string()
    .optional()
    .describe('The translation of `source_text`, which is checked for the translations of the terms.'),
  text_type: z.enum(['Plain', 'Html']).default('Plain').describe('`Html` if the texts are HTML.'),
});

const matchedTerm = z.object({
  source_term: z.string().describe('The term, as written in the glossary.'),
  target_terms: z.array(z.string()).meta({
    description:
      'The accepted translations of the term, the preferred one first. Empty if the glossary only forbids some.',
  }),
  forbidden_terms: z
    .array(
      z.object({
        term: z.string().describe('A forbidden translation, as written in the glossary.'),
        found: z.boolean().nullable().describe('Whether the translation has it; null without a translation.'),
      }),
    )
    .optional()
    .describe('The forbidden translations of the term; omitted without any.'),
  case_sensitive: z.boolean().describe('Whether the term is matched only in the same letter case.'),
  set_id: z.string().meta({ description: 'The ID of the glossary that has the term.' }),
  set_name: z.string().describe('The name of the glossary that has the term.'),
  count: z.int().meta({ description: 'How often the term occurs in the source text.' }),
  spans: z.array(textSpan).meta({
    description: 'The places of the term in the source text, as UTF-16 offsets. Empty if the text is HTML.',
  }),
  found: z.int().nullable().meta({
    description:
      'How often the translation contains one of the target terms, in any inflected form; null without a translation. Terms with the same target term are counted together.',
  }),
  missing: z.boolean().nullable().meta({
    description: 'Whether the translation has the term less often than required; null without a translation.',
  }),
});

export const termMatches = z.object({
  terms: z
    .array(matchedTerm)
    .meta({ description: 'The terms, in the order in which they occur in the source text.' }),
  passed: z.boolean().nullable().meta({
    description: 'Whether the translation has all terms and no forbidden one; null without a translation.',
  }),
});

/** Maximum number of texts of a request for terms, and of the characters that several texts may have together. */
export const mostTexts = { texts: 100, characters: 50_000 };

/** Several source texts of a language pair. */
export const termsOfTextsRequest = termMatchesRequest
  .pick({ source_lang: true, target_lang: true, text_type: true })
  .extend({
    source_texts: z
      .array(z.string())
      .min(1)
      .max(mostTexts.texts)
      .describe('The texts in which terms are searched.'),
  });

export const termsOfTexts = z.object({
  results: z.array(z.array(matchedTerm)).describe('The terms of each text, in the order of the texts.'),
});

export type EntriesRequest = z.infer<typeof entriesRequest>;
export type EntryPage = z.infer<typeof entryPage>;
export type TermMatchesRequest = z.infer<typeof termMatchesRequest>;
export type TermMatches = z.infer<typeof termMatches>;
export type TermsOfTextsRequest = z.infer<typeof termsOfTextsRequest>;
export type TermsOfTexts = z.infer<typeof termsOfTexts>;
export type AddEntryRequest = z.infer<typeof addEntryRequest>;
export type AddedEntry = z.infer<typeof addedEntry>;
