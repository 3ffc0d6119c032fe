import { createHash } from 'node:crypto';
import { and, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import { type AnyPgColumn, unionAll } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { analysisFiles } from '#db/schema/analyses.ts';
import { documentArtifacts } from '#db/schema/documents.ts';
import { artifactPath, type FilePlace } from '#server/documents/artifacts.ts';
import type { BlobStore } from '#server/platform/stores/blob-store.ts';
import { type Comparison, forEach, pageSize } from './comparison.ts';
import { lookAt, type Places } from './places.ts';
import type { Difference } from './report.ts';

/** A file of a document, or of an analysis, whose ID is in place of the document's. */
type FileRow = FilePlace & { sizeBytes: number; sha256: string };

/** Returns the URL or path of a file, in the format in which rows refer to records. */
export function addressOf(row: FilePlace): string {
  return row.address ?? artifactPath(row).slice(row.tenantId.length + 1);
}

/** Finds the rows of a tenant whose files are missing, or have a different size or checksum. */
export async function compareFiles(comparison: Comparison, places: Places, tenantId: string): Promise<void> {
  const { database, report, stop } = comparison;
  for (let after = ''; ; ) {
    stop.throwIfAborted();
    const rows = await database.inTenant(tenantId, (tx) =>
      selectFiles(tx, [tenantId], (id) => gt(id, after)).limit(pageSize),
    );
    const found: { row: FileRow; what: Difference }[] = [];
    await forEach(rows, async (row) => {
      const file = { what: 'files', tenantId, address: addressOf(row) } as const;
      const what = await lookAt(comparison, places, file, (store, path) =>
        faultOf(store, path, row, comparison.quick),
      );
      if (what) found.push({ row, what });
    });
    const ids = found.map(({ row }) => row.artifactId);
    // Ignore files that were deleted during the comparison.
    const now = ids.length
      ? await database.inTenant(tenantId, (tx) => selectFiles(tx, [tenantId], (id) => inArray(id, ids)))
      : [];
    const there = new Set(now.map(({ artifactId }) => artifactId));
    for (const { row, what } of found)
      if (there.has(row.artifactId))
        // Only a backup has the content of a lost file.
        await report.difference(what, { tenantId, id: row.artifactId, path: addressOf(row) }, false);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last.artifactId;
  }
}

const contentOf = (table: typeof documentArtifacts | typeof analysisFiles) => ({
  ...{ tenantId: table.tenantId, address: table.address, sizeBytes: table.sizeBytes, sha256: table.sha256 },
});

/** Selects the rows of stored files, ordered by ID. */
export function selectFiles(tx: Tx, tenantIds: readonly string[], which: (id: AnyPgColumn) => SQL) {
  const ofDocuments = tx
    .select({
      ...{ artifactId: documentArtifacts.artifactId, documentId: documentArtifacts.documentId },
      ...contentOf(documentArtifacts),
    })
    .from(documentArtifacts)
    .where(and(inArray(documentArtifacts.tenantId, [...tenantIds]), which(documentArtifacts.artifactId)));
  const ofAnalyses = tx
    .select({
      ...{ artifactId: analysisFiles.fileId, documentId: analysisFiles.analysisId },
      ...contentOf(analysisFiles),
    })
    .from(analysisFiles)
    .where(
      and(
        inArray(analysisFiles.tenantId, [...tenantIds]),
        eq(analysisFiles.isStored, true),
        which(analysisFiles.fileId),
      ),
    );
  return unionAll(ofDocuments, ofAnalyses).orderBy(sql`artifact_id`);
}

async function faultOf(
  store: BlobStore,
  path: string,
  { sizeBytes, sha256 }: FileRow,
  quick: boolean,
): Promise<Difference | undefined> {
  if (quick) {
    // Read two bytes from the last position: a file of the correct size has exactly one byte there.
    const end = await store.read(path, Math.max(sizeBytes - 1, 0), 2);
    if (end === null) return 'file missing';
    return end.length === Math.min(sizeBytes, 1) ? undefined : 'file damaged';
  }
  const pieces = await store.stream(path);
  if (pieces === null) return 'file missing';
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    hash.update(piece);
  }
  return size === sizeBytes && hash.digest('hex') === sha256 ? undefined : 'file damaged';
}
