import type { WithTenant } from '#server/access/guards/tenant.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import type { FileResponse } from '#server/trpc.ts';
import { newestArtifact, readArtifact } from './artifacts.ts';
import { isInFlight, requireDocument } from './jobs.ts';

/**
 * Returns the newest translated file (B 4.3), after its checksum is verified. Never the source.
 * @throws AppError 404; 409 before the job is translated, or after it failed; 500 if the stored file is damaged
 */
export async function downloadDocument(
  services: LocatingServices & Pick<Services, 'log'>,
  withTenant: WithTenant,
  documentId: string,
): Promise<FileResponse> {
  const { row, artifact } = await withTenant(async (tx, { tenant }) => ({
    row: await requireDocument(tx, tenant.id, documentId),
    artifact: await newestArtifact(tx, tenant.id, documentId, 'translated'),
  }));
  if (isInFlight(row)) throw new AppError('conflict', 'document translation is still in progress');
  if (row.status === 'failed' || !artifact)
    throw new AppError('conflict', 'the document translation failed; it has no output');
  return {
    bytes: await readArtifact(services, artifact),
    contentType: artifact.contentType,
    fileName: row.sourceFileName,
  };
}
