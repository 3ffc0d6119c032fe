import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { tenantDeletions } from '#db/schema/tenants.ts';
import { AppError } from '#server/errors.ts';
import { type ApiKeyRow, endKey, selectKeys } from '#server/identity/access/api-keys.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { serviceTenantId } from '#server/identity/access/service-key.ts';
import { endAllSessions } from '#server/identity/access/sessions.ts';
import { type AuditEvent, atTheServer, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { accountOf } from './accounts.ts';
import { replaceWorkspaceKey, revocationOf } from './replace-workspace-key.ts';
import type { TenantAccount } from './schema.ts';
import { lockTenant, readTenant, type TenantRow, updateTenant } from './tenant-row.ts';

/**
 * Reads and locks a tenant for a command on the server: concurrent commands on one tenant run one after another.
 * @throws AppError 404, whose message names the tenant
 */
async function lockKnown(tx: Tx, tenantId: string): Promise<TenantRow> {
  const row = await lockTenant(tx, tenantId);
  if (!row) throw new AppError('not_found', `unknown tenant: ${tenantId}`);
  return row;
}

/**
 * Reads and locks a tenant for a command on its key, its members or its active flag. The service key's tenant has none
 * of these.
 * @throws AppError 404; 409 for the service key's tenant, which is not an account
 */
export async function lockAccount(tx: Tx, tenantId: string): Promise<TenantAccount> {
  if (tenantId === serviceTenantId)
    throw new AppError('state_conflict', `${tenantId} is reserved for SERVICE_API_KEY and has no account`);
  return accountOf(await lockKnown(tx, tenantId));
}

/** Rotates a tenant's workspace key, without an overlap. The new key is only in the returned value. */
export async function rotateKey(
  database: Database,
  tenantId: string,
): Promise<{ account: TenantAccount; apiKey: string }> {
  return database.inTenant(tenantId, async (tx) => {
    await lockAccount(tx, tenantId);
    const { apiKey, row, change } = await replaceWorkspaceKey(tx, tenantId, undefined);
    await record(tx, tenantId, 'api_key_rotated', change);
    return { account: accountOf(row), apiKey };
  });
}

export interface Outcome {
  account: TenantAccount;
  /** False if the tenant was already in the requested state. */
  changed: boolean;
}

/** Revokes all API keys of a tenant. */
export async function revokeKeys(database: Database, tenantId: string): Promise<Outcome> {
  return database.inTenant(tenantId, async (tx) => {
    const before = await lockAccount(tx, tenantId);
    const keys = await selectKeys(tx, tenantId);
    if (keys.length === 0) return { account: before, changed: false };
    for (const key of keys) await revoke(tx, key);
    return { account: accountOf((await readTenant(tx, tenantId)) as TenantRow), changed: true };
  });
}

/**
 * Revokes one API key of a tenant.
 * @throws AppError 404, whose message names the key
 */
export async function revokeOneKey(
  database: Database,
  tenantId: string,
  keyId: string,
): Promise<{ account: TenantAccount; revoked: ApiKeyRow }> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const key = (await selectKeys(tx, tenantId)).find((one) => one.keyId === keyId);
    if (!key) throw new AppError('not_found', `unknown API key: ${keyId}`);
    await revoke(tx, key);
    return { account, revoked: key };
  });
}

async function revoke(tx: Tx, key: ApiKeyRow): Promise<void> {
  await endKey(tx, key);
  await recordAdministration(tx, atTheServer, serverAdministrator, revocationOf(key));
}

/** Returns the API keys of a tenant that are not revoked. */
export async function listKeys(database: Database, tenantId: string): Promise<ApiKeyRow[]> {
  return database.inTenant(tenantId, async (tx) => {
    await lockAccount(tx, tenantId);
    return selectKeys(tx, tenantId);
  });
}

/**
 * Deactivates a tenant: from the next request on, none of its credentials is accepted. Ends all sessions of its
 * members, so that a stolen session does not work again when the tenant is reactivated. The tenant's API key stays.
 */
export async function deactivateTenant(database: Database, tenantId: string): Promise<Outcome> {
  return setActive(database, tenantId, false);
}

/** Reactivates a tenant: its API key is accepted again, and its members can sign in again. */
export async function reactivateTenant(database: Database, tenantId: string): Promise<Outcome> {
  return setActive(database, tenantId, true);
}

async function setActive(database: Database, tenantId: string, active: boolean): Promise<Outcome> {
  return database.inTenant(tenantId, async (tx) => {
    const before = await lockAccount(tx, tenantId);
    if (before.active === active) return { account: before, changed: false };
    if (active) await requireNoDeletion(tx, tenantId);
    const row = await updateTenant(tx, tenantId, { active });
    if (!active) await endAllSessions(tx, tenantId);
    await record(tx, tenantId, active ? 'tenant_reactivated' : 'tenant_deactivated', {
      from: before.active,
      to: active,
    });
    return { account: accountOf(row), changed: true };
  });
}

async function requireNoDeletion(tx: Tx, tenantId: string): Promise<void> {
  const dueAt = await deletionOf(tx, tenantId);
  if (dueAt)
    throw new AppError(
      'state_conflict',
      `the deletion of ${tenantId} is scheduled for ${dueAt.toISOString()}; cancel it with cancel-deletion`,
    );
}

/** Returns the time from which the tenant may be deleted; null if no deletion is scheduled. */
export async function deletionOf(tx: Tx, tenantId: string): Promise<Date | null> {
  const [scheduled] = await tx
    .select({ dueAt: tenantDeletions.dueAt })
    .from(tenantDeletions)
    .where(eq(tenantDeletions.tenantId, tenantId));
  return scheduled?.dueAt ?? null;
}

/**
 * Sets a tenant's monthly limit. The service key's tenant has a limit too.
 * @param monthlyCharLimit weighted characters, 1 to `maxMonthlyLimit`
 */
export async function setAllowance(
  database: Database,
  tenantId: string,
  monthlyCharLimit: number,
): Promise<Outcome & { from: number }> {
  return database.inTenant(tenantId, async (tx) => {
    const before = await lockKnown(tx, tenantId);
    const from = before.monthlyCharLimit;
    if (from === monthlyCharLimit) return { account: accountOf(before), from, changed: false };
    const row = await updateTenant(tx, tenantId, { monthlyCharLimit });
    await record(tx, tenantId, 'allowance_changed', { from, to: monthlyCharLimit });
    return { account: accountOf(row), from, changed: true };
  });
}

function record(
  tx: Tx,
  tenantId: string,
  action: AuditEvent['action'],
  details: NonNullable<AuditEvent['details']>,
): Promise<void> {
  const event = { action, tenantId, target: tenantId, details };
  return recordAdministration(tx, atTheServer, serverAdministrator, event);
}
