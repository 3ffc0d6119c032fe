import type { WithTenant } from '#server/access/guards/tenant.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { beginDownload, type ExportRequest, guardExport } from '#server/exports.ts';
import { destinationIn, type LocatingServices } from '#server/storage/destination.ts';
import type { FileResponse, StreamResponse } from '#server/trpc.ts';
import { newestArtifact, openArtifact, readArtifact } from './artifacts.ts';
import { isInFlight, requireDocument } from './jobs.ts';

/** Files up to this size, in bytes, are read at once. */
const readAtOnce = 256 * 1024;

/**
 * Returns the newest translated file (B 4.3), after its checksum is verified. Never the source. A large file is streamed.
 * @throws AppError 404; 409 before the job is translated, or after it failed, or while the tenant's storage cannot be used; 500 if the stored
 *   file is damaged
 */
export async function downloadDocument(
  services: LocatingServices & Pick<Services, 'log'>,
  withTenant: WithTenant,
  documentId: string,
  request: ExportRequest,
): Promise<FileResponse | StreamResponse> {
  const { row, artifact } = await withTenant(async (tx, { tenant }) => {
    const row = await requireDocument(tx, tenant.id, documentId);
    // Even if the file is in the platform's storage (C 7).
    await destinationIn(tx, services, tenant.id);
    return { row, artifact: await newestArtifact(tx, tenant.id, documentId, 'translated') };
  });
  if (isInFlight(row)) throw new AppError('conflict', 'document translation is still in progress');
  if (row.status === 'failed' || !artifact)
    throw new AppError('conflict', 'the document translation failed; it has no output');
  const { contentType, sizeBytes, tenantId } = artifact;
  const named = { contentType, fileName: row.sourceFileName };
  if (sizeBytes <= readAtOnce) return { ...named, bytes: await readArtifact(services, artifact) };
  const slot = await beginDownload({ tenantId, signal: request.signal });
  try {
    const stream = await openArtifact(services, artifact);
    return {
      ...named,
      length: sizeBytes,
      chunks: guardExport(services.log, request, slot, stream.chunks),
      cut: slot.cut,
      end() {
        slot.end();
        void stream.close();
      },
    };
  } catch (error) {
    slot.end();
    throw error;
  }
}
