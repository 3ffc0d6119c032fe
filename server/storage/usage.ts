import { eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { storageTotals } from '#db/schema/storage.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { selectBinding } from './bindings.ts';
import type { StorageUsage } from './schema.ts';

/** What the tenant's documents occupy in the platform's storage, and what they may. Nothing limits a tenant with an account of its own. */
export async function storageUsageOf(tx: Tx, settings: Settings, tenantId: string): Promise<StorageUsage> {
  const [[totals], binding] = await Promise.all([
    tx.select().from(storageTotals).where(eq(storageTotals.tenantId, tenantId)),
    settings.STORAGE_BINDING_ENABLED ? selectBinding(tx, tenantId) : undefined,
  ]);
  return {
    provider: binding ? 'datalake' : 'platform',
    bytes_used: totals?.bytes ?? 0,
    bytes_allowed: binding ? null : (settings.PLATFORM_STORAGE_CAP_BYTES ?? null),
    objects: totals?.objects ?? 0,
  };
}

/**
 * Refuses an upload that would not fit below PLATFORM_STORAGE_CAP_BYTES. The tenant's row stays locked for the rest of the transaction, which
 * adds the file: of uploads at the same time, exactly as many are accepted as fit.
 * @throws AppError 507
 */
export async function requireRoom(
  tx: Tx,
  settings: Settings,
  tenantId: string,
  bytes: number,
): Promise<void> {
  const allowed = settings.PLATFORM_STORAGE_CAP_BYTES;
  if (allowed === undefined) return;
  await tx.insert(storageTotals).values({ tenantId }).onConflictDoNothing();
  const [totals] = await tx
    .select({ used: storageTotals.bytes })
    .from(storageTotals)
    .where(eq(storageTotals.tenantId, tenantId))
    .for('update');
  refuseBeyond(totals?.used ?? 0, bytes, allowed);
}

/**
 * The same without a lock, to refuse most files before they are read.
 * @throws AppError 507
 */
export async function expectRoom(tx: Tx, settings: Settings, tenantId: string, bytes: number): Promise<void> {
  const allowed = settings.PLATFORM_STORAGE_CAP_BYTES;
  if (allowed === undefined) return;
  const [totals] = await tx
    .select({ used: storageTotals.bytes })
    .from(storageTotals)
    .where(eq(storageTotals.tenantId, tenantId));
  refuseBeyond(totals?.used ?? 0, bytes, allowed);
}

function refuseBeyond(used: number, bytes: number, allowed: number): void {
  if (used + bytes <= allowed) return;
  throw new AppError(
    'storage_cap_reached',
    `platform storage is full: ${used} of ${allowed} bytes are used and the file has ${bytes}; delete documents, or bind your own storage with PUT /api/storage/binding`,
  );
}
