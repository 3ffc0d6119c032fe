import { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { operatorProcedure } from '#server/identity/access/guards/admin.ts';
import { moment } from '#server/platform/input-limits.ts';
import { documentOutage, readOutage, requeueDocuments } from './requeue.ts';

const refusal = 'only platform operators can access documents of all workspaces';

const outageQuery = z.object({
  since: moment.describe('Only failures since this time are counted.'),
});

const requeueRequest = z
  .object({
    document_id: z
      .string()
      .max(200)
      .optional()
      .describe('The ID of the document to queue again. Send either this field or `since`.'),
    since: moment.optional().describe('All documents that failed since this time are queued again.'),
    dry_run: z.boolean().default(false).describe('Whether the documents are only counted.'),
  })
  .refine(({ document_id, since }) => (document_id === undefined) !== (since === undefined), {
    error: 'send document_id or since',
    path: ['document_id'],
  });

/** X-Tenant-ID limits every credential to that tenant. */
function selectedTenant({ credentials }: Pick<RequestContext, 'credentials'>): string | undefined {
  return credentials.tenantId ?? undefined;
}

export const requeued = z.object({
  found: documentOutage.shape.failed,
  requeued: z.int().describe('The number of documents that were queued again.'),
  left: z.int().describe('The number of documents that remain for a further request.'),
});

/** Procedures for the operator's page only. They have no route, so only /trpc serves them. */
export const operatorProcedures = {
  outage: operatorProcedure(refusal)
    .input(outageQuery)
    .output(documentOutage)
    .query(async ({ ctx, input }) => {
      await ctx.asOperator();
      return ctx.services.database.inPlatform((tx) =>
        readOutage(tx, new Date(input.since), selectedTenant(ctx)),
      );
    }),

  requeue: operatorProcedure(refusal)
    .input(requeueRequest)
    .output(requeued)
    .mutation(async ({ ctx, input: { document_id: documentId, since, dry_run: dryRun } }) => {
      const tenantId = selectedTenant(ctx);
      const selection =
        documentId !== undefined ? { documentId, tenantId } : { since: new Date(since ?? 0), tenantId };
      return requeueDocuments(ctx.services.database, await ctx.asOperator(), ctx, selection, { dryRun });
    }),
};
