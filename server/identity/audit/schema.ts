import { z } from 'zod';
import { auditActions } from './audit-log.ts';

/**
 * A moment in ISO 8601 with its offset. Only years of four digits are accepted, also after conversion to UTC:
 * PostgreSQL can read neither the year 0 nor the signed years that JavaScript writes.
 */
const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => /^[1-9]\d{3}-/.test(text) && /^\d{4}-/.test(new Date(text).toISOString()), {
    error: 'the year must have four digits',
  });

export const auditListRequest = z
  .object({
    action: z.enum(auditActions).optional().describe('Only events of this kind.'),
    actor_id: z.string().max(64).optional().meta({ description: "a member's id" }),
    actor_kind: z
      .enum(['member', 'api_key', 'anonymous', 'operator_key', 'server', 'payment_processor'])
      .optional()
      .describe('Only events of such callers.'),
    since: moment.optional().meta({ description: 'inclusive' }),
    until: moment.optional().meta({ description: 'exclusive' }),
    limit: z.int().min(1).max(200).default(50).describe('Events per page.'),
    cursor: z.string().max(200).optional().describe('The next_cursor of the previous page.'),
  })
  // As in the other listings, a request without input gets the first page of everything.
  .prefault({});

export const auditEvent = z.object({
  id: z.string().describe('32 hexadecimal characters.'),
  recorded_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
  action: z.string().describe('What happened: signed_in, role_changed.'),
  actor: z
    .object({
      kind: z.string().describe('What kind of caller it was.'),
      id: z.string().nullable().meta({ description: "a member's id; null for other actors" }),
    })
    .describe('Who did it.'),
  target: z.string().nullable().meta({
    description: 'the id of a member, an invite, a token family, a reviewed job or document, or the tenant',
  }),
  address: z.string().nullable().meta({
    description: "the client's address; null if the platform acted",
  }),
  request_id: z.string().nullable().describe('X-Request-ID of the request that did it.'),
  details: z.record(z.string(), z.unknown()).describe('More about the event, never a secret.'),
});

export const auditPage = z.object({
  events: z.array(auditEvent).meta({ description: 'latest first' }),
  next_cursor: z.string().nullable().meta({
    description:
      'null at the end. A page ends after 20,000 events that do not match, so one with few or none may have a next',
  }),
});

export type AuditListRequest = z.infer<typeof auditListRequest>;
export type AuditPage = z.infer<typeof auditPage>;
