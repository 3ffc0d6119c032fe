import { z } from 'zod';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { eachItem, itemRefusal } from '#server/http/bulk.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { qualityIssue } from '#server/translation/core/agent-run-schema.ts';
import { documentApproval } from '#server/translation/documents/schema.ts';
import { documentSegment } from '#server/translation/documents/segments.ts';
import { leftOutOf } from '../confirmation.ts';
import { openedBy } from '../openings.ts';
import { leftOutReason } from '../schema.ts';
import { approveDocument } from './approve.ts';
import { documentApproveInput } from './review-schema.ts';

const ids = z.array(z.string().max(200)).max(100);

export const approveManyInput = documentApproveInput
  .omit({ document_id: true, confirm_critical: true })
  .extend({
    document_ids: ids
      .min(1)
      .refine((ids) => new Set(ids).size === ids.length, { error: 'must not name a document twice' })
      .describe('The IDs of the documents to approve.'),
    confirm_unopened: ids
      .default([])
      .describe('Those of `document_ids` that are approved even if the reviewer has not opened them.'),
    confirm_critical: ids
      .default([])
      .describe('Those of `document_ids` that are approved even if they have critical findings.'),
  });

const criticalSegment = documentSegment.pick({ region_id: true, cell_id: true, place: true }).extend({
  position: z.int().describe('The position of the segment in the document, from 0.'),
  issues: z.array(qualityIssue).describe('The critical issues of the segment.'),
});

const approvalOutcome = z.discriminatedUnion('outcome', [
  z.object({
    outcome: z.literal('done').describe('The document is approved.'),
    document_id: z.string().describe('The ID of the document job.'),
    approval_result: documentApproval.shape.approval_result,
  }),
  itemRefusal.extend({
    outcome: z.literal('refused').describe('The approval was rejected; nothing has changed.'),
    document_id: z.string().describe('The ID of the document job.'),
  }),
  z.object({
    outcome: z
      .literal('left_out')
      .describe(
        'The document was skipped, because it has to be named in `confirm_unopened` or `confirm_critical`; nothing has changed.',
      ),
    document_id: z.string().describe('The ID of the document job.'),
    reason: leftOutReason,
    critical_findings: z
      .array(criticalSegment)
      .describe(
        'At most 100 segments with critical findings that no reviewer has confirmed; empty if the reason is `unopened`.',
      ),
  }),
]);

type ApprovalOutcome = z.infer<typeof approvalOutcome>;

export const approvalOutcomes = z.object({
  results: z
    .array(approvalOutcome)
    .meta({ description: 'One result for each document, in the order of `document_ids`.' }),
});

/**
 * Approves several documents, each like `approveDocument`. If one is rejected, the others are still approved. A
 * document that the caller has not opened, or that has critical issues, is skipped unless the request names it
 * explicitly.
 * @throws AppError 401 if the caller is not authenticated at the beginning. If the session ends later, the remaining
 *   documents are rejected.
 */
export async function approveDocuments(
  services: Parameters<typeof approveDocument>[0] & Pick<Services, 'log'>,
  withTenant: WithTenant,
  origin: Origin & { requestId: string },
  { document_ids: ids, confirm_unopened, confirm_critical, ...request }: z.infer<typeof approveManyInput>,
): Promise<z.infer<typeof approvalOutcomes>> {
  const opened = await withTenant((tx, principal) => openedBy(tx, principal, 'document', ids));
  const results = await eachItem<string, ApprovalOutcome>({ services, requestId: origin.requestId }, ids, {
    async work(documentId) {
      // Stop here if the process is stopping; otherwise it could not stop before all documents are approved.
      if (services.backgroundWork.stopping.aborted)
        throw new AppError('transient_error', 'the service is restarting; approve the document again');
      try {
        const { result } = await approveDocument(services, withTenant, origin, documentId, request, {
          confirmCritical: confirm_critical.includes(documentId),
          isUnopened: !opened.has(documentId) && !confirm_unopened.includes(documentId),
        });
        return { outcome: 'done', document_id: documentId, approval_result: result };
      } catch (error) {
        const leftOut = leftOutOf(error);
        if (!leftOut) throw error;
        const findings = leftOut.critical_findings as z.infer<typeof criticalSegment>[];
        return {
          outcome: 'left_out',
          document_id: documentId,
          reason: leftOut.reason,
          critical_findings: findings,
        };
      }
    },
    refuse: (documentId, refusal) => ({ outcome: 'refused', document_id: documentId, ...refusal }),
  });
  return { results };
}
