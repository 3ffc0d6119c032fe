import { z } from 'zod';
import { documentJob } from '#server/translation/documents/schema.ts';
import { confirmCritical } from '../schema.ts';

/** B 4.3 approve */
export const documentApproveInput = z
  .object({
    document_id: z.string().describe('The id of the document job.'),
    notes: z
      .string()
      .max(10_000)
      .nullish()
      .describe('Accepted but not kept: what an approval records is counts. At most 10000 characters.'),
    reviewer: z
      .string()
      .max(320)
      .nullish()
      .describe(
        'At most 320 characters. Required for a caller with an API key; otherwise the session says who it is.',
      ),
    confirm_critical: confirmCritical,
  })
  .meta({ id: 'DocumentApproveRequest', description: 'An approval. Send {} if there is nothing to say.' });

export const documentApproval = z
  .object({
    job: documentJob,
    approval_result: z
      .object({
        approved: z.literal(true).describe('Always true.'),
        already_approved: z.boolean().describe('Whether it had been approved before; then nothing changed.'),
        reviewer: z.string().nullable().describe('Who approved it first.'),
        fed_pairs: z.int().describe('Pairs that this call added to the translation memory.'),
        skipped: z
          .object({
            fast_path: z.int().describe('Taken from the memory or a glossary.'),
            needs_review: z.int().describe('Flagged, and neither corrected nor confirmed by a person.'),
            duplicates: z.int().describe('Known already.'),
            empty: z.int().describe('Without a text.'),
          })
          .describe('Segments that were not fed, by reason.'),
        feed_error: z
          .string()
          .nullable()
          .describe('Why the memory could not be fed; the approval stands. Null otherwise.'),
      })
      .meta({
        id: 'DocumentApprovalResult',
        description: 'The approved document, and what the approval did.',
      }),
  })
  .meta({ id: 'DocumentApproval', description: 'The approved document, and what the approval did.' });

export type DocumentApproveRequest = Omit<
  z.infer<typeof documentApproveInput>,
  'confirm_critical' | 'document_id'
>;
export type DocumentApprovalResult = z.infer<typeof documentApproval>['approval_result'];
