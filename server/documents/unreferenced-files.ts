import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { analysisFiles } from '#db/schema/analyses.ts';
import { documentArtifacts, documentJobs } from '#db/schema/documents.ts';
import type { Services } from '#server/context.ts';
import { addJob } from '#server/platform/job-queue.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { type AnnouncedFile, announceFile, removeAnnouncedFiles } from './announced-files.ts';
import { type ArtifactRow, artifactFolder, artifactIdOf, removeFile } from './artifacts.ts';

/** Milliseconds after which the row of a stored file must exist: the row is inserted in the same request or stage. */
const oldEnough = 3_600_000;
/**
 * Milliseconds within which a file without a row is removed, if workers run: the task runs hourly, and an announcement
 * list covers an hour.
 */
export const unreferencedFileLimit = 3 * oldEnough;
/** Number of file names per query. */
const pageSize = 1000;

type SweepServices = LocatingServices & Pick<Services, 'log'>;

/**
 * Removes document files that have no row: the process died between storing the file and inserting its row, or a
 * deletion could not reach the store. May be interrupted at any point, and may run twice at the same time.
 * @returns the number of removed files
 */
export async function removeUnreferencedFiles(services: SweepServices): Promise<number> {
  const { storage, log } = services;
  let removed = 0;
  for (const tenantId of await storage.listFolders()) {
    const names = await storage.list(artifactFolder(tenantId));
    for (let from = 0; from < names.length; from += pageSize)
      removed += await removeUnreferenced(services, tenantId, names.slice(from, from + pageSize));
  }
  removed += await removeAnnouncedFiles(services, oldEnough, (tenantId, files) =>
    selectUnreferenced(services, tenantId, files),
  );
  if (removed > 0) log.info({ removed }, 'removed document files to which no database row refers');
  return removed;
}

async function removeUnreferenced(
  services: SweepServices,
  tenantId: string,
  names: readonly string[],
): Promise<number> {
  const { storage } = services;
  const known = await selectKnown(
    services,
    tenantId,
    names.flatMap((name) => artifactIdOf(name) ?? []),
  );
  let removed = 0;
  for (const name of names) {
    const artifactId = artifactIdOf(name);
    if (!artifactId || known.has(artifactId)) continue;
    const path = `${artifactFolder(tenantId)}/${name}`;
    const written = await storage.lastWritten(path);
    if (written && Date.now() - written.getTime() > oldEnough && (await storage.remove(path))) removed += 1;
  }
  return removed;
}

/**
 * Returns those of these files in a tenant's account to which nothing refers: neither a row, nor a job that failed
 * after delivery.
 */
async function selectUnreferenced(
  services: Pick<Services, 'database'>,
  tenantId: string,
  files: readonly AnnouncedFile[],
): Promise<AnnouncedFile[]> {
  const known = await selectKnown(
    services,
    tenantId,
    files.map(({ artifact_id }) => artifact_id),
  );
  const others = files.filter(({ artifact_id }) => !known.has(artifact_id));
  const delivered = await selectDelivered(
    services,
    [tenantId],
    others.map(({ address }) => address),
  );
  return others.filter(({ address }) => !delivered.has(address));
}

/**
 * Returns those of these URLs whose jobs failed after delivery. These jobs were billed, so the translated files belong
 * to the tenant.
 */
export async function selectDelivered(
  { database }: Pick<Services, 'database'>,
  tenantIds: readonly string[],
  addresses: readonly string[],
): Promise<Set<string>> {
  if (addresses.length === 0) return new Set();
  const address = sql<string>`${documentJobs.failure} #>> '{metadata,delivered_to}'`;
  const rows = await database.inPlatform((tx) =>
    tx
      .select({ address })
      .from(documentJobs)
      .where(and(inArray(documentJobs.tenantId, [...tenantIds]), sql`${address} = ${anyOf(addresses)}`)),
  );
  return new Set(rows.map(({ address }) => address));
}

/** Returns those of these files that have a row, as files of documents or of analyses. */
async function selectKnown(
  { database }: Pick<Services, 'database'>,
  tenantId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await database.inPlatform((tx) =>
    tx
      .select({ artifactId: documentArtifacts.artifactId })
      .from(documentArtifacts)
      .where(
        and(eq(documentArtifacts.tenantId, tenantId), sql`${documentArtifacts.artifactId} = ${anyOf(ids)}`),
      )
      .unionAll(
        tx
          .select({ artifactId: analysisFiles.fileId })
          .from(analysisFiles)
          .where(and(eq(analysisFiles.tenantId, tenantId), sql`${analysisFiles.fileId} = ${anyOf(ids)}`)),
      ),
  );
  return new Set(rows.map(({ artifactId }) => artifactId));
}

/** Passes any number of values as a single parameter. */
function anyOf(values: readonly string[]) {
  return sql`any(array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb)))`;
}

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
