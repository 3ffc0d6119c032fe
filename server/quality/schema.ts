import { z } from 'zod';
import { calendarDate } from '#server/billing/metering/schema.ts';
import { dateTime, qualityIssue } from '#server/translation/agent-run-schema.ts';

const checkId = z.string().max(100).describe('The ID of the check.');
const userId = z.string().max(100);
const languageCode = z.string().max(40);

const origin = z
  .enum(['spot_check', 'quality_check'])
  .describe('`spot_check`: of a published machine translation. `quality_check`: of the work of a reviewer.');

/** The kinds of the items that are checked, and their languages. */
const item = {
  check_id: checkId,
  origin,
  item_kind: z.enum(['job', 'document']).describe('Whether the text is a job or a segment of a document.'),
  item_id: z
    .string()
    .nullable()
    .describe('The ID of the job or document; null for an open check, because a check is blind.'),
  position: z.int().describe('The segment of a document, from 0; 0 for a job.'),
  source_lang: z.string().describe('The source language.'),
  target_lang: z.string().describe('The target language.'),
  domain: z.string().describe('The domain in lower case; empty without one.'),
  name: z.string().nullable().describe('The name of the file; null for a job.'),
  day: calendarDate.describe('The day of the translation, in UTC.'),
};

export const checksInput = z.object({
  origin,
  target_lang: languageCode.optional().describe('Only checks of this target language.'),
  state: z
    .enum(['open', 'done'])
    .default('open')
    .describe('Whether to list open checks or those that are done.'),
  limit: z.int().min(1).max(200).default(50).describe('The maximum number of checks.'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the previous page.'),
});

const checkError = z.object({
  category: qualityIssue.shape.category,
  severity: qualityIssue.shape.severity,
  start: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe('The start of the error in the translation, in UTF-16 units.'),
  end: z.int().min(0).max(1_000_000).describe('The end of the error, which is not before the start.'),
  note: z.string().max(500).default('').describe('An explanation, at most 500 characters.'),
});

const verdict = z
  .enum(['none', 'minor', 'major', 'critical'])
  .describe('The severity of the worst error; `none` without errors.');

const checkSummary = z.object({
  ...item,
  source_text: z.string().describe('The first 200 characters of the source.'),
  checked_by: z
    .string()
    .nullable()
    .describe('The email address or ID of the checker; null for an open check.'),
  checked_at: dateTime.nullable().describe('The time of the check; null for an open check.'),
  verdict: verdict.nullable().describe('The result; null for an open check.'),
});

export const checkPage = z.object({
  checks: z
    .array(checkSummary)
    .describe('The checks; open ones in a random order, others with the latest first.'),
  open: z.int().describe('The number of open checks of this kind that the caller may do.'),
  next_cursor: z.string().nullable().describe('For the next page; null on the last one.'),
});

export const oneCheckInput = z.object({ check_id: checkId });

export const fullCheck = checkSummary.extend({
  source_text: z.string().describe('The source.'),
  target_text: z
    .string()
    .describe(
      'The translation to check: of a spot check, the machine translation; otherwise the reviewed one.',
    ),
  score: z
    .number()
    .nullable()
    .describe(
      'The score of the machine translation; null until the check is done, because a check is blind.',
    ),
  errors: z.array(checkError).describe('The errors that were found.'),
  words: z.int().describe('The number of words of the source; 0 for an open check.'),
});

export const decideCheckInput = oneCheckInput.extend({
  skip: z
    .boolean()
    .default(false)
    .describe('Closes the check without a result, for a text that cannot be judged.'),
  errors: z.array(checkError).max(50).default([]).describe('The errors; empty if the text needs no change.'),
});

export const marksInput = z.object({
  document_id: z
    .string()
    .max(100)
    .optional()
    .describe('The document; by default, all text jobs under review.'),
});

const errors = z.array(checkError).max(50);

export const markTextInput = z.object({
  item_kind: z.enum(['job', 'document']).describe('Whether the text is a job or a segment of a document.'),
  item_id: z.string().max(100).describe('The ID of the job or document.'),
  position: z.int().min(0).max(2_147_483_647).default(0).describe('The segment of a document, from 0.'),
  errors: errors.describe('All errors of the machine translation.'),
  known: errors.describe('The errors as the reviewer read them; if others are stored, the call is refused.'),
});

export const errorMarks = z.object({
  item_id: z.string().describe('The ID of the job or document.'),
  position: z.int().describe('The segment of a document, from 0; 0 for a job.'),
  errors: errors.describe('The errors, with their places in the machine translation.'),
  marked_by: z.string().nullable().describe('The email address or ID of the member who marked last.'),
});

export const marksList = z.object({
  marks: z.array(errorMarks).describe('The texts with marks, at most 2000.'),
});

export const drawInput = z.object({
  origin,
  target_lang: languageCode.describe('The target language.'),
  count: z.int().min(1).max(200).describe('The number of texts.'),
  reviewer: userId.optional().describe('For quality checks: only texts that this member reviewed.'),
  document_id: z.string().max(100).optional().describe('For quality checks: only segments of this document.'),
});

export const drawn = z.object({
  drawn: z.int().describe('The number of drawn texts; fewer than `count` if too few are left.'),
});

const points = z.int().min(0).max(1000);

/** PostgreSQL computes with numbers of single precision, which cannot be much smaller. */
const percentage = z
  .number()
  .min(0)
  .max(100)
  .refine((value) => value === 0 || value >= 0.0001, 'must be at least 0.0001, or 0');

export const qualitySettings = z.object({
  sample_percent: percentage.describe(
    'The percentage of published texts that are drawn for spot checks. Texts with a score below 90 are drawn three times as often.',
  ),
  language_percents: z
    .record(z.string().max(35), percentage)
    .refine((of) => Object.keys(of).length <= 200, 'at most 200 languages')
    .describe('Other percentages for some target languages.'),
  minor_points: points.describe('The error points of a minor error.'),
  major_points: points.describe('The error points of a major error.'),
  critical_points: points.describe('The error points of a critical error.'),
  pass_score: percentage.describe(
    'The score from which texts pass: 100 minus the error points for each 100 words.',
  ),
});

const reportFilter = {
  from: calendarDate.optional().describe('The first day of the translations, YYYY-MM-DD in UTC.'),
  to: calendarDate.optional().describe('The last day. The default is today, and 30 days.'),
  target_lang: languageCode.optional().describe('Only texts with this target language.'),
  domain: z.string().max(100).optional().describe('Only texts of this domain; empty for texts without one.'),
};

export const reportInput = z.object({
  ...reportFilter,
  minimum: z.int().min(0).max(100).default(85).describe('The minimum score that the report is about.'),
});

const share = z
  .object({
    share: z.number().describe('The estimate, from 0 to 1.'),
    low: z.number().describe('The lower end of the interval at a confidence of 95 %.'),
    high: z.number().describe('The upper end.'),
  })
  .meta({ description: 'A share with its interval.' });

const count = z.int();
const firstDay = calendarDate.describe('The first day of the translations, in UTC.');
const lastDay = calendarDate.describe('The last day of the translations, in UTC.');
const targetLang = z.string().describe('The target language.');
const ofSeverity = {
  minor: count.describe('Minor errors.'),
  major: count.describe('Major errors.'),
  critical: count.describe('Critical errors.'),
};

/** The published texts of a language or domain. */
const group = {
  published: count.describe('Texts that were published without a reviewer.'),
  checks: count.describe('Checks of published texts.'),
  no_change: share.nullable(),
  major: share.nullable(),
};

export const qualityReport = z.object({
  from: firstDay,
  to: lastDay,
  as_of: dateTime.describe(
    'The time up to which checks count. Decisions of reviewers count 11 minutes later.',
  ),
  minimum: z.int().describe('The minimum score that the report is about.'),
  min_checks: z.int().describe('With fewer checks, no share is stated.'),
  published: count.describe('Texts that were published without a reviewer.'),
  checks: count.describe('Checks of published texts.'),
  open: count.describe(
    'Drawn texts that are not checked yet. If members check only some, the shares can be wrong.',
  ),
  skipped: count.describe('Drawn texts that were skipped, or deleted before their check.'),
  no_change: share
    .nullable()
    .describe('The share of published texts that needed no change; null with too few checks.'),
  major: share.nullable().describe('The share of published texts with a major or critical error.'),
  held: count.describe('Texts that were held only because of their score.'),
  held_checks: count.describe('Decisions of reviewers about these texts.'),
  held_no_change: share.nullable().describe('The share of these texts that reviewers did not change.'),
  bands: z
    .array(
      z.object({
        from: z.int().describe('The lowest score of the band.'),
        to: z.int().describe('The highest score of the band.'),
        published: count.describe('Texts that were published without a reviewer.'),
        held_for_score: count.describe('Texts that were held only because of their score.'),
        held: count.describe('Texts that were held for another reason.'),
        checks: count.describe('Checked texts, except those that were held for another reason.'),
        none: count.describe('Checked texts that needed no change.'),
        changed: count.describe('Texts that a reviewer changed; the severity is not known.'),
        minor: count.describe('Texts with minor errors only.'),
        major: count.describe('Texts with a major or critical error, and rejected ones.'),
        no_change: share.nullable(),
      }),
    )
    .describe('The reliability of the score: texts and checks by score.'),
  minimums: z
    .array(
      z.object({
        minimum: z.int().describe('The minimum score.'),
        published: count.describe('Texts that would be published.'),
        to_review: count.describe('Texts that would be held for their score.'),
        no_change: share.nullable().describe('The share of published texts that would need no change.'),
        major: share
          .nullable()
          .describe(
            'The share with a major or critical error; null if it is not known, because reviewers state no severity.',
          ),
        major_texts: z.number().nullable().describe('The number of these texts.'),
        fewer_major: z
          .number()
          .nullable()
          .describe(
            'How much smaller this number is than with the present minimum, as a share; negative if greater.',
          ),
      }),
    )
    .describe('What other minimum scores would do.'),
  languages: z
    .array(z.object({ target_lang: targetLang, ...group }))
    .describe('Published texts by target language, the most frequent first; at most 200.'),
  domains: z
    .array(z.object({ domain: z.string().describe('The domain; empty for texts without one.'), ...group }))
    .describe('Published texts by domain, the most frequent first; at most 200.'),
});

export const calibrations = z.array(
  z.object({
    target_lang: targetLang,
    computed_at: dateTime,
    checks: z.int().describe('The number of checks.'),
    steps: z
      .array(
        z.object({
          score: z.int().describe('The lowest score of the step.'),
          value: z.number().describe('The share, from 0 to 1.'),
        }),
      )
      .describe('From this score on, up to the next step, the estimated share of texts that need no change.'),
    agreement: share
      .nullable()
      .describe(
        'The probability that the judge gives a text without errors a higher score than one with errors. 0.5 is chance; null if all checks had the same result.',
      ),
  }),
);

export const scorecardInput = z.object(reportFilter);

const tally = {
  checks: count.describe('Quality checks.'),
  words: count.describe('Words of the sources.'),
  ...ofSeverity,
  points: z.int().describe('Error points.'),
  penalty_per_1000_words: z
    .number()
    .nullable()
    .describe('Error points for each 1000 words; null without words.'),
  score: z.number().nullable().describe('100 minus the error points for each 100 words, at least 0.'),
  passes: z.boolean().nullable().describe('Whether the score is enough, and no error is critical.'),
};

export const scorecard = z.object({
  from: calendarDate.describe('The first day of the checks, in UTC.'),
  to: calendarDate.describe('The last day of the checks, in UTC.'),
  total: z.object(tally).describe('The result of all checks.'),
  categories: z
    .array(z.object({ category: qualityIssue.shape.category, ...ofSeverity }))
    .describe('The errors by category.'),
  languages: z
    .array(z.object({ target_lang: targetLang, ...tally }))
    .describe('The results by target language, the most checks first.'),
  reviewers: z
    .array(
      z.object({
        user_id: z.string().describe('The ID of the reviewer.'),
        email: z.string().nullable().describe('The email address; null for a former member.'),
        ...tally,
      }),
    )
    .describe('The results by reviewer.'),
  files: z
    .array(
      z.object({
        document_id: z.string().describe('The ID of the document.'),
        name: z.string().nullable().describe('The name of the file; null if the document was deleted.'),
        ...tally,
      }),
    )
    .describe('The results by file; at most 200.'),
  months: z
    .array(z.object({ month: z.string().describe('The month of the checks, YYYY-MM in UTC.'), ...tally }))
    .describe('The results by month.'),
});

export type ChecksInput = z.infer<typeof checksInput>;
export type CheckPage = z.infer<typeof checkPage>;
export type FullCheck = z.infer<typeof fullCheck>;
export type CheckError = z.infer<typeof checkError>;
export type DecideCheckInput = z.infer<typeof decideCheckInput>;
export type MarksInput = z.infer<typeof marksInput>;
export type MarkTextInput = z.infer<typeof markTextInput>;
export type ErrorMarks = z.infer<typeof errorMarks>;
export type DrawInput = z.infer<typeof drawInput>;
export type QualitySettings = z.infer<typeof qualitySettings>;
export type ReportInput = z.infer<typeof reportInput>;
export type QualityReport = z.infer<typeof qualityReport>;
export type Scorecard = z.infer<typeof scorecard>;
