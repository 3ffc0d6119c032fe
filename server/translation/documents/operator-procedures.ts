import { z } from 'zod';
import { operatorProcedure } from '#server/identity/access/guards/admin.ts';
import { documentOutage, readOutage, requeueDocuments } from './requeue.ts';

const refusal = 'only platform operators can access documents of all workspaces';

const moment = z.iso
  .datetime({ offset: true })
  .describe('ISO 8601 with its offset.')
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is not a valid time');

export const outageQuery = z.object({
  since: moment.describe('Failures since then are counted.'),
});

export const requeueRequest = z
  .object({
    document_id: z.string().max(200).optional().describe('The document; or `since`.'),
    since: moment.optional().describe('Selects all that failed since then.'),
    dry_run: z.boolean().default(false).describe('Only count.'),
  })
  .refine(({ document_id, since }) => (document_id === undefined) !== (since === undefined), {
    error: 'send document_id or since',
    path: ['document_id'],
  });

export const requeued = z.object({
  found: documentOutage.shape.failed,
  requeued: z.int().describe('Number of queued documents.'),
  left: z.int().describe('Number of documents left for a further call.'),
});

/** Procedures for the operator's page only. They have no route, so only /trpc serves them. */
export const operatorProcedures = {
  outage: operatorProcedure(refusal)
    .input(outageQuery)
    .output(documentOutage)
    .query(async ({ ctx, input }) => {
      await ctx.asOperator();
      return ctx.services.database.inPlatform((tx) => readOutage(tx, new Date(input.since)));
    }),

  requeue: operatorProcedure(refusal)
    .input(requeueRequest)
    .output(requeued)
    .mutation(async ({ ctx, input: { document_id: documentId, since, dry_run: dryRun } }) => {
      const selection = documentId !== undefined ? { documentId } : { since: new Date(since ?? 0) };
      return requeueDocuments(ctx.services.database, await ctx.asOperator(), ctx, selection, { dryRun });
    }),
};
