import { z } from 'zod';
import { glossaryColumns } from '#server/formats/glossary-file.ts';
import {
  addedEntry,
  entriesRequest,
  fieldRule,
  givenFields,
  newEntry,
  terminologyEntry,
} from './entry-schema.ts';
import { lineWarningCodes } from './line-warnings.ts';
import { terminologySet } from './schema.ts';

/*
 * The shapes of the procedures that list and change the terms of a glossary one by one. Only the web application calls
 * them.
 */

const language = newEntry.shape.source_lang
  .nullable()
  .describe('A language; null for the language of the glossary or, if it has none, for any language.');

const setId = newEntry.shape.set_id;

const entryNo = z.int().min(1).max(2_147_483_647).describe('The place of the term in the glossary.');

/** A term as a member enters it. */
export const term = z
  .object({
    source_lang: language,
    target_lang: language,
    source_term: newEntry.shape.source_term,
    target_term: newEntry.shape.target_term,
    case_sensitive: z.boolean().describe('Whether letter case matters.'),
    priority: z
      .int()
      .min(-(2 ** 31))
      .max(2 ** 31 - 1)
      .describe('If the terms of two entries overlap in a text, the higher priority wins.'),
    ...givenFields,
  })
  .refine(...fieldRule);

/** A term as the member saw it, for comparison with the present one. Any stored term is valid. */
const seenTerm = terminologyEntry.omit({ entry_no: true }).extend({
  source_term: z.string().max(2000),
  target_term: z.string().max(2000),
  ...givenFields,
});

export const termsRequest = entriesRequest.extend({
  sort: z
    .enum(['place', 'source', 'target'])
    .default('place')
    .describe('The order: of the glossary, or alphabetical by one side.'),
  descending: z.boolean().default(false).describe('Whether the order is reversed.'),
});

export const addTermRequest = z.object({
  set_id: setId,
  term,
  // Lower than the column's limit, so that terms can still be added after it.
  entry_no: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe(
      'The place of a deleted term, to restore it there. If the place is taken, the term goes to the end.',
    ),
});

export const addedTerm = addedEntry.extend({
  added: z.boolean().describe('False if the glossary already had exactly this term, as after a resend.'),
});

export const updateTermRequest = z.object({
  set_id: setId,
  entry_no: entryNo,
  replaces: seenTerm.describe('The term as the member saw it.'),
  term,
});

export const updatedTerm = z.object({
  set: terminologySet,
  entry: terminologyEntry.describe('The term after the change.'),
});

export const deleteTermRequest = updateTermRequest.omit({ term: true });

export const deletedTerm = z.object({
  set: terminologySet,
  deleted: z.boolean().describe('False if the term was already deleted, as after a resend.'),
});

/** Maximum number of base64 characters of a file; the whole request has at most MAX_REQUEST_BYTES. */
const maxContent = 40_000_000;

/** How the columns of a CSV file or workbook are used, as the member assigns them. */
const assignedTable = z
  .object({
    has_header: z.boolean().describe('Whether the first row is a header; otherwise it is a term.'),
    columns: z
      .array(z.enum(glossaryColumns).nullable())
      .max(1000)
      .describe('The use of each column, from the first; null if it is not used.'),
  })
  .refine(({ columns }) => {
    const used = columns.filter((column) => column !== null);
    const terms = ['source_term', 'target_term'] as const;
    return new Set(used).size === used.length && terms.every((column) => used.includes(column));
  }, 'columns must contain source_term and target_term, and each use only once');

export const previewRequest = z.object({
  file_name: z.string().max(1000).describe('The name of the file; its suffix decides how it is read.'),
  content: z.string().max(maxContent).describe('The bytes of the file, in base64.'),
  name: z.string().max(1000).describe('The name of the glossary.'),
  source_lang: z.string().max(100).optional().describe('As in an upload.'),
  target_lang: z.string().max(100).optional().describe('As in an upload.'),
  table: assignedTable
    .optional()
    .describe('The use of the columns of a CSV file or workbook. Default: by the names in its header.'),
});

/** Input of `terminology.applyPreview`: the previewed file, and the revision that the preview returned. */
export const applyPreviewRequest = previewRequest.extend({
  revision: z
    .string()
    .max(100)
    .nullable()
    .describe('The `revision` of the preview. If the glossary has changed since, the status is 409.'),
});

const previewedTerm = terminologyEntry.omit({ entry_no: true });

const warningCode = z.enum(lineWarningCodes).describe('The kind of warning.');

const lineWarning = z.object({
  code: warningCode,
  line: z.int().nullable().describe('The line or row of the file, from 1; null for a column, sheet or key.'),
  place: z.string().nullable().describe('The cell or the JSON path; null for other files.'),
  source_term: z.string().nullable().describe('The term of the line; null if the line was skipped.'),
  target_term: z.string().nullable().describe('The translation of the term.'),
  other_target: z
    .string()
    .nullable()
    .describe('Another translation of the term, for `ambiguous` and `conflict`.'),
  other_set: z.string().nullable().describe('The glossary with the other translation, for `conflict`.'),
  name: z.string().nullable().describe('The name of the column, sheet or key.'),
});

/** The columns of a table, as they are read. */
const readTable = z.object({
  has_header: z.boolean().describe('Whether the first row was read as a header.'),
  columns: z
    .array(
      z.object({
        name: z.string().describe('The cell of the column in the first row.'),
        column: z.enum(glossaryColumns).nullable().describe('The use of the column; null if it is not used.'),
      }),
    )
    .describe('The columns, from the first.'),
});

export const uploadPreview = z.object({
  set_id: z.string().nullable().describe('The glossary that the upload would replace; null for a new one.'),
  revision: z.string().nullable().describe('Changes with each change of the glossary; null for a new one.'),
  entry_count: z.int().describe('The number of terms after the upload.'),
  added: z.int().describe('New terms.'),
  changed: z.int().describe('Terms with another translation or priority.'),
  removed: z.int().describe('Terms of the glossary that the file does not contain.'),
  unchanged: z.int().describe('Terms that stay as they are.'),
  changes: z
    .array(
      z.object({
        kind: z.enum(['added', 'changed', 'removed']).describe('The kind of change.'),
        line: z.int().nullable().describe('The line or row of the file, from 1; null for a removed term.'),
        place: z.string().nullable().describe('The cell or the JSON path; null for other files.'),
        before: previewedTerm.nullable().describe('The term of the glossary; null for a new one.'),
        after: previewedTerm.nullable().describe('The term of the file; null for a removed one.'),
      }),
    )
    .describe('The first changes of each kind.'),
  warnings: z.array(z.string()).describe('As in the response of the upload.'),
  unit: z.enum(['line', 'row']).describe('What `line` counts: lines of the file, or rows of the sheet.'),
  table: readTable.nullable().describe('The columns of a CSV file or workbook; null for other files.'),
  line_warnings: z.array(lineWarning).describe('The first warnings of each kind.'),
  warning_counts: z
    .array(z.object({ code: warningCode, count: z.int().describe('The number of warnings.') }))
    .describe('The number of warnings of each kind.'),
});

export type PreviewRequest = z.infer<typeof previewRequest>;
export type ApplyPreviewRequest = z.infer<typeof applyPreviewRequest>;
export type AssignedTable = z.infer<typeof assignedTable>;
export type ReadTable = z.infer<typeof readTable>;
export type UploadPreview = z.infer<typeof uploadPreview>;
export type TermInput = z.infer<typeof term>;
export type SeenTerm = z.infer<typeof seenTerm>;
export type TermsRequest = z.infer<typeof termsRequest>;
export type AddTermRequest = z.infer<typeof addTermRequest>;
export type AddedTerm = z.infer<typeof addedTerm>;
export type UpdateTermRequest = z.infer<typeof updateTermRequest>;
export type UpdatedTerm = z.infer<typeof updatedTerm>;
export type DeleteTermRequest = z.infer<typeof deleteTermRequest>;
export type DeletedTerm = z.infer<typeof deletedTerm>;
