import type { Services } from '#server/context.ts';
import { tenantNotFound } from '#server/identity/access/guards/admin.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import type { DeletionPreview } from './schema.ts';
import { countRows } from './tenant-tables.ts';

/** Maximum number of rows of a table, and of files, that are counted. */
export const maxCounted = 100_000;

/**
 * Counts what the deletion of a tenant would delete, and changes nothing. Objects in the tenant's own account are not
 * counted.
 * @throws AppError 404
 */
export async function previewDeletion(
  { database, storage }: Pick<Services, 'database' | 'storage'>,
  tenantId: string,
): Promise<DeletionPreview> {
  const { tenant, rows } = await database.inTenant(tenantId, async (tx) => {
    const tenant = await readTenant(tx, tenantId);
    if (!tenant) throw tenantNotFound();
    return { tenant, rows: await countRows(tx, tenantId, maxCounted) };
  });
  let files = 0;
  for await (const _path of storage.walkFiles(tenantId)) if (++files === maxCounted) break;
  return { tenant_id: tenantId, name: tenant.name, rows, files, max_counted: maxCounted };
}
