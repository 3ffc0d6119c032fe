import { z } from 'zod';

/**
 * All types of events. The triggers of `translation_jobs`, `document_jobs`, `review_assignments` and `memory_imports` write them; a type is
 * the resource, or `review`, with its new state.
 */
const eventTypes = [
  'translation.published',
  'translation.human_edited',
  'translation.awaiting_review',
  'translation.rejected',
  'translation.failed',
  'translation.persistence_failed',
  'translation.deleted',
  'document.queued',
  'document.extracted',
  'document.translated',
  'document.failed',
  'document.deleted',
  'review.approved',
  'review.rejected',
  'review.reopened',
  'review.changed',
  'review.assigned',
  'review.unassigned',
  'review.passed',
  'memory_import.running',
  'memory_import.completed',
  'memory_import.failed',
] as const;

const eventRecord = z.object({
  id: z
    .string()
    .describe('A UUID. It never changes, so that receivers can recognize an event that they get twice.'),
  cursor: z.string().describe('The place of the event in the feed.'),
  type: z.enum(eventTypes).describe('The resource, or `review`, with its new state. Values may be added.'),
  resource: z.enum(['translation', 'document', 'memory_import']).describe('The kind of the resource.'),
  resource_id: z.string().describe('The ID of the translation job, document or import.'),
  status: z.string().describe('The status of the resource at that time; `deleted` after its deletion.'),
  occurred_at: z.string().describe('The time of the change, ISO 8601 in UTC.'),
});

const cursor = z.string().max(200);

const types = z
  .array(z.enum(eventTypes))
  .min(1)
  .max(eventTypes.length)
  .optional()
  .describe('Only events of these types. Default: all.');

export const eventQuery = z
  .object({
    cursor: cursor
      .optional()
      .describe(
        'The place after which to read. Without it, no events are returned, and `next_cursor` is the end of the feed.',
      ),
    limit: z
      .int()
      .min(1)
      .max(1000)
      .default(100)
      .describe('The number of events that are read. With `types`, fewer are returned.'),
    types,
  })
  .prefault({});

export const eventStreamQuery = z
  .object({
    cursor: cursor.optional().describe('The place after which to read. Without it, events from now on.'),
    lastEventId: cursor.optional().describe('The last `id` of a stream that was cut. It replaces `cursor`.'),
    types,
  })
  .prefault({});

export type EventStreamQuery = z.infer<typeof eventStreamQuery>;

export const eventPage = z.object({
  events: z.array(eventRecord).describe('The events, in the order of the feed.'),
  next_cursor: z.string().describe('The cursor for the next request.'),
  has_more: z.boolean().describe('Whether more events are available now.'),
});

export type EventRecord = z.infer<typeof eventRecord>;
export type EventPage = z.infer<typeof eventPage>;
