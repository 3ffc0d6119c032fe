import { z } from 'zod';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { atTheServer } from '#server/identity/audit/audit-log.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { cancelDocument } from '#server/translation/documents/cancel.ts';
import { requeueDocuments } from '#server/translation/documents/requeue.ts';
import { defineCommand, moment, Refusal, tenantIdOrNone } from '../command.ts';
import { printable } from '../printing.ts';

export const requeue = defineCommand({
  summary:
    'Queues failed documents again: one, or all that failed since a given time. Only failures with transient_error, interrupted or stage_timeout count.',
  parameters: [],
  options: {
    id: { type: 'string', value: 'document_id', summary: 'only this document' },
    since: {
      type: 'string',
      value: 'moment',
      summary: 'all documents that failed since this time: 2026-07-31, or 2026-07-31T09:00:00Z',
    },
    tenant: { type: 'string', value: 'id', summary: 'with --since: only documents of this tenant' },
    'dry-run': { type: 'boolean', summary: 'print the counts and change nothing' },
  },
  input: z
    .object({
      id: z.string().min(1, 'is empty').max(200, 'is not a valid document ID').optional(),
      since: moment.optional(),
      tenant: tenantIdOrNone.optional(),
      'dry-run': z.boolean().default(false),
    })
    .refine(({ id, since }) => (id === undefined) !== (since === undefined), {
      error: 'or --since is required, but not both',
      path: ['id'],
    })
    .refine(({ id, tenant }) => id === undefined || tenant === undefined, {
      error: 'needs --since',
      path: ['tenant'],
    }),
  async *run({ database }, { id, since, tenant, 'dry-run': dryRun }) {
    if (tenant && !(await database.inTenant(tenant, (tx) => readTenant(tx, tenant))))
      throw new Refusal(`unknown tenant: ${tenant}`);
    // Only documents that have failed before this time are queued, so that one that fails again during the command is
    // not queued a second time.
    const until = new Date();
    const selection =
      id !== undefined ? { documentId: id } : { since: since ?? until, until, tenantId: tenant };
    let requeued = 0;
    for (let isFirst = true; ; isFirst = false) {
      const result = await requeueDocuments(database, serverAdministrator, atTheServer, selection, {
        dryRun,
      });
      if (isFirst) for (const { code, documents } of result.found) yield `${printable(code)}\t${documents}`;
      if (dryRun) {
        yield `${documents(result.left)} would be queued again; nothing was changed.`;
        return;
      }
      requeued += result.requeued;
      if (result.left === 0 || result.requeued === 0) break;
    }
    yield `${documents(requeued)} queued again.`;
  },
});

export const cancelDocumentCommand = defineCommand({
  summary:
    'Ends a document that is queued or running. It fails with interrupted and is not billed; requeue continues it.',
  parameters: ['document_id'],
  options: {},
  input: z.object({ document_id: z.string().min(1, 'is empty').max(200, 'is not a valid document ID') }),
  async *run({ database }, { document_id: id }) {
    const { tenantId, stage } = await cancelDocument(database, serverAdministrator, atTheServer, id);
    yield `Document ${id} of tenant ${tenantId} was canceled at the stage ${stage}.`;
  },
});

const documents = (count: number) => `${count} ${count === 1 ? 'document' : 'documents'}`;
