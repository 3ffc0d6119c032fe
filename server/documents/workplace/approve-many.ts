import { z } from 'zod';
import type { WithTenant } from '#server/access/guards/tenant.ts';
import { eachItem, itemRefusal } from '#server/bulk.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { approveDocument } from '../approve.ts';
import { documentApproval, documentApproveInput } from '../schema.ts';

export const approveManyInput = documentApproveInput.omit({ document_id: true }).extend({
  document_ids: z
    .array(z.string().max(200))
    .min(1)
    .max(100)
    .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name a document twice' })
    .describe('The documents to approve.'),
});

const approvalOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('done').describe('It is approved.'),
    document_id: z.string().describe('The document.'),
    approval_result: documentApproval.shape.approval_result,
  }),
  itemRefusal.extend({
    outcome: z.literal('refused').describe('It is as it was.'),
    document_id: z.string().describe('The document.'),
  }),
]);

type ApprovalOutcome = z.infer<typeof approvalOutcome>;

export const approvalOutcomes = z.object({
  results: z.array(approvalOutcome).meta({ description: 'of each document, in the order of the ids' }),
});

/**
 * Approves several documents, each as `approveDocument` does by itself: a refused one changes nothing for the others.
 * @throws AppError 401 if the caller is not authenticated at the beginning. One whose session ends later is refused the documents that are
 *   left
 */
export async function approveDocuments(
  services: Parameters<typeof approveDocument>[0] & Pick<Services, 'log'>,
  withTenant: WithTenant,
  requestId: string,
  { document_ids: ids, ...request }: z.infer<typeof approveManyInput>,
): Promise<z.infer<typeof approvalOutcomes>> {
  await withTenant(async () => {});
  const results = await eachItem<string, ApprovalOutcome>({ services, requestId }, ids, {
    async work(documentId) {
      // Whoever stops the process would wait for all that are left.
      if (services.backgroundWork.stopping.aborted)
        throw new AppError('transient_error', 'the service is restarting; approve the document again');
      const { result } = await approveDocument(services, withTenant, documentId, request);
      return { outcome: 'done', document_id: documentId, approval_result: result };
    },
    refuse: (documentId, refusal) => ({ outcome: 'refused', document_id: documentId, ...refusal }),
  });
  return { results };
}
