import { createHash } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentArtifacts } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { kindOfMediaType, type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { newId } from '#server/platform/ids.ts';
import { openVerifiedStream, type VerifiedStream } from '#server/platform/stores/verified-stream.ts';
import { notVerified } from '#server/storage/bindings.ts';
import {
  type Destination,
  destinationOf,
  type Located,
  type LocatingServices,
  locate,
  placeAt,
  removeAt,
  storageFailure,
} from '#server/storage/destination.ts';
import { announceFile } from './announced-files.ts';
import type { DocumentArtifact } from './schema.ts';

export type ArtifactRow = typeof documentArtifacts.$inferSelect;

export function artifactView(row: ArtifactRow): DocumentArtifact {
  return {
    id: row.artifactId,
    kind: row.kind,
    revision: row.revision,
    content_type: row.contentType,
    size_bytes: row.sizeBytes,
    sha256: row.sha256,
    created_at: row.createdAt.toISOString(),
  };
}

/**
 * The directory of all document files of a tenant in platform storage. There is only one, so that files without a row
 * can be found.
 */
const folder = 'documents';
export const artifactFolder = (tenantId: string) => `${tenantId}/${folder}`;

/** Returns the artifact ID in a file's name; undefined for other files. */
export function artifactIdOf(name: string): string | undefined {
  return /^[0-9a-f]{32}\.([0-9a-f]{32})$/.exec(name)?.[1];
}

/** Returns the path of a file in platform storage. */
export function artifactPath({
  tenantId,
  documentId,
  artifactId,
}: Pick<FilePlace, 'tenantId' | 'documentId' | 'artifactId'>): string {
  return `${artifactFolder(tenantId)}/${documentId}.${artifactId}`;
}

/** A file that is in the store, but not yet in the database. */
export type StoredFile = Omit<ArtifactRow, 'revision' | 'state' | 'createdAt'>;

/**
 * Writes a file to its destination. The transaction that uses the file inserts its row later: a crash in between leaves
 * a file without a row, which is invisible, and which the sweep removes.
 * @throws AppError transient_error with the provider's message if the tenant's own account rejected the file
 */
export async function storeFile(
  services: Pick<Services, 'storage'>,
  destination: Destination,
  file: Pick<StoredFile, 'tenantId' | 'documentId' | 'kind' | 'contentType'>,
  content: Uint8Array,
): Promise<StoredFile> {
  const artifactId = newId();
  const { tenantId, documentId, kind } = file;
  const place = placeAt(services, tenantId, destination, {
    platform: `${folder}/${documentId}.${artifactId}`,
    account: ({ documentsPrefix }) =>
      `${documentsPrefix}${documentId}/${kind}-${artifactId}.${extensionOf(file.contentType)}`,
  });
  if (destination.provider === 'datalake')
    await announceFile(services, { tenantId, artifactId, address: place.address });
  await place.store.put(place.path, content).catch((error: unknown) => {
    throw storageFailure(error);
  });
  return {
    ...file,
    artifactId,
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    address: destination.provider === 'platform' ? null : place.address,
  };
}

/**
 * Stores the translated file of a document at the tenant's current destination for files.
 * @throws AppError as `storeFile`
 */
export async function storeTranslation(
  services: LocatingServices,
  { tenantId, documentId, format }: { tenantId: string; documentId: string; format: LayoutKind },
  content: Uint8Array,
): Promise<StoredFile> {
  const file = {
    tenantId,
    documentId,
    kind: 'translated',
    contentType: layoutKinds[format].mediaType,
  } as const;
  return storeFile(services, await destinationOf(services, tenantId), file, content);
}

/** Returns the extension of a media type, without a dot. */
export function extensionOf(contentType: string): string {
  const kind = kindOfMediaType(contentType);
  return kind ? layoutKinds[kind].extensions[0] : 'bin';
}

/**
 * Removes a stored file.
 * @returns true if the file existed and its store could be reached
 */
export function removeFile(services: LocatingServices, file: FilePlace): Promise<boolean> {
  return file.address === null
    ? services.storage.remove(artifactPath(file))
    : removeAt(services, file.tenantId, file.address);
}

/** The columns that give a file's location. */
export type FilePlace = Pick<ArtifactRow, 'tenantId' | 'documentId' | 'artifactId' | 'address'>;

/** @throws AppError 409 storage_binding_not_verified if the file's account cannot be used */
async function locateFile(services: LocatingServices, file: FilePlace): Promise<Located> {
  if (file.address === null) return { store: services.storage, path: artifactPath(file) };
  const located = await locate(services, file.tenantId, file.address);
  if (located) return located;
  throw notVerified(
    'the file is in a storage account that is no longer connected to this workspace; to download the file, connect and verify this account again',
  );
}

/** Inserts the row of a stored file as the next revision of its kind. */
export async function insertArtifact(
  tx: Tx,
  file: StoredFile,
  state: ArtifactRow['state'] = 'kept',
): Promise<void> {
  await tx.insert(documentArtifacts).values({
    ...file,
    state,
    revision: sql`(select coalesce(max(revision), 0) + 1 from document_artifacts
      where tenant_id = ${file.tenantId} and document_id = ${file.documentId} and kind = ${file.kind})`,
  });
}

/** Returns the latest file of a kind. */
export async function newestArtifact(
  tx: Tx,
  tenantId: string,
  documentId: string,
  kind: ArtifactRow['kind'],
): Promise<ArtifactRow | undefined> {
  const [row] = await tx
    .select()
    .from(documentArtifacts)
    .where(
      and(
        eq(documentArtifacts.tenantId, tenantId),
        eq(documentArtifacts.documentId, documentId),
        eq(documentArtifacts.kind, kind),
      ),
    )
    .orderBy(desc(documentArtifacts.revision))
    .limit(1);
  return row;
}

/** Returns a file by its ID, if it belongs to this document. */
export async function selectArtifact(
  tx: Tx,
  tenantId: string,
  documentId: string,
  artifactId: string,
): Promise<ArtifactRow | undefined> {
  const [row] = await tx
    .select()
    .from(documentArtifacts)
    .where(
      and(
        eq(documentArtifacts.tenantId, tenantId),
        eq(documentArtifacts.documentId, documentId),
        eq(documentArtifacts.artifactId, artifactId),
      ),
    );
  return row;
}

type ReadingServices = LocatingServices & Pick<Services, 'log'>;

/**
 * Reads a file and verifies its checksum.
 * @throws AppError 500 if the stored file is missing or damaged; 409 storage_binding_not_verified; 503 if an account cannot be reached
 */
export async function readArtifact(
  services: ReadingServices,
  row: FilePlace & Pick<ArtifactRow, 'sha256' | 'sizeBytes'>,
): Promise<Uint8Array> {
  const { store, path } = await locateFile(services, row);
  const content = await store.read(path, 0, row.sizeBytes).catch((error: unknown) => {
    throw storageFailure(error);
  });
  if (content && createHash('sha256').update(content).digest('hex') === row.sha256) return content;
  throw damaged(services, row);
}

/**
 * Reads a file like `readArtifact`, but as a stream, for large files. The caller must close the stream.
 * @throws AppError like `readArtifact`
 */
export async function openArtifact(services: ReadingServices, row: ArtifactRow): Promise<VerifiedStream> {
  const { store, path } = await locateFile(services, row);
  const stream = await openVerifiedStream(store, path, row).catch((error: unknown) => {
    throw storageFailure(error);
  });
  if (stream) return stream;
  throw damaged(services, row);
}

/** Logs which file is damaged, and returns the error for the caller. */
function damaged({ log }: Pick<Services, 'log'>, { documentId, artifactId }: FilePlace): AppError {
  log.error(
    { document_id: documentId, artifact_id: artifactId },
    'a stored artifact is missing or failed its checksum',
  );
  return new AppError('internal_error', 'stored artifact failed its checksum');
}

/**
 * Whether a stored file exists and matches its checksum.
 * @throws AppError 409 storage_binding_not_verified; 503 if an account cannot be reached
 */
export async function isIntact(services: ReadingServices, row: ArtifactRow): Promise<boolean> {
  try {
    const stream = await openArtifact(services, row);
    await stream.close();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'internal_error') return false;
    throw error;
  }
}

/** Returns the files of a document, oldest first. */
export async function listArtifacts(
  tx: Tx,
  tenantId: string,
  documentId: string,
): Promise<DocumentArtifact[]> {
  const rows = await tx
    .select()
    .from(documentArtifacts)
    .where(and(eq(documentArtifacts.tenantId, tenantId), eq(documentArtifacts.documentId, documentId)))
    .orderBy(documentArtifacts.createdAt, documentArtifacts.kind, documentArtifacts.revision);
  return rows.map(artifactView);
}
