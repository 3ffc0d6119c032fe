import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import {
  isUnresolved,
  ofDocument,
  type SegmentStatus,
  statusOfSegment,
} from '#server/translation/documents/segments.ts';
import { ofDocumentJob } from './segment-schema.ts';

export const outlineQuery = z.object(ofDocumentJob);

const counts = {
  segments: z.int().describe('The number of segments.'),
  flagged: z.int().meta({ description: 'The number of segments that need a review and are not confirmed.' }),
  corrected: z.int().describe('The number of segments that a reviewer has changed.'),
};

export const documentOutline = z.object({
  ...counts,
  untranslated: z.int().describe('Segments without a translation.'),
  statuses: z
    .object({
      todo: z.int().describe('Segments that no reviewer has changed or confirmed, without issues.'),
      draft: z.int().describe('Segments that a reviewer has changed but not confirmed.'),
      warning: z
        .int()
        .describe('Unconfirmed segments with issues that are not critical, or that need a review.'),
      critical: z.int().describe('Unconfirmed segments with critical issues.'),
      confirmed: z.int().describe('Segments that a reviewer has confirmed.'),
    })
    .meta({ description: 'the number of segments with each review status' }),
  kinds: z
    .array(
      z.object({
        kind: z.string().describe('The kind of segment, such as `paragraph`, `heading` or `cell`.'),
        ...counts,
      }),
    )
    .meta({ description: 'The kinds of segments, in the order in which they first appear in the document.' }),
  pages: z
    .array(
      z.object({
        page: z.int().nullable().meta({
          description:
            'The number of the page or sheet, from 1; null for segments without a page, such as headers.',
        }),
        sheet: z
          .string()
          .nullable()
          .meta({ description: 'The name of the sheet; null if the file is not a workbook.' }),
        first_position: z.int().describe('The position of the first segment on the page, from 0.'),
        ...counts,
      }),
    )
    .meta({
      description: 'The pages or sheets that have segments, in the order in which they first appear.',
    }),
});

type Counts = { [name in keyof typeof counts]: number };

/**
 * Counts a document's segments by kind, page and review status. These are the options of the filters of `searchSegments`.
 * @throws AppError 404
 */
export async function readOutline(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<z.infer<typeof documentOutline>> {
  const { sourceFormat } = await requireDocument(tx, tenantId, documentId);
  const { page, kind, place, position, corrected, target } = documentSegments;
  const groups = await tx
    .select({
      page,
      kind,
      status: statusOfSegment,
      // The place of any segment in the group: all are on one sheet.
      place: sql<string>`min(${place})`,
      first: sql<number>`min(${position})`,
      segments: sql<number>`count(*)::int`,
      flagged: sql<number>`(count(*) filter (where ${isUnresolved}))::int`,
      corrected: sql<number>`(count(*) filter (where ${corrected}))::int`,
      untranslated: sql<number>`(count(*) filter (where ${target} is null))::int`,
    })
    .from(documentSegments)
    .where(ofDocument(tenantId, documentId))
    .groupBy(page, kind, statusOfSegment)
    .orderBy(sql`min(${position})`);
  return {
    ...sumOf(groups),
    untranslated: groups.reduce((sum, { untranslated }) => sum + untranslated, 0),
    statuses: statusesOf(groups),
    kinds: [...Map.groupBy(groups, (group) => group.kind)].map(([kind, own]) => ({ kind, ...sumOf(own) })),
    pages: [...Map.groupBy(groups, (group) => group.page)].map(([page, own]) => ({
      page,
      sheet: layoutKinds[sourceFormat].places === 'sheet' ? sheetOf(own) : null,
      first_position: own[0]?.first ?? 0,
      ...sumOf(own),
    })),
  };
}

/** Returns the name of the sheet of some segments. The place of a cell is `Sheet1!B7`, that of others `Sheet1, chart 2`. */
function sheetOf(groups: readonly { kind: string; place: string }[]): string | null {
  const cells = groups.find(({ kind }) => kind === 'cell');
  // The reference of a cell has no exclamation mark, and the name of an object has no comma. The sheet may have both.
  if (cells) return cells.place.replace(/![^!]*$/, '');
  return groups[0]?.place.replace(/, [^,]*$/, '') ?? null;
}

function statusesOf(groups: readonly { status: SegmentStatus; segments: number }[]) {
  const counts = { todo: 0, draft: 0, confirmed: 0, warning: 0, critical: 0 };
  for (const { status, segments } of groups) counts[status] += segments;
  return counts;
}

function sumOf(groups: readonly Counts[]): Counts {
  const sum = { segments: 0, flagged: 0, corrected: 0 };
  for (const group of groups)
    for (const name of Object.keys(sum) as (keyof Counts)[]) sum[name] += group[name];
  return sum;
}
