import { getTableColumns, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { documentSegment, segmentView } from '#server/documents/segment-list.ts';
import { isAtOneOf, ofDocument, segmentStatuses, statusOfSegment } from '#server/documents/segments.ts';
import { hasChips } from '#server/formats/chips.ts';
import { formatKinds, type InlineContent } from '#server/formats/inline-content.ts';
import { distinct, segmentPosition } from '../schema.ts';

/** The fields of a request about a document. */
export const ofDocumentJob = { document_id: z.string().describe('The ID of the document job.') };

/** The place of a segment in a request. */
export const position = segmentPosition.describe('The position of the segment in the document, from 0.');

/** Returns the schema of the segments that a request names. */
export function segmentList<T extends z.ZodType<{ position: number }>>(segment: T) {
  return distinct(segment, { max: 1000, keyOf: ({ position }) => position, what: 'a segment' });
}

/** The name of the reviewer in a request. */
export const reviewer = z
  .string()
  .max(320)
  .nullish()
  .describe('Only for callers with an API key; otherwise the session determines the reviewer.');

/** Why a reviewer confirms critical findings. */
export const confirmReason = z.object({
  code: z.enum(['check_is_wrong', 'client_wants_it', 'elsewhere_in_text']).describe('The kind of reason.'),
  note: z.string().trim().min(10).max(500).describe('The reason in words, 10 to 500 characters.'),
});

/** The fields of a request that confirms segments. */
export const confirmFields = {
  confirm_critical: z
    .boolean()
    .default(false)
    .describe(
      'Required, together with `reason`, to confirm segments with critical findings; otherwise 409 `critical_findings`.',
    ),
  reason: confirmReason.optional().describe('Why the segments with critical findings are confirmed.'),
  reviewer,
};

/** The time of the last change of a document, in responses. */
export const changedAt = {
  updated_at: z.string().meta({
    format: 'date-time',
    description: 'The time of the last change of the document, ISO 8601 in UTC.',
  }),
};

/** Maximum UTF-16 units of a translation that a reviewer saw: the engine's translation may be longer than a correction. */
export const maxSeenLength = 1_000_000;

/** Maximum number of repetitions in a response. */
export const maxReturned = 1000;

const inlineTag = z.object({
  tag: z
    .int()
    .describe('The number of the tag, from 1 in each segment. Both tags of a pair have the same number.'),
  type: z
    .enum(['open', 'close', 'void'])
    .describe('`open` and `close` surround text; `void` has no content.'),
  text: z.string().exactOptional().describe('The text that a void tag represents, such as a line break.'),
  format: z
    .enum(formatKinds)
    .exactOptional()
    .describe('The formatting of a pair that only formats its text.'),
});

/** The strings and tags of a segment, as `InlineContent`. */
export const inlineContent = z
  .array(z.union([z.string().max(1_000_000), inlineTag]))
  .max(10_000)
  .describe('The texts and tags in reading order.');

/** A segment with its position in the document, and with the translation that it had before a reviewer changed it. */
export const positionedSegment = documentSegment.extend({
  position: z.int().meta({ description: 'The position of the segment in the document, from 0.' }),
  pipeline_text: z.string().nullable().meta({
    description: 'The machine translation, if a reviewer has changed it and it was stored; otherwise null.',
  }),
  source_content: inlineContent.nullable().meta({
    description: 'The source with its tags; null if it has no links, formatting or pictures.',
  }),
  target_content: inlineContent.nullable().meta({
    description: 'The translation with its tags; null if it has none, or if `source_content` is null.',
  }),
  words: z
    .array(
      z.object({
        text: z.string().describe('The word as it was recognized.'),
        confidence: z.int().describe('How sure the recognition is, from 0 to 100.'),
        uncertain: z.boolean().describe('Whether the confidence is below the limit of the service.'),
      }),
    )
    .nullable()
    .meta({ description: 'The words of a source that was recognized in a picture; otherwise null.' }),
  repetitions: z
    .int()
    .describe('The number of other segments of the document with the same source, including its tags.'),
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
  const { sourceKey } = documentSegments;
  const listed = sql`${ofDocument(tenantId, documentId)} and ${isAtOneOf(positions)}`;
  const [rows, counts] = await Promise.all([
    tx
      .select({ ...getTableColumns(documentSegments), status: statusOfSegment })
      .from(documentSegments)
      .where(listed)
      .orderBy(documentSegments.position),
    tx
      .select({ key: sql<string>`encode(${sourceKey}, 'hex')`, segments: sql<number>`count(*)::int` })
      .from(documentSegments)
      .where(
        sql`${ofDocument(tenantId, documentId)} and ${sourceKey} = any(array(select source_key from document_segments where ${listed}))`,
      )
      .groupBy(sourceKey)
      .having(sql`count(*) > 1`),
  ]);
  const repeated = new Map(counts.map(({ key, segments }) => [key, segments - 1]));
  return rows.map((row) => {
    const source = row.source as InlineContent;
    const isTagged = hasChips(source);
    return {
      ...segmentView(row),
      position: row.position,
      pipeline_text: row.pipelineText,
      source_content: isTagged ? source : null,
      target_content: isTagged ? (row.target as InlineContent | null) : null,
      words: row.words,
      repetitions: repeated.get(Buffer.from(row.sourceKey).toString('hex')) ?? 0,
      status: row.status,
    };
  });
}

/** The response of a change of segments. */
export const currentSegments = z.object({
  segments: z
    .array(positionedSegment)
    .meta({ description: `Their current state, in reading order; the first ${maxReturned} repetitions.` }),
  ...changedAt,
});

/** Returns segments in their current state. */
export async function viewSegments(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  positions: readonly number[],
  updatedAt: string,
): Promise<z.infer<typeof currentSegments>> {
  return { segments: await selectSegments(tx, tenantId, documentId, positions), updated_at: updatedAt };
}
