import { asc, eq, gt } from 'drizzle-orm';
import { tenants } from '#db/schema/tenants.ts';
import { type Comparison, pageSize } from './comparison.ts';
import { compareFiles } from './files.ts';
import { compareManifests } from './manifests.ts';
import { findPlaces, inAccount } from './places.ts';
import { compareRecords } from './records.ts';
import { findUnreferencedFiles, findUnreferencedRecords } from './unreferenced.ts';

/**
 * Compares storage with the database: records, files, and lines of the manifests. It works in pages, and may
 * run during normal operation.
 * @param only the tenant to compare; default: all tenants
 * @throws errors of the database or of platform storage; a failure of a tenant's own account is only reported
 */
export async function compareStore(given: Omit<Comparison, 'walked'>, only?: string): Promise<void> {
  const comparison: Comparison = { ...given, walked: new Set() };
  const tenantIds = only === undefined ? await allTenants(comparison) : [only];
  for (const tenantId of tenantIds) await compareTenant(comparison, tenantId);
  const [any] = tenantIds;
  if (any === undefined) return;
  // The manifests in platform storage contain the lines of all tenants.
  const { platform } = await findPlaces(comparison, any);
  await compareManifests(comparison, platform, tenantIds);
}

/** Whether the tenant exists. Otherwise a mistyped id would look like a tenant without differences. */
export async function isTenant(
  { database }: Pick<Comparison, 'database'>,
  tenantId: string,
): Promise<boolean> {
  const found = await database.inPlatform((tx) =>
    tx.select({ id: tenants.tenantId }).from(tenants).where(eq(tenants.tenantId, tenantId)),
  );
  return found.length > 0;
}

async function compareTenant(comparison: Comparison, tenantId: string): Promise<void> {
  const places = await findPlaces(comparison, tenantId);
  await compareRecords(comparison, places, tenantId);
  await compareFiles(comparison, places, tenantId);
  await findUnreferencedRecords(comparison, places.platform, tenantId);
  await findUnreferencedFiles(comparison, places.platform, tenantId);
  await inAccount(comparison, places, tenantId, async (account) => {
    await findUnreferencedRecords(comparison, account, tenantId);
    await findUnreferencedFiles(comparison, account, tenantId);
    await compareManifests(comparison, account, [tenantId]);
  });
}

/** Lists all tenants, and folders in platform storage that belong to no tenant, in the order of their ids. */
async function allTenants({ database, storage, stop }: Comparison): Promise<string[]> {
  const ids = new Set(await storage.listFolders());
  // This folder belongs to the platform: it contains announcements and manifests.
  ids.delete('golden');
  for (let after = ''; ; ) {
    stop.throwIfAborted();
    const rows = await database.inPlatform((tx) =>
      tx
        .select({ id: tenants.tenantId })
        .from(tenants)
        .where(gt(tenants.tenantId, after))
        .orderBy(asc(tenants.tenantId))
        .limit(pageSize),
    );
    for (const { id } of rows) ids.add(id);
    const last = rows.at(-1);
    if (!last || rows.length < pageSize) return [...ids].sort();
    after = last.id;
  }
}
