import { z } from 'zod';
import { moment } from '#server/platform/input-limits.ts';
import { auditActions } from './audit-log.ts';

export const auditListRequest = z
  .object({
    action: z.enum(auditActions).optional().describe('Only events with this action.'),
    actor_id: z
      .string()
      .max(64)
      .optional()
      .meta({ description: 'Only events that the member with this ID caused.' }),
    actor_kind: z
      .enum(['member', 'api_key', 'anonymous', 'operator_key', 'server', 'payment_processor'])
      .optional()
      .describe('Only events that this kind of actor caused.'),
    since: moment.optional().meta({ description: 'Only events at or after this time.' }),
    until: moment.optional().meta({ description: 'Only events before this time.' }),
    limit: z.int().min(1).max(200).default(50).describe('The maximum number of events on a page.'),
    cursor: z.string().max(200).optional().describe('The value of `next_cursor` on the previous page.'),
  })
  // As in the other listings, a request without input gets the first page of everything.
  .prefault({});

const auditEvent = z.object({
  id: z.string().describe('The ID of the event: 32 hexadecimal characters.'),
  recorded_at: z
    .string()
    .meta({ format: 'date-time', description: 'The time of the event, ISO 8601 in UTC.' }),
  action: z.string().describe('The action, such as `signed_in` or `role_changed`.'),
  actor: z
    .object({
      kind: z.string().describe('The kind of actor, such as `member` or `api_key`.'),
      id: z.string().nullable().meta({ description: 'The ID of the member; null for other actors.' }),
    })
    .describe('The actor who caused the event.'),
  target: z.string().nullable().meta({
    description:
      'The ID of the affected object: a member, an invite, the tokens of a sign-in, a reviewed job or document, or the tenant.',
  }),
  address: z.string().nullable().meta({
    description: 'The IP address of the client; null if the service itself acted.',
  }),
  request_id: z.string().nullable().describe('The X-Request-ID of the request that caused the event.'),
  details: z
    .record(z.string(), z.unknown())
    .describe('Further data about the event. It never contains secrets.'),
});

export const auditPage = z.object({
  events: z.array(auditEvent).meta({ description: 'The events, latest first.' }),
  next_cursor: z.string().nullable().meta({
    description:
      'The cursor of the next page; null on the last page. A page ends after 20,000 events that do not match the filters, so a page with few or no events may have a next page.',
  }),
});

export type AuditListRequest = z.infer<typeof auditListRequest>;
export type AuditPage = z.infer<typeof auditPage>;
