import { z } from 'zod';
import { cancelDocument } from '#server/documents/cancel.ts';
import { documentOutage, requeueDocuments } from '#server/documents/requeue.ts';
import { AppError } from '#server/errors.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { atTheServer, operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { viewModels } from '#server/operations/models.ts';
import { retryBackgroundJobs, viewQueue } from '#server/operations/queue.ts';
import {
  backgroundJobId,
  modelsView,
  queueView,
  retried,
  storageView,
  taskName,
} from '#server/operations/schema.ts';
import { viewStorage } from '#server/operations/storage.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { adoptStore } from '#server/storage/store-identity.ts';
import { command, moment, type Server, tenantIdOrNone } from './command.ts';

const documentId = z.string().min(1, 'is empty').max(200, 'is not a valid document ID');

const requeueRequest = z
  .object({
    id: documentId.optional().describe('Only this document.'),
    since: moment
      .optional()
      .describe('All documents that failed since this time: 2026-07-31, or 2026-07-31T09:00:00Z.'),
    tenant: tenantIdOrNone.optional().describe('With --since: only documents of this tenant.'),
    dry_run: z.boolean().default(false).describe('Only counts the documents.'),
  })
  .refine(({ id, since }) => (id === undefined) !== (since === undefined), {
    error: 'or --since is required, but not both',
    path: ['id'],
  })
  .refine(({ id, tenant }) => id === undefined || tenant === undefined, {
    error: 'needs --since',
    path: ['tenant'],
  });

const requeued = z.object({
  requeued: z.int().describe('The number of documents that were queued again.'),
  left: z.int().describe('The number of documents that can be queued again.'),
  found: documentOutage.shape.failed,
});

/**
 * Queues failed documents again, until none is left. Only documents that have failed before the call are queued, so that
 * one that fails again during the call is not queued a second time.
 */
async function requeue(
  { database }: Server,
  { id, since, tenant, dry_run: dryRun }: z.infer<typeof requeueRequest>,
): Promise<z.infer<typeof requeued>> {
  if (tenant && !(await database.inTenant(tenant, (tx) => readTenant(tx, tenant))))
    throw new AppError('not_found', `unknown tenant: ${tenant}`);
  const selection =
    id === undefined
      ? { since: since ?? new Date(0), until: new Date(), tenantId: tenant }
      : { documentId: id };
  const run = () => requeueDocuments(database, serverAdministrator, atTheServer, selection, { dryRun });
  let last = await run();
  const sum = { ...last };
  while (!dryRun && last.left > 0 && last.requeued > 0) {
    last = await run();
    sum.requeued += last.requeued;
    sum.left = last.left;
  }
  return sum;
}

export const workCommands = {
  queue: command(
    'Counts the background jobs by task and state, or lists those that failed (of many, the latest 100).',
  )
    .input(
      z.object({
        failed: z.boolean().default(false).describe('Lists the failed jobs, which retry can run again.'),
      }),
    )
    .output(z.union([queueView.shape.failed, queueView.shape.tasks]))
    .query(async ({ ctx, input: { failed } }) => {
      const view = await viewQueue(ctx.database);
      return failed ? view.failed : view.tasks;
    }),

  retry: command(
    'Lets failed background jobs run again immediately: one, or all of a task. Running jobs are not changed.',
  )
    .input(
      z
        .object({
          id: backgroundJobId.optional().describe('Only this job, as queue --failed lists it.'),
          task: taskName.optional().describe('All failed jobs of this task.'),
        })
        .refine(({ id, task }) => (id === undefined) !== (task === undefined), {
          error: 'or --task is required, but not both',
          path: ['id'],
        }),
    )
    .output(retried)
    .mutation(async ({ ctx, input: { id, task = '' } }) => {
      const selection = id === undefined ? { task } : { jobId: id };
      return { retried: await retryBackgroundJobs(ctx.database, selection, operatorAtServer) };
    }),

  requeue: command(
    'Queues documents again that failed with transient_error, interrupted or stage_timeout: one, or all since a given time.',
  )
    .input(requeueRequest)
    .output(requeued)
    .mutation(({ ctx, input }) => requeue(ctx, input)),

  'cancel-document': command(
    'Ends a document that is queued or running. It fails with interrupted and is not billed; requeue continues it.',
  )
    .input(z.object({ document_id: documentId }))
    .output(z.object({ tenant_id: z.string(), stage: z.string() }))
    .mutation(async ({ ctx, input }) => {
      const { tenantId, stage } = await cancelDocument(
        ctx.database,
        serverAdministrator,
        atTheServer,
        input.document_id,
      );
      return { tenant_id: tenantId, stage };
    }),

  models: command(
    'Shows requests, errors, latency, tokens and cost of each model in the last 24 hours, over all processes.',
  )
    .output(modelsView)
    .query(({ ctx }) => viewModels(ctx)),

  storage: command(
    'Shows platform storage, the tenants with the most files (at most 20), and when recurring tasks last completed.',
  )
    .output(storageView)
    .query(({ ctx }) => viewStorage({ ...ctx, storage: openPlatformStore(ctx.settings) })),

  'adopt-storage': command(
    'Makes the platform storage of these settings the one of this database, if the former storage is lost, or was moved without its ID. Then restart processes that use another storage, and run npm run verify-store.',
  )
    .output(z.object({ adopted: z.literal(true) }))
    .mutation(async ({ ctx: { database, settings } }) => {
      await adoptStore(database, openPlatformStore(settings));
      return { adopted: true as const };
    }),
};
