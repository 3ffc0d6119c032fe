import { createHash } from 'node:crypto';
import { and, desc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentArtifacts } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { LayoutKind } from '#server/formats/document-kind.ts';
import { newId } from '#server/ids.ts';
import type { DocumentArtifact } from './schema.ts';

export type ArtifactRow = typeof documentArtifacts.$inferSelect;

/** The media types of source and translated files. */
export const layoutTypes: Record<LayoutKind, string> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

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

/** The folder of all files of a tenant's documents: one, so that files without a row can be found. */
export const artifactFolder = (tenantId: string) => `${tenantId}/documents`;

/** The id in a file's name; undefined for a file of another kind. */
export function artifactIdOf(name: string): string | undefined {
  return /^[0-9a-f]{32}\.([0-9a-f]{32})$/.exec(name)?.[1];
}

/** The path in the store. */
export function artifactPath({
  tenantId,
  documentId,
  artifactId,
}: Pick<ArtifactRow, 'tenantId' | 'documentId' | 'artifactId'>): string {
  return `${artifactFolder(tenantId)}/${documentId}.${artifactId}`;
}

/** A file that is in the store, and not yet in the database. */
export type StoredFile = Omit<ArtifactRow, 'revision' | 'createdAt'>;

/**
 * Writes a file to the store. Its row follows in the transaction that needs it: a crash in between leaves a file without
 * a row, which nobody sees and the sweep removes.
 */
export async function storeFile(
  { storage }: Pick<Services, 'storage'>,
  file: Pick<StoredFile, 'tenantId' | 'documentId' | 'kind' | 'contentType'>,
  content: Uint8Array,
): Promise<StoredFile> {
  const stored = {
    ...file,
    artifactId: newId(),
    sizeBytes: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
  await storage.put(artifactPath(stored), content);
  return stored;
}

/** Adds the row of a stored file as the next revision of its kind. */
export async function insertArtifact(tx: Tx, file: StoredFile): Promise<void> {
  await tx.insert(documentArtifacts).values({
    ...file,
    revision: sql`(select coalesce(max(revision), 0) + 1 from document_artifacts
      where tenant_id = ${file.tenantId} and document_id = ${file.documentId} and kind = ${file.kind})`,
  });
}

/** The newest file of a kind. */
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

/**
 * Reads a file and verifies its checksum.
 * @throws AppError 500 if the stored file is missing or damaged
 */
export async function readArtifact(
  services: Pick<Services, 'storage' | 'log'>,
  row: ArtifactRow,
): Promise<Uint8Array> {
  const content = await readIntact(services, row);
  if (!content) throw new AppError('internal_error', 'stored artifact failed its checksum');
  return content;
}

/** Whether a stored file is there and has its checksum. */
export async function isIntact(
  services: Pick<Services, 'storage' | 'log'>,
  row: ArtifactRow,
): Promise<boolean> {
  return (await readIntact(services, row)) !== null;
}

/** Null, after logging why, if the stored file is missing or damaged. */
async function readIntact(
  { storage, log }: Pick<Services, 'storage' | 'log'>,
  row: ArtifactRow,
): Promise<Uint8Array | null> {
  const content = await storage.read(artifactPath(row), 0, row.sizeBytes);
  const sha256 = content && createHash('sha256').update(content).digest('hex');
  if (content && sha256 === row.sha256) return content;
  log.error(
    { document_id: row.documentId, artifact_id: row.artifactId, missing: content === null },
    'a stored artifact failed its checksum',
  );
  return null;
}

/** The files of a document, oldest first. */
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
