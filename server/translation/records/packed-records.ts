import { sql } from 'drizzle-orm';
import type { LocatingServices } from '#server/storage/destination.ts';
import type { GoldenKind, RecordedJobs } from './golden-records.ts';
import { rewriteRecord } from './rewrite-record.ts';

/*
 * In a directory, version 1.0.0 kept the golden records of a month in packs, `<tenant>/golden/<month>/<pack>.jsonl.gz`,
 * in which a record could be removed only by overwriting it. Now each record is an object.
 */

const pageSize = 500;

/** Writes the records in packs again from their rows, as objects, and removes the packs to which no row refers. */
export async function unpackRecords(
  services: LocatingServices,
  kinds: readonly RecordedJobs[],
): Promise<void> {
  const { database, storage } = services;
  const tried = new Set<string>();
  for (;;) {
    const rows = await database.inPlatform((tx) =>
      tx.execute<{ kind: GoldenKind; tenant_id: string; id: string }>(sql`
        select 'text' as kind, tenant_id, job_id as id from translation_jobs where golden_uri like '%.jsonl.gz/%'
        union all select 'document_approval', tenant_id, document_id from document_jobs
          where golden_uri like '%.jsonl.gz/%' limit ${pageSize}`),
    );
    const untried = rows.filter(({ id }) => !tried.has(id));
    if (untried.length === 0) break;
    for (const { kind, tenant_id: tenantId, id } of untried) {
      tried.add(id);
      const of = kinds.find((one) => one.kind === kind);
      const record = of && (await database.inTenant(tenantId, (tx) => of.recordOf(tx, tenantId, id)));
      if (of && record) await rewriteRecord(services, of, record);
    }
  }
  for (const tenantId of await storage.listFolders())
    for (const month of await storage.listFolders(`${tenantId}/golden`)) {
      if (!/^\d{4}-\d{2}$/.test(month)) continue;
      const start = `golden/${month}/`;
      const [used] = await database.inTenant(tenantId, (tx) =>
        tx.execute(sql`
          select from translation_jobs where tenant_id = ${tenantId} and starts_with(golden_uri, ${start})
          union all select from document_jobs where tenant_id = ${tenantId} and starts_with(golden_uri, ${start}) limit 1`),
      );
      if (!used) await storage.removeFolder(`${tenantId}/${start.slice(0, -1)}`);
    }
}
