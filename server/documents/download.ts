import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { beginDownload, type ExportRequest, guardExport } from '#server/http/exports.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { destinationIn, type LocatingServices } from '#server/storage/destination.ts';
import type { FileResponse, StreamResponse } from '#server/trpc.ts';
import { type ArtifactRow, newestArtifact, openArtifact, readArtifact, selectArtifact } from './artifacts.ts';
import { hashTextsOf } from './file-work.ts';
import {
  type DocumentRow,
  isInFlight,
  rebuildOptionsOf,
  requireDocument,
  resultFormatOf,
  resultNamesOf,
  unknownDocument,
} from './jobs.ts';
import { selectKept } from './kept-texts.ts';
import { needsRendering, type RenderServices, renderDocument } from './rendering.ts';

/** Maximum size in bytes of a file that is read into memory as a whole. */
const readAtOnce = 256 * 1024;

type DownloadServices = LocatingServices & Pick<Services, 'log'>;

/**
 * Returns the latest translated file, never the source, after verifying its checksum. If reviewers have changed segments
 * since the file was rendered, it is rendered first. A large file is streamed. With `texts`, the result is a JSON file with
 * the hashes of its texts instead, or with null if its format has no separate texts.
 * @throws AppError 404; 409 before the job is translated, after it failed, or while the tenant's storage cannot be used; 500
 * if the stored
 *   file is damaged
 */
export async function downloadDocument(
  services: RenderServices,
  withTenant: WithTenant,
  documentId: string,
  { texts, ...request }: ExportRequest & { texts: boolean },
): Promise<FileResponse | StreamResponse> {
  const { row, artifact } = await withTenant(async (tx, { tenant }) => {
    const row = await requireDocument(tx, tenant.id, documentId);
    // The tenant's destination must be usable, even if this file is in platform storage.
    await destinationIn(tx, services, tenant.id);
    return { row, artifact: await newestArtifact(tx, tenant.id, documentId, 'translated') };
  });
  if (isInFlight(row)) throw new AppError('conflict', 'document translation is still in progress');
  if (row.status === 'failed' || !artifact)
    throw new AppError('conflict', 'the document translation failed; it has no output');
  const newest = needsRendering(row) ? await renderNewest(services, row) : artifact;
  if (texts) return hashesOf(services, row, newest, request);
  return openFile(services, newest, resultNamesOf(row), request);
}

async function hashesOf(
  services: RenderServices,
  row: DocumentRow,
  translated: ArtifactRow,
  { signal }: ExportRequest,
): Promise<FileResponse> {
  const { tenantId, documentId, sourceFormat: format } = row;
  const source = await services.database.inTenant(tenantId, (tx) =>
    newestArtifact(tx, tenantId, documentId, 'source'),
  );
  if (!source) throw unknownDocument();
  const read = async () => ({
    bytes: await readArtifact(services, source),
    target: await readArtifact(services, translated),
    kept: await selectKept(services, tenantId, documentId),
  });
  const { texts } =
    resultFormatOf(row) === format
      ? await hashTextsOf(
          services,
          { format, options: rebuildOptionsOf(row), ...(await read()) },
          { tenantId, signal },
        )
      : { texts: null };
  const bytes = new TextEncoder().encode(JSON.stringify(texts));
  return { bytes, contentType: 'application/json', fileName: `${documentId}.json` };
}

async function renderNewest(
  services: RenderServices,
  { tenantId, documentId }: DocumentRow,
): Promise<ArtifactRow> {
  await renderDocument(services, { tenantId, documentId });
  const artifact = await services.database.inTenant(tenantId, (tx) =>
    newestArtifact(tx, tenantId, documentId, 'translated'),
  );
  if (!artifact) throw unknownDocument();
  return artifact;
}

/**
 * Returns one file of a document: its source, or any revision of the translated file. The web application uses this for
 * its preview, also while the document is in progress.
 * @throws AppError 404 for a file of another document; 409 while the tenant's storage cannot be used, as for a
 *   download; 500 if the stored file is damaged
 */
export async function downloadArtifact(
  services: DownloadServices,
  withTenant: WithTenant,
  { documentId, artifactId }: { documentId: string; artifactId: string },
  request: ExportRequest,
): Promise<FileResponse | StreamResponse> {
  const { artifact, fileName } = await withTenant(async (tx, { tenant }) => {
    const row = await requireDocument(tx, tenant.id, documentId);
    await destinationIn(tx, services, tenant.id);
    const found = await selectArtifact(tx, tenant.id, documentId, artifactId);
    if (!found) throw new AppError('not_found', 'document artifact not found');
    return {
      artifact: found,
      fileName: found.kind === 'translated' ? resultNamesOf(row).fileName : row.sourceFileName,
    };
  });
  return openFile(services, artifact, { fileName }, request);
}

async function openFile(
  services: DownloadServices,
  artifact: ArtifactRow,
  names: Pick<FileResponse, 'fileName' | 'suggestedName'>,
  request: ExportRequest,
): Promise<FileResponse | StreamResponse> {
  const { contentType, sizeBytes, tenantId } = artifact;
  const named = { contentType, ...names };
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
