import { z } from 'zod';
import { confirmCritical } from '../schema.ts';

export const documentApproveInput = z
  .object({
    document_id: z.string().describe('The ID of the document job.'),
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
