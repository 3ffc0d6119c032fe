import { count, desc, eq, gt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { storageTotals } from '#db/schema/storage.ts';
import { tenants } from '#db/schema/tenants.ts';
import { AppError } from '#server/errors.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { atTheServer, recordAdministration } from '#server/identity/audit/audit-log.ts';
import type { Settings } from '#server/settings.ts';
import { selectBinding } from './bindings.ts';
import type { StorageUsage } from './schema.ts';

/**
 * Returns the bytes that the tenant's documents use in platform storage, and their limit. A tenant with its own storage
 * has no limit.
 */
export async function storageUsageOf(tx: Tx, settings: Settings, tenantId: string): Promise<StorageUsage> {
  const [[totals], binding] = await Promise.all([
    tx.select().from(storageTotals).where(eq(storageTotals.tenantId, tenantId)),
    settings.STORAGE_BINDING_ENABLED ? selectBinding(tx, tenantId) : undefined,
  ]);
  return {
    provider: binding ? 'datalake' : 'platform',
    bytes_used: totals?.bytes ?? 0,
    bytes_allowed: binding ? null : capOf(settings, totals?.capBytes),
    objects: totals?.objects ?? 0,
  };
}

/**
 * Returns the bytes that the documents of a tenant may use in platform storage. The first of these that is set counts:
 * the tenant's own cap, PLATFORM_STORAGE_CAP_BYTES, WORKSPACE_LIMITS. In the last one, 0 means no cap.
 * @param own the cap that an operator set for the tenant; 0 means no cap
 * @returns null if there is no cap
 */
function capOf(
  { PLATFORM_STORAGE_CAP_BYTES, WORKSPACE_LIMITS }: Settings,
  own: number | null | undefined,
): number | null {
  if (typeof own === 'number') return own || null;
  return PLATFORM_STORAGE_CAP_BYTES ?? (WORKSPACE_LIMITS.storage_bytes || null);
}

/** Returns the cap that an operator has set for a tenant: 0 for no cap, null for the deployment's cap. */
export async function readOwnCap(tx: Tx, tenantId: string): Promise<number | null> {
  const [totals] = await tx
    .select({ own: storageTotals.capBytes })
    .from(storageTotals)
    .where(eq(storageTotals.tenantId, tenantId));
  return totals?.own ?? null;
}

/**
 * Rejects an upload that would exceed the cap. The tenant's row stays locked until the transaction ends, which adds the
 * file: so concurrent uploads together cannot exceed the cap.
 * @throws AppError 507
 */
export async function requireRoom(
  tx: Tx,
  settings: Settings,
  tenantId: string,
  bytes: number,
): Promise<void> {
  await tx.insert(storageTotals).values({ tenantId }).onConflictDoNothing();
  const [totals] = await tx
    .select({ used: storageTotals.bytes, own: storageTotals.capBytes })
    .from(storageTotals)
    .where(eq(storageTotals.tenantId, tenantId))
    .for('update');
  rejectBeyond(totals?.used ?? 0, bytes, capOf(settings, totals?.own));
}

/**
 * Checks the cap like `requireRoom`, but without a lock, so that most uploads above the cap are rejected before their
 * files are read.
 * @throws AppError 507
 */
export async function expectRoom(tx: Tx, settings: Settings, tenantId: string, bytes: number): Promise<void> {
  const [totals] = await tx
    .select({ used: storageTotals.bytes, own: storageTotals.capBytes })
    .from(storageTotals)
    .where(eq(storageTotals.tenantId, tenantId));
  rejectBeyond(totals?.used ?? 0, bytes, capOf(settings, totals?.own));
}

function rejectBeyond(used: number, bytes: number, allowed: number | null): void {
  if (allowed === null || used + bytes <= allowed) return;
  throw new AppError(
    'storage_cap_reached',
    `platform storage is full: ${used} of ${allowed} bytes are used and the file has ${bytes}; delete documents, or connect your own storage with PUT /api/storage/binding`,
  );
}

/**
 * Returns the limit for the documents of one tenant, and how many tenants have used at least 90% of their limit.
 * Tenants with their own storage count too: their earlier files are still in platform storage.
 * @param tx a transaction of the platform
 */
export async function findFullTenants(
  tx: Tx,
  settings: Settings,
): Promise<{ cap: number | null; full: number }> {
  const cap = capOf(settings, null);
  // A division by 0 gives null here: a tenant without a cap is never full.
  const [found] = await tx
    .select({ full: count() })
    .from(storageTotals)
    .where(
      sql`${storageTotals.bytes} / nullif(coalesce(${storageTotals.capBytes}, ${cap ?? 0}::bigint), 0)::float8 >= 0.9`,
    );
  return { cap, full: found?.full ?? 0 };
}

/** The files of a workspace in platform storage. */
interface StoredByWorkspace {
  tenantId: string;
  name: string;
  bytes: number;
  objects: number;
  /** The limit of `bytes`; null without a limit. */
  allowed: number | null;
}

/** Returns the workspaces with the most bytes in platform storage, and the sum of all. Platform scope. */
export async function readLargestWorkspaces(
  tx: Tx,
  settings: Settings,
  limit: number,
): Promise<{ workspaces: StoredByWorkspace[]; bytes: number; objects: number }> {
  const rows = await tx
    .select({
      tenantId: storageTotals.tenantId,
      name: tenants.name,
      bytes: storageTotals.bytes,
      objects: storageTotals.objects,
      own: storageTotals.capBytes,
    })
    .from(storageTotals)
    .innerJoin(tenants, eq(tenants.tenantId, storageTotals.tenantId))
    .where(gt(storageTotals.bytes, 0))
    .orderBy(desc(storageTotals.bytes), storageTotals.tenantId)
    .limit(limit);
  const [sums] = await tx
    .select({
      bytes: sql<number>`coalesce(sum(${storageTotals.bytes}), 0)::float8`,
      objects: sql<number>`coalesce(sum(${storageTotals.objects}), 0)::float8`,
    })
    .from(storageTotals);
  return {
    workspaces: rows.map(({ own, ...row }) => ({ ...row, allowed: capOf(settings, own) })),
    bytes: sums?.bytes ?? 0,
    objects: sums?.objects ?? 0,
  };
}

/**
 * Sets a tenant's own cap.
 * @param cap bytes; 0 for no cap, null for the deployment's cap
 * @returns the previous cap, with the same meaning of 0 and null
 * @throws AppError 404 for an unknown tenant
 */
export async function setStorageCap(
  database: Database,
  tenantId: string,
  cap: number | null,
): Promise<number | null> {
  return database.inTenant(tenantId, async (tx) => {
    const known = await tx.execute(sql`select 1 from tenants where tenant_id = ${tenantId}`);
    if (known.length === 0) throw new AppError('not_found', `unknown tenant: ${tenantId}`);
    await tx.insert(storageTotals).values({ tenantId }).onConflictDoNothing();
    const [before] = await tx
      .select({ cap: storageTotals.capBytes })
      .from(storageTotals)
      .where(eq(storageTotals.tenantId, tenantId))
      .for('update');
    const from = before?.cap ?? null;
    if (from === cap) return from;
    await tx.update(storageTotals).set({ capBytes: cap }).where(eq(storageTotals.tenantId, tenantId));
    await recordAdministration(tx, atTheServer, serverAdministrator, {
      action: 'storage_cap_changed',
      tenantId,
      target: tenantId,
      details: { from, to: cap },
    });
    return from;
  });
}
