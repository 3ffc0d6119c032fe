import { z } from 'zod';

/**
 * All types of events. The triggers of `translation_jobs`, `document_jobs` and `memory_imports` write them; a type is
 * the resource, or `review`, with its new state.
 */
export const eventTypes = [
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
  'memory_import.running',
  'memory_import.completed',
  'memory_import.failed',
] as const;

export const eventRecord = z.object({
  /** A UUID. It never changes, so that receivers can recognize an event that they get twice. */
  id: z.string(),
  /** The place of the event in the feed, as a cursor. */
  cursor: z.string(),
  type: z.enum(eventTypes),
  resource: z.enum(['translation', 'document', 'memory_import']),
  /** The ID of the translation job, document or import. */
  resource_id: z.string(),
  /** The status of the resource at that time; `deleted` after its deletion. */
  status: z.string(),
  occurred_at: z.string(),
});

const cursor = z.string().max(200);

/** Without types, all events. */
const types = z.array(z.enum(eventTypes)).min(1).max(eventTypes.length).optional();

export const eventQuery = z
  .object({
    /** Events after this place; without it, none, and `next_cursor` is the end of the feed. */
    cursor: cursor.optional(),
    /** The number of events that are read. With `types`, fewer are returned. */
    limit: z.int().min(1).max(1000).default(100),
    types,
  })
  .prefault({});

export type EventQuery = z.infer<typeof eventQuery>;

export const eventStreamQuery = z
  .object({
    /** Events after this place; without it, events from now on. */
    cursor: cursor.optional(),
    /** The last `id` of a stream that was cut. It replaces `cursor`. */
    lastEventId: cursor.optional(),
    types,
  })
  .prefault({});

export type EventStreamQuery = z.infer<typeof eventStreamQuery>;

export const eventPage = z.object({
  events: z.array(eventRecord),
  next_cursor: z.string(),
  /** Whether more events are available now. */
  has_more: z.boolean(),
});

export type EventRecord = z.infer<typeof eventRecord>;
export type EventPage = z.infer<typeof eventPage>;
