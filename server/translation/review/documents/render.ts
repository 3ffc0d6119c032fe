import { z } from 'zod';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { destinationIn } from '#server/storage/destination.ts';
import { artifactView, newestArtifact } from '#server/translation/documents/artifacts.ts';
import { requireDocument } from '#server/translation/documents/jobs.ts';
import { type RenderServices, renderDocument } from '#server/translation/documents/rendering.ts';
import { documentArtifact } from '#server/translation/documents/schema.ts';
import { requireTranslated } from './reviewed-document.ts';

export const renderInput = z.object({ document_id: z.string().describe('The document.') });

export const renderedDocument = z.object({
  artifact: documentArtifact.nullable().describe('The latest translated file, with all saved changes.'),
  updated_at: z.string().meta({ format: 'date-time', description: "the document's" }),
});

/**
 * Renders the file of a document now, if it does not have all saved changes: for the preview.
 * @throws AppError 404; 400 if the document is not translated, or cannot be rendered; 409 storage_binding_not_verified;
 *   transient_error if a review holds the document for too long
 */
export async function renderNow(
  services: RenderServices,
  withTenant: WithTenant,
  documentId: string,
): Promise<z.infer<typeof renderedDocument>> {
  const tenantId = await withTenant(async (tx, { tenant }) => {
    requireTranslated(await requireDocument(tx, tenant.id, documentId));
    await destinationIn(tx, services, tenant.id);
    return tenant.id;
  });
  await renderDocument(services, { tenantId, documentId });
  return services.database.inTenant(tenantId, async (tx) => {
    const { updatedAt } = await requireDocument(tx, tenantId, documentId);
    const artifact = await newestArtifact(tx, tenantId, documentId, 'translated');
    return { artifact: artifact ? artifactView(artifact) : null, updated_at: updatedAt.toISOString() };
  });
}
