import { z } from 'zod';
import { type AuditRow, auditActions, readEvents } from '#server/identity/audit/audit-log.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { defineCommand, moment, Refusal, tenantIdOrNone, wholeNumber } from '../command.ts';
import { columns, jsonLine } from '../printing.ts';

const titles = [
  'recorded_at',
  'tenant_id',
  'action',
  'actor',
  'target',
  'address',
  'request_id',
  'details',
] as const;

export const audit = defineCommand({
  summary: 'Prints the audit log, latest first: events of all tenants, and those without a tenant.',
  parameters: [],
  options: {
    tenant: { type: 'string', value: 'id', summary: "events of this tenant; '' for those without a tenant" },
    action: {
      type: 'string',
      value: 'action',
      summary: 'only events of this action, such as api_key_rotated',
    },
    since: {
      type: 'string',
      value: 'moment',
      summary: 'events since this time: 2026-07-31, or 2026-07-31T09:00:00Z',
    },
    until: { type: 'string', value: 'moment', summary: 'events before this time' },
    limit: { type: 'string', value: 'n', summary: 'maximum number of events; 50 by default' },
    json: { type: 'boolean', summary: 'one JSON object per line' },
  },
  input: z.object({
    tenant: tenantIdOrNone.optional(),
    action: z.enum(auditActions, { error: 'is not a recorded action' }).optional(),
    since: moment.optional(),
    until: moment.optional(),
    limit: wholeNumber(1, 1_000_000).default(50),
    json: z.boolean().default(false),
  }),
  async *run({ database }, { tenant, json, ...query }) {
    let none = true;
    for await (const event of readEvents(database, { ...query, tenantId: tenant })) {
      if (none && !json) yield columns(titles);
      none = false;
      yield (json ? asJson : asColumns)(event);
    }
    // If there are no events, check whether the tenant exists: a mistyped id must not look like a tenant without
    // events.
    if (none && tenant && !(await database.inTenant(tenant, (tx) => readTenant(tx, tenant))))
      throw new Refusal(`unknown tenant: ${tenant}`);
    if (none && !json) yield 'No matching events.';
  },
});

function asJson(event: AuditRow): string {
  return jsonLine({
    recorded_at: event.recordedAt,
    event_id: event.eventId,
    tenant_id: event.tenantId || null,
    action: event.action,
    actor_kind: event.actorKind,
    actor_id: event.actorId,
    target: event.target,
    address: event.address,
    request_id: event.requestId,
    details: event.details,
  });
}

function asColumns(event: AuditRow): string {
  return columns([
    event.recordedAt.toISOString(),
    event.tenantId || '-',
    event.action,
    event.actorId === null ? event.actorKind : `${event.actorKind}:${event.actorId}`,
    event.target ?? '-',
    event.address ?? '-',
    event.requestId ?? '-',
    JSON.stringify(event.details),
  ]);
}
