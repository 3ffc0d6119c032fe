import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { memoryImports } from '#db/schema/translation-memory.ts';
import { AppError } from '#server/errors.ts';
import type { MemoryImportJob, MemoryImportPoll, MemorySet } from '../schema.ts';

type ImportRow = typeof memoryImports.$inferSelect;

export async function insertImport(tx: Tx, row: typeof memoryImports.$inferInsert): Promise<ImportRow> {
  const [stored] = await tx.insert(memoryImports).values(row).returning();
  return stored as ImportRow;
}

/** Selects the latest imports, at most `limit`. */
function selectImports(tx: Tx, tenantId: string, limit: number): Promise<ImportRow[]> {
  return tx
    .select()
    .from(memoryImports)
    .where(eq(memoryImports.tenantId, tenantId))
    .orderBy(desc(memoryImports.createdAt), desc(memoryImports.importId))
    .limit(limit);
}

function isImport(tenantId: string, importId: string) {
  return and(eq(memoryImports.tenantId, tenantId), eq(memoryImports.importId, importId));
}

async function selectImport(tx: Tx, tenantId: string, importId: string): Promise<ImportRow | undefined> {
  const [row] = await tx.select().from(memoryImports).where(isImport(tenantId, importId));
  return row;
}

export async function isImporting(tx: Tx, tenantId: string, setName: string): Promise<boolean> {
  const rows = await tx
    .select({ importId: memoryImports.importId })
    .from(memoryImports)
    .where(
      and(
        eq(memoryImports.tenantId, tenantId),
        eq(memoryImports.setName, setName),
        eq(memoryImports.status, 'running'),
      ),
    );
  return rows.length > 0;
}

/** Counts an attempt of an import in progress. Returns undefined if the import has ended. */
export async function beginAttempt(
  tx: Tx,
  tenantId: string,
  importId: string,
): Promise<ImportRow | undefined> {
  const [row] = await tx
    .update(memoryImports)
    .set({ attempts: sql`${memoryImports.attempts} + 1`, updatedAt: sql`now()` })
    .where(and(isImport(tenantId, importId), eq(memoryImports.status, 'running')))
    .returning();
  return row;
}

/** An import that has not ended, so that its version still exists. */
type RunningImport = ImportRow & { versionId: string };

/** Locks an import in progress until the transaction ends. Returns undefined if the import has ended. */
export async function lockRunningImport(
  tx: Tx,
  tenantId: string,
  importId: string,
): Promise<RunningImport | undefined> {
  const [row] = await tx
    .select()
    .from(memoryImports)
    .where(and(isImport(tenantId, importId), eq(memoryImports.status, 'running')))
    .for('update');
  return row as RunningImport | undefined;
}

/** Ends an import in progress. The caller has either activated the import's version or deletes it. */
export async function endImport(
  tx: Tx,
  tenantId: string,
  importId: string,
  end: { status: 'completed'; result: MemorySet } | { status: 'failed'; error: string },
): Promise<void> {
  await tx
    .update(memoryImports)
    .set({ ...end, versionId: null, updatedAt: sql`now()` })
    .where(and(isImport(tenantId, importId), eq(memoryImports.status, 'running')));
}

/**
 * Deletes at most `limit` ended imports that were created more than `days` days ago and are not among the latest `kept`
 * imports of their tenant. Returns the number of deleted imports. Needs platform scope. Reads tenant by tenant, using
 * the index of the list.
 */
async function deleteOldImports(
  tx: Tx,
  { days, kept, limit }: { days: number; kept: number; limit: number },
): Promise<number> {
  const [row] = await tx.execute<{ count: number }>(sql`
    with pruned as (
      delete from memory_imports m using (
        select o.tenant_id, o.import_id from tenants t
        cross join lateral (
          select created_at from memory_imports where tenant_id = t.tenant_id
          order by created_at desc, import_id desc offset ${kept}::int - 1 limit 1) listed
        cross join lateral (
          select tenant_id, import_id from memory_imports
          where tenant_id = t.tenant_id and status <> 'running'
            and created_at < least(listed.created_at, now() - make_interval(days => ${days}::int))
          order by created_at limit ${limit}::int) o
        limit ${limit}::int) old
      where m.tenant_id = old.tenant_id and m.import_id = old.import_id returning 1)
    select count(*)::int as count from pruned`);
  return row?.count ?? 0;
}

/**
 * Returns the imports in progress, of all tenants, that no worker has updated for `idleSeconds`. Needs platform scope.
 */
export function selectIdleImports(
  tx: Tx,
  idleSeconds: number,
): Promise<{ tenantId: string; importId: string }[]> {
  return tx
    .select({ tenantId: memoryImports.tenantId, importId: memoryImports.importId })
    .from(memoryImports)
    .where(
      and(
        eq(memoryImports.status, 'running'),
        sql`${memoryImports.updatedAt} < now() - make_interval(secs => ${idleSeconds})`,
      ),
    )
    .limit(1000);
}

function importView(row: ImportRow): MemoryImportJob {
  return {
    id: row.importId,
    status: row.status,
    set_name: row.setName,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    total_units: row.totalUnits,
    deduped_units: row.dedupedUnits,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    error: row.error,
    // The column is jsonb, and only `endImport` writes it.
    result: row.result as MemorySet | null,
  };
}

export function importPoll(row: ImportRow): MemoryImportPoll {
  return { poll_url: `/api/tm/imports/${row.importId}`, job: importView(row) };
}

/** Maximum number of imports in a list. */
const listedImports = 50;

export async function listImports(tx: Tx, tenantId: string): Promise<MemoryImportJob[]> {
  return (await selectImports(tx, tenantId, listedImports)).map(importView);
}

/** @throws AppError 404 if the import is unknown or belongs to another tenant */
export async function readImport(tx: Tx, tenantId: string, importId: string): Promise<MemoryImportPoll> {
  const row = await selectImport(tx, tenantId, importId);
  if (!row) throw new AppError('not_found', 'import job not found');
  return importPoll(row);
}

/**
 * The imports to keep: the latest 50 of each tenant, which the list shows, and those of the last 90 days, which clients
 * can read by id.
 */
const kept = { kept: 50, days: 90 };

/** Number of rows that one statement deletes; small, so that it holds its locks briefly. */
const batch = 5000;

/**
 * Deletes old imports that the list no longer shows.
 * @returns the number of deleted imports
 */
export async function pruneImports(database: Database): Promise<number> {
  let pruned = 0;
  for (;;) {
    const count = await database.inPlatform((tx) => deleteOldImports(tx, { ...kept, limit: batch }));
    pruned += count;
    if (count < batch) return pruned;
  }
}
