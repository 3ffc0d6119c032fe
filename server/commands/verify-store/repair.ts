import { approvalRecords } from '#server/documents/approval-record.ts';
import {
  type GoldenRecord,
  manifestLine,
  manifestOf,
  recordName,
  rewriteRecord,
} from '#server/records/golden-records.ts';
import { addManifestLine, isManifestClosed, removeManifestLines } from '#server/records/manifests.ts';
import { textRecords } from '#server/texts/golden-record.ts';
import type { Comparison } from './comparison.ts';
import type { Place } from './places.ts';

/*
 * The repairs of differences. The database is right: a record is written again from its row, and what no row refers to is
 * removed. Each function returns whether the difference is repaired, and does nothing without `--repair`.
 */

/** The end of the path of a manifest: its day. */
const manifestDay = /\d{4}-\d{2}-\d{2}$/;

/** Writes the record of a job or an approval again from its row. */
export async function repairRecord(comparison: Comparison, tenantId: string, id: string): Promise<boolean> {
  const record = comparison.repair && (await recordOf(comparison, tenantId, id));
  if (!record) return false;
  return rewriteRecord(comparison, record.kind === 'text' ? textRecords : approvalRecords, record);
}

/** Removes a record or file to which no row refers. In an account, it stays: another deployment may have written it. */
export async function removeUnreferenced(
  { repair }: Comparison,
  { store, isAccount }: Place,
  path: string,
): Promise<boolean> {
  if (!repair || isAccount) return false;
  await store.remove(path);
  return true;
}

/** Adds the line of a record to its manifest. */
export async function addLine(
  comparison: Comparison,
  store: Place['store'],
  { tenantId, id, path }: { tenantId: string; id: string; path: string },
): Promise<boolean> {
  const record = comparison.repair && (await recordOf(comparison, tenantId, id));
  if (!record) return false;
  const manifest = manifestOf(comparison, { store, path }, record.recordedAt);
  await addManifestLine(manifest, record.recordedAt, manifestLine(record));
  return true;
}

/**
 * Removes all lines of a record except the first, unless processes may still append to one of the manifests.
 * @param paths the manifests that may have these lines
 */
export async function removeRepeatedLines(
  { repair }: Comparison,
  store: Place['store'],
  paths: Iterable<string>,
  { tenantId, uri }: { tenantId: string; uri: string },
): Promise<boolean> {
  const inOrder = [...paths].sort();
  if (!repair || !inOrder.every((path) => isManifestClosed(new Date(manifestDay.exec(path)?.[0] ?? ''))))
    return false;
  let seen = 0;
  for (const path of inOrder)
    await removeManifestLines({ store, path }, (line) => isLineOf(line, tenantId, uri) && ++seen > 1);
  return true;
}

function isLineOf(line: string, tenantId: string, uri: string): boolean {
  try {
    const { tenant_id, golden_uri } = JSON.parse(line);
    return tenant_id === tenantId && recordName(golden_uri) === recordName(uri);
  } catch {
    return false;
  }
}

async function recordOf(
  { database }: Comparison,
  tenantId: string,
  id: string,
): Promise<GoldenRecord | undefined> {
  return database.inTenant(
    tenantId,
    async (tx) =>
      (await textRecords.recordOf(tx, tenantId, id)) ?? approvalRecords.recordOf(tx, tenantId, id),
  );
}
