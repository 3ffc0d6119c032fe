import { getTableColumns, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import {
  documentSegment,
  ofDocument,
  segmentStatuses,
  segmentView,
  statusOfSegment,
} from '#server/translation/documents/segments.ts';

/** A segment with its position in the document, and with the translation that it had before a reviewer changed it. */
export const positionedSegment = documentSegment.extend({
  position: z.int().meta({ description: 'The position of the segment in the document, from 0.' }),
  pipeline_text: z.string().nullable().meta({
    description: 'The machine translation, if a reviewer has changed it and it was stored; otherwise null.',
  }),
  status: z
    .enum(segmentStatuses)
    .describe(
      '`confirmed` by a reviewer; otherwise `critical` or `warning` if it has findings or needs a review, `draft` if a reviewer has changed it, or `todo`.',
    ),
});

/** Returns the segments at the given positions, in reading order. */
export async function selectSegments(
  tx: Tx,
  tenantId: string,
  documentId: string,
  positions: readonly number[],
): Promise<z.infer<typeof positionedSegment>[]> {
  const rows = await tx
    .select({ ...getTableColumns(documentSegments), status: statusOfSegment })
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} = any(array(
        select jsonb_array_elements_text(${JSON.stringify(positions)}::jsonb)::int))`,
    )
    .orderBy(documentSegments.position);
  return rows.map((row) => ({
    ...segmentView(row),
    position: row.position,
    pipeline_text: row.pipelineText,
    status: row.status,
  }));
}
