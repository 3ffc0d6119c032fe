import { z } from 'zod';
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

export type DocumentApproveRequest = Omit<
  z.infer<typeof documentApproveInput>,
  'confirm_critical' | 'document_id'
>;
