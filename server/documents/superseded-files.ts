import { and, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentArtifacts } from '#db/schema/documents.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { announceFile } from './announced-files.ts';
import { type ArtifactRow, removeFile } from './artifacts.ts';

/*
 * While reviewers save segments, the file is rendered again and again. Each of these files is provisional: the next one
 * replaces it, in the list of reviews too. A file of a review or of an approval stays.
 */

/** Seconds for which a replaced file stays, so that downloads that have begun can end. */
const keptFor = 600;

/** Marks a provisional file as replaced, and queues its removal. The caller stores the new file in the same transaction. */
export async function supersede(tx: Tx, { tenantId, documentId, artifactId }: ArtifactRow): Promise<void> {
  await tx.update(documentArtifacts).set({ state: 'superseded' }).where(isArtifact({ tenantId, artifactId }));
  await addJob(
    tx,
    'remove_superseded_file',
    { tenantId, documentId, artifactId },
    { key: `remove_superseded_file:${artifactId}`, afterSeconds: keptFor },
  );
}

/** Keeps the files of a document, because it is approved. */
export async function keepFiles(
  tx: Tx,
  { tenantId, documentId }: Pick<ArtifactRow, 'tenantId' | 'documentId'>,
): Promise<void> {
  await tx
    .update(documentArtifacts)
    .set({ state: 'kept' })
    .where(
      and(
        eq(documentArtifacts.tenantId, tenantId),
        eq(documentArtifacts.documentId, documentId),
        eq(documentArtifacts.state, 'provisional'),
      ),
    );
}

/**
 * Removes a replaced file. Its row is deleted first: if the process dies then, the sweep removes the file, because it
 * has no row. May run twice.
 */
export async function removeSuperseded(
  services: LocatingServices,
  { tenantId, artifactId }: Pick<ArtifactRow, 'tenantId' | 'artifactId'>,
): Promise<void> {
  const { database } = services;
  const isReplaced = and(isArtifact({ tenantId, artifactId }), eq(documentArtifacts.state, 'superseded'));
  const [row] = await database.inTenant(tenantId, (tx) =>
    tx.select().from(documentArtifacts).where(isReplaced),
  );
  if (!row) return;
  const { address } = row;
  // The sweep finds files in the tenant's own account only if they are announced.
  if (address !== null) await announceFile(services, { tenantId, artifactId, address });
  await database.inTenant(tenantId, (tx) => tx.delete(documentArtifacts).where(isReplaced));
  await removeFile(services, row);
}

function isArtifact({ tenantId, artifactId }: Pick<ArtifactRow, 'tenantId' | 'artifactId'>) {
  return and(eq(documentArtifacts.tenantId, tenantId), eq(documentArtifacts.artifactId, artifactId));
}
