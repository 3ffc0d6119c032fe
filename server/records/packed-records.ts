import { type SQL, sql } from 'drizzle-orm';
import type { LocatingServices } from '#server/storage/destination.ts';
import { type GoldenKind, type RecordedJobs, rewriteRecord } from './golden-records.ts';

/*
 * In a directory, version 1.0.0 kept the golden records of a month in packs, `<tenant>/golden/<month>/<pack>.jsonl.gz`,
 * in which a record could be removed only by overwriting it. Now each record is an object.
 */

const pageSize = 500;
/** Milliseconds after its last write for which a pack stays: a process of 1.0.0 may store a row later than the record. */
const usedMs = 3_600_000;

/** Writes the records in packs again from their rows, as objects, and removes the packs to which no row refers. */
export async function unpackRecords(
  services: LocatingServices,
  kinds: readonly RecordedJobs[],
): Promise<void> {
  const { storage } = services;
  for (const tenantId of await storage.listFolders())
    for (const month of await storage.listFolders(`${tenantId}/golden`)) {
      if (!/^\d{4}-\d{2}$/.test(month)) continue;
      for (const kind of kinds) await unpackMonth(services, kind, tenantId, month);
      await removeUnused(services, tenantId, month);
    }
}

/** The table and the column with the ID of a kind of records. */
const rowsOf: Record<GoldenKind, SQL> = {
  text: sql`select job_id as id from translation_jobs`,
  document_approval: sql`select document_id as id from document_jobs`,
};

/** Returns a page of the IDs whose rows refer to a pack of the month, in their order. */
function selectPacked(
  services: LocatingServices,
  kind: GoldenKind,
  tenantId: string,
  month: string,
  after: string,
) {
  return services.database.inTenant(tenantId, (tx) =>
    tx.execute<{ id: string }>(sql`
      select id from (${rowsOf[kind]} where tenant_id = ${tenantId} and starts_with(golden_uri, ${`golden/${month}/`})) packed
      where id > ${after} order by id limit ${pageSize}`),
  );
}

async function unpackMonth(services: LocatingServices, kind: RecordedJobs, tenantId: string, month: string) {
  for (let after = ''; ; ) {
    const rows = await selectPacked(services, kind.kind, tenantId, month, after);
    for (const { id } of rows) {
      const record = await services.database.inTenant(tenantId, (tx) => kind.recordOf(tx, tenantId, id));
      if (record) await rewriteRecord(services, kind, record);
    }
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return;
    after = last.id;
  }
}

async function removeUnused(services: LocatingServices, tenantId: string, month: string): Promise<void> {
  const { storage } = services;
  const folder = `${tenantId}/golden/${month}`;
  for (const kind of Object.keys(rowsOf) as GoldenKind[])
    if ((await selectPacked(services, kind, tenantId, month, '')).length > 0) return;
  for (const name of await storage.list(folder)) {
    const written = await storage.lastWritten(`${folder}/${name}`);
    if (written && Date.now() - written.getTime() < usedMs) return;
  }
  await storage.removeFolder(folder);
}
