import { z } from 'zod';
import { searchedText, textSpan } from '#server/http/text-search.ts';
import { browseRequest, memoryUnit } from '../unit-schema.ts';

/*
 * The shapes of the procedures that change segments. They have no route, so only /trpc serves them.
 */

const setId = z.string().max(64).describe('The ID of the translation memory.');
const unitNo = z.int().min(1).describe('The position of the segment in the translation memory.');

/** As in a text of a job; imported segments may be longer. */
const newText = z.string().min(1).max(50_000);

/** A segment as the member saw it, for comparison with the present one. */
const seenTexts = z.object({
  source_text: z.string().describe('The source text.'),
  target_text: z.string().describe('The translation.'),
});

const changeId = z
  .string()
  .nullable()
  .describe('The ID of the change, for undo; null if nothing changed, as after a resend.');

export const updateUnitRequest = z.object({
  set_id: setId,
  unit_no: unitNo,
  replaces: seenTexts.describe('The texts of the segment as the member saw them.'),
  source_text: newText.describe('The new source text.'),
  target_text: newText.describe('The new translation.'),
});

export const updatedUnit = z.object({
  unit: memoryUnit.describe('The segment after the change.'),
  change_id: changeId,
});

export const deleteUnitsRequest = z.object({
  set_id: setId,
  units: z
    .array(seenTexts.extend({ unit_no: unitNo }))
    .min(1)
    .max(200)
    .describe('The segments as the member saw them.'),
});

export const deletedUnits = z.object({
  deleted: z.int().describe('The number of deleted segments.'),
  change_id: changeId,
});

export type UpdateUnitRequest = z.infer<typeof updateUnitRequest>;
export type UpdatedUnit = z.infer<typeof updatedUnit>;
export type DeleteUnitsRequest = z.infer<typeof deleteUnitsRequest>;
export type DeletedUnits = z.infer<typeof deletedUnits>;

const changeKind = z.enum(['edited', 'deleted', 'replaced', 'merged']);

const changedUnit = z.object({
  set_id: z.string().nullable().describe('The ID of the translation memory; null if it was replaced since.'),
  unit_no: unitNo,
  old: seenTexts.describe('The texts before the change.'),
  new: seenTexts.nullable().describe('The texts after the change; null if the segment was deleted.'),
});

export const changesRequest = z
  .object({
    set_id: setId.optional().describe('Only changes of this translation memory.'),
    unit_no: unitNo.optional().describe('Only changes of this segment. Requires `set_id`.'),
    limit: z.int().min(1).max(200).default(50).describe('The maximum number of changes on a page.'),
    cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
  })
  .prefault({});

const memoryChange = z.object({
  id: z.string().describe('The ID of the change.'),
  kind: changeKind.describe('What was done with the segments.'),
  by: z
    .string()
    .nullable()
    .describe(
      'The email address of the member; null for an API key, and in responses to API keys without the scope admin.',
    ),
  at: z.string().meta({ format: 'date-time', description: 'The time of the change.' }),
  segments: z.int().describe('The number of changed segments.'),
  undone_at: z
    .string()
    .nullable()
    .meta({ format: 'date-time', description: 'The time of the undo, if any.' }),
  undone_by: z
    .string()
    .nullable()
    .describe('The email address of the member who undid the change; null as for `by`.'),
  first: changedUnit
    .nullable()
    .describe('The first segment of the change; null if none is stored any longer.'),
});

export const changePage = z.object({
  changes: z.array(memoryChange).describe('The changes of the last 30 days, latest first.'),
  next_cursor: z.string().nullable().describe('The cursor of the next page; null on the last page.'),
});

export const undoRequest = z.object({ change_id: z.string().max(64).describe('The ID of the change.') });

export const undoneChange = z.object({
  undone: z.int().describe('The number of segments that are as they were before the change.'),
  kept: z.int().describe('The number of segments that could not be undone.'),
  reasons: z
    .array(
      changedUnit.extend({
        reason: z
          .enum(['changed', 'deleted', 'replaced', 'full'])
          .describe(
            'Why the segment is kept: it was changed or deleted since, its translation memory was replaced, or the language pair has reached its limit.',
          ),
      }),
    )
    .describe('The first 50 segments that could not be undone.'),
});

export type ChangesRequest = z.infer<typeof changesRequest>;
export type ChangePage = z.infer<typeof changePage>;
export type UndoRequest = z.infer<typeof undoRequest>;
export type UndoneChange = z.infer<typeof undoneChange>;

const search = browseRequest.unwrap().shape;
const expected = z
  .int()
  .min(1)
  .describe(
    'The number of segments that the member saw in the preview. If it is another one now, nothing changes.',
  );

export const countFoundRequest = z.object({
  set_id: setId,
  text: searchedText,
  match: search.match,
  side: search.side,
});

/** Identifies the segments of a preview with their texts. */
const version = z.string().max(64);
const expectedVersion = version.describe(
  'The value of `version` in the preview. If the search now finds other segments or texts, nothing changes.',
);

export const foundCount = z.object({
  segments: z.int().describe('The number of segments that are found.'),
  version: version.describe('Identifies the found segments and their texts, for the deletion.'),
});

export const deleteFoundRequest = countFoundRequest.extend({ version: expectedVersion });

export const previewReplaceRequest = z.object({
  set_id: setId,
  side: z.enum(['source', 'target']).default('target').describe('The side in which the text is replaced.'),
  find: searchedText.describe('The text to replace. Wildcards are not supported.'),
  replacement: z.string().max(200).describe('The new text; empty to remove the found text.'),
  match_case: z.boolean().default(false).describe('Whether letter case matters.'),
  whole_words: z.boolean().default(false).describe('Whether only whole words are replaced.'),
});

export const replacePreview = z.object({
  segments: z.int().describe('The number of segments that would change.'),
  version: version.describe('Identifies these segments and their texts, for the replacement.'),
  occurrences: z.int().describe('The number of places that would change.'),
  left_out: z
    .int()
    .describe('The number of segments that would not change, because a side would be empty or too long.'),
  hits: z
    .array(
      z.object({
        unit_no: unitNo,
        source_text: z.string().describe('The source text of the segment.'),
        target_text: z.string().describe('The translation of the segment.'),
        spans: z.array(textSpan).describe('The places of the text in the searched side; at most 100.'),
        replaced: z.string().describe('The searched side after the replacement.'),
      }),
    )
    .describe('The first 50 segments that would change.'),
});

export const replaceRequest = previewReplaceRequest.extend({ version: expectedVersion });

export const bulkChange = z.object({
  change_id: z.string().describe('The ID of the change, for undo.'),
  segments: z.int().describe('The number of changed segments.'),
});

export type CountFoundRequest = z.infer<typeof countFoundRequest>;
export type FoundCount = z.infer<typeof foundCount>;
export type DeleteFoundRequest = z.infer<typeof deleteFoundRequest>;
export type PreviewReplaceRequest = z.infer<typeof previewReplaceRequest>;
export type ReplacePreview = z.infer<typeof replacePreview>;
export type ReplaceRequest = z.infer<typeof replaceRequest>;
export type BulkChange = z.infer<typeof bulkChange>;

export const duplicatesRequest = z.object({ set_id: setId });

export const duplicateCount = z.object({
  segments: z
    .int()
    .describe(
      'The number of segments that a merge would delete: those with the same source, translation and context as a later segment of the translation memory. At most 10,000.',
    ),
  has_more: z.boolean().describe('Whether there are more, for another merge.'),
  sources: z
    .int()
    .describe(
      'The number of sources with several translations in the translation memories of the language pair.',
    ),
});

export const mergeDuplicatesRequest = z.object({ set_id: setId, segments: expected });

export const otherTranslationsRequest = z.object({
  set_id: setId,
  limit: z.int().min(1).max(50).default(20).describe('The maximum number of sources on a page.'),
  cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
});

export const otherTranslationsPage = z.object({
  sources: z
    .array(
      z.object({
        units: z
          .array(memoryUnit)
          .describe(
            'The segments with this source in all translation memories of the language pair, at most 20. The first one is served.',
          ),
      }),
    )
    .describe('The sources of the translation memory that have several translations.'),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      'The cursor of the next page; null on the last page. The work for one page is limited, so a page with few or no sources may have a next page.',
    ),
});

export type DuplicateCount = z.infer<typeof duplicateCount>;
export type MergeDuplicatesRequest = z.infer<typeof mergeDuplicatesRequest>;
export type OtherTranslationsRequest = z.infer<typeof otherTranslationsRequest>;
export type OtherTranslationsPage = z.infer<typeof otherTranslationsPage>;
