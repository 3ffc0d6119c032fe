import { z } from 'zod';

/** The pairs of quotation marks that a guide can require: the opening and the closing mark. */
export const quotationMarks = ['“”', '„“', '«»', '»«', '„”', '””', '‘’', '「」', '""'] as const;

/** Maximum characters of the rules and of a forbidden word, and maximum number of forbidden words. */
export const guideLimits = { rules: 4000, word: 100, words: 200 };

/** The target language of a guide. */
const targetLang = z
  .string()
  .max(100)
  .nullable()
  .describe('A supported language code; null for the guide of all languages.');

const forbiddenWord = z.object({
  term: z
    .string()
    .trim()
    .min(1)
    .max(guideLimits.word)
    .describe('A word or phrase of 1 to 100 characters. Letter case matters only if it has capitals.'),
  use_instead: z
    .string()
    .trim()
    .min(1)
    .max(guideLimits.word)
    .nullable()
    .default(null)
    .describe('What to write in its place, 1 to 100 characters; null if there is no such word.'),
});

/** The fields that a guide can require. */
const rules = {
  rules: z
    .string()
    .trim()
    .max(guideLimits.rules)
    .describe('Rules as text, at most 4000 characters, which the model reads; may be empty.'),
  quotation_marks: z
    .enum(quotationMarks)
    .nullable()
    .describe('The opening and the closing quotation mark; null: not checked.'),
  spacing: z
    .enum(['narrow_no_break', 'none'])
    .nullable()
    .describe(
      'The space before `; : ! ?` and inside `« »`: `narrow_no_break`, as in French, or `none`; null: not checked.',
    ),
  formality: z
    .enum(['formal', 'informal'])
    .nullable()
    .describe('How readers are addressed; null: not checked.'),
  forbidden_words: z
    .array(forbiddenWord)
    .max(guideLimits.words)
    .describe('Words that translations must not contain, at most 200.'),
};

export const styleGuide = z.object({
  target_lang: targetLang,
  ...rules,
  version: z.string().describe('Changes with each save.'),
  updated_at: z.string().describe('When the guide was last saved, ISO 8601 in UTC.'),
  updated_by: z
    .string()
    .nullable()
    .describe('The email address of the member who saved the guide, or the ID; null for an API key.'),
});

export const styleGuideList = z.object({
  guides: z
    .array(styleGuide)
    .describe('The guides of the workspace: the one of all languages first, then by language code.'),
});

export const guideInput = z.strictObject({ target_lang: targetLang });

export const saveInput = z
  .strictObject({
    target_lang: targetLang,
    rules: rules.rules.default(''),
    quotation_marks: rules.quotation_marks.default(null),
    spacing: rules.spacing.default(null),
    formality: rules.formality.default(null),
    forbidden_words: rules.forbidden_words
      .default([])
      .refine((words) => new Set(words.map(({ term }) => term)).size === words.length, {
        error: 'must not contain a term twice',
      }),
    version: z
      .string()
      .max(64)
      .nullable()
      .describe('The version of the guide that the new one replaces; null for a new guide.'),
  })
  .refine(
    (guide) =>
      guide.rules !== '' ||
      guide.forbidden_words.length > 0 ||
      [guide.quotation_marks, guide.spacing, guide.formality].some((rule) => rule !== null),
    { error: 'at least one rule is required; delete the guide to remove all' },
  );

export const deleteInput = guideInput.extend({
  version: z.string().max(64).describe('The version of the guide to delete.'),
});

export type StyleGuide = z.infer<typeof styleGuide>;
export type StyleGuideInput = z.infer<typeof saveInput>;
