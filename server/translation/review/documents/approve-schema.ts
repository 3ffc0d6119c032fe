import { z } from 'zod';
import { qualityIssue } from '#server/translation/core/agent-run-schema.ts';
import { documentApproval } from '#server/translation/documents/schema.ts';
import { documentSegment } from '#server/translation/documents/segments.ts';
import { confirmCritical, decisionOutcome } from '../schema.ts';
import { ofDocumentJob } from './segment-schema.ts';

export const documentApproveInput = z
  .object({
    ...ofDocumentJob,
    notes: z.string().max(10_000).nullish().describe('Accepted, but not stored. At most 10000 characters.'),
    reviewer: z
      .string()
      .max(320)
      .nullish()
      .describe(
        'The name of the reviewer, at most 320 characters. Required for clients with an API key. For signed-in members, the session determines the reviewer.',
      ),
    confirm_critical: confirmCritical,
  })
  .meta({
    id: 'DocumentApproveRequest',
    description: 'An approval. Send an empty object, {}, if there is no further data.',
  });

export type DocumentApproveRequest = Omit<
  z.infer<typeof documentApproveInput>,
  'confirm_critical' | 'document_id'
>;

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

export const approvalOutcomes = z.object({
  results: z
    .array(
      decisionOutcome(
        ofDocumentJob,
        { approval_result: documentApproval.shape.approval_result },
        criticalSegment,
      ),
    )
    .meta({ description: 'One result for each document, in the order of `document_ids`.' }),
});

export type ApproveManyInput = z.infer<typeof approveManyInput>;
export type CriticalSegment = z.infer<typeof criticalSegment>;
