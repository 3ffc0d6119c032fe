import { z } from 'zod';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { artifactView, newestArtifact } from '#server/translation/documents/artifacts.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import { documentArtifact, documentReviewInput } from '#server/translation/documents/schema.ts';
import { reviewDocument } from './decide.ts';
import { positionedSegment, selectSegments } from './positioned-segment.ts';
import { maxSeenLength } from './save-schema.ts';

const correction = documentReviewInput.shape.corrections.element.extend({
  replaces: z
    .string()
    .max(maxSeenLength)
    .nullable()
    .meta({ description: 'The `target_text` that the reviewer saw; null if the segment had none.' }),
});

export const documentCorrectInput = documentReviewInput.extend({
  corrections: z
    .array(correction)
    .min(1)
    .max(1000)
    .refine(
      (corrections) =>
        new Set(corrections.map(({ region_id, cell_id }) => JSON.stringify([region_id, cell_id ?? null])))
          .size === corrections.length,
      { error: 'must not name a segment twice' },
    )
    .describe('The corrections. Either all are applied or none.'),
});

export const correctedDocument = z.object({
  applied: z.int().meta({
    description:
      'The number of corrections that changed the document. Others had been applied before, by an earlier copy of the same request.',
  }),
  segments: z
    .array(positionedSegment)
    .meta({ description: 'The corrected segments in their current state, in reading order.' }),
  artifact: documentArtifact.nullable().meta({
    description: 'The latest translated file, which has the corrections; null without a translated file.',
  }),
  updated_at: z.string().meta({
    format: 'date-time',
    description: 'The time of the last change of the document, ISO 8601 in UTC.',
  }),
});

/**
 * Applies corrections to the translations that the reviewer saw. Does the same as `reviewDocument`, but returns a short
 * response, because a job with its manifest may be megabytes.
 * @throws AppError like `reviewDocument`
 */
export async function correctDocument(
  services: Parameters<typeof reviewDocument>[0],
  withTenant: WithTenant,
  { document_id: documentId, ...request }: z.infer<typeof documentCorrectInput>,
): Promise<z.infer<typeof correctedDocument>> {
  const { tenantId, named, changed } = await reviewDocument(services, withTenant, documentId, request);
  return services.database.inTenant(tenantId, async (tx) => {
    const { updatedAt } = await requireDocument(tx, tenantId, documentId);
    const artifact = await newestArtifact(tx, tenantId, documentId, 'translated');
    return {
      applied: changed.length,
      segments: await selectSegments(tx, tenantId, documentId, named),
      artifact: artifact ? artifactView(artifact) : null,
      updated_at: updatedAt.toISOString(),
    };
  });
}
