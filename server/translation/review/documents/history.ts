import { and, desc, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { segmentEvents } from '#db/schema/documents.ts';
import { AppError } from '#server/errors.ts';
import { resolutions } from '#server/translation/core/findings.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import { confirmReason, ofDocumentJob, position, selectSegments } from './segment-schema.ts';

export const historyQuery = z.object({ ...ofDocumentJob, position });

/** Maximum number of events in a response. */
const maxEvents = 200;

const eventReason = z.object({
  code: z.enum([...confirmReason.shape.code.options, ...resolutions]).describe('The kind of reason.'),
  note: z.string().describe('The reason in words; empty if a resolution has none.'),
});

export const segmentHistory = z.object({
  events: z
    .array(
      z.object({
        event_id: z.string().describe('The event.'),
        change_id: z.string().meta({ description: 'the change, which can be undone with this ID' }),
        kind: z
          .enum(segmentEvents.kind.enumValues)
          .describe(
            '`edited`: a new text, as a draft. `confirmed`: confirmed, with or without a new text. `unconfirmed`: no longer confirmed, same text. `resolved`: a finding was resolved. `repeated`: same source as a segment that was changed. `undone`, `redone`: the change was undone or redone.',
          ),
        by: z
          .string()
          .nullable()
          .meta({ description: 'email address or user ID; null for an API key without a name' }),
        user_id: z.string().nullable().describe('The member; null for an API key.'),
        created_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
        target_text: z.string().nullable().describe('The translation after the event.'),
        previous_text: z.string().nullable().describe('The translation before the event.'),
        reason: eventReason
          .nullable()
          .meta({ description: 'why critical findings were confirmed, or how a finding was resolved' }),
        undone_at: z
          .string()
          .nullable()
          .meta({ format: 'date-time', description: 'when the change was undone; null if it was not' }),
      }),
    )
    .meta({ description: `latest first, at most ${maxEvents}` }),
});

/**
 * Returns what reviewers did with a segment.
 * @throws AppError 404 for an unknown document or segment
 */
export async function readHistory(
  tx: Tx,
  tenantId: string,
  { document_id: documentId, position }: z.infer<typeof historyQuery>,
): Promise<z.infer<typeof segmentHistory>> {
  await requireDocument(tx, tenantId, documentId);
  const [segment] = await selectSegments(tx, tenantId, documentId, [position]);
  if (!segment) throw new AppError('not_found', 'segment not found');
  const rows = await tx
    .select({
      eventId: segmentEvents.eventId,
      changeId: segmentEvents.changeId,
      kind: segmentEvents.kind,
      actor: segmentEvents.actor,
      userId: segmentEvents.userId,
      createdAt: segmentEvents.createdAt,
      targetText: segmentEvents.targetText,
      previousText: sql<string | null>`${segmentEvents.before} ->> 'target_text'`,
      reason: segmentEvents.reason,
      undoneAt: segmentEvents.undoneAt,
    })
    .from(segmentEvents)
    .where(
      and(
        eq(segmentEvents.tenantId, tenantId),
        eq(segmentEvents.documentId, documentId),
        eq(segmentEvents.position, position),
      ),
    )
    .orderBy(desc(segmentEvents.createdAt), desc(segmentEvents.eventId))
    .limit(maxEvents);
  return {
    events: rows.map((row) => ({
      event_id: row.eventId,
      change_id: row.changeId,
      kind: row.kind,
      by: row.actor,
      user_id: row.userId,
      created_at: row.createdAt.toISOString(),
      target_text: row.targetText,
      previous_text: row.previousText,
      reason: row.reason as z.infer<typeof eventReason> | null,
      undone_at: row.undoneAt?.toISOString() ?? null,
    })),
  };
}
