import type { Database, Tx } from '#db/client.ts';
import {
  deleteApiKeys,
  endAllSessions,
  hashSecret,
  insertApiKey,
  newSecret,
  serverAdministrator,
  serviceTenantId,
} from '#server/access/service.ts';
import { type AuditEvent, atTheServer, recordAdministration } from '#server/audit/service.ts';
import { AppError } from '#server/errors.ts';
import { accountOf } from './accounts.ts';
import { lockTenant, type TenantRow, updateTenant } from './queries.ts';
import type { TenantAccount } from './schema.ts';

/**
 * A tenant's row for a command on the server, locked: two commands on one tenant follow each other.
 * @throws AppError 404, naming the tenant
 */
async function lockKnown(tx: Tx, tenantId: string): Promise<TenantRow> {
  const row = await lockTenant(tx, tenantId);
  if (!row) throw new AppError('not_found', `unknown tenant: ${tenantId}`);
  return row;
}

/**
 * The same for what only an account has: a key of its own, members, the flag that it is active.
 * @throws AppError 404; 409 for the tenant of the service key (A 5.1 rule 6), which is nobody's account
 */
export async function lockAccount(tx: Tx, tenantId: string): Promise<TenantAccount> {
  if (tenantId === serviceTenantId)
    throw new AppError(
      'state_conflict',
      `${tenantId} is nobody's account: it belongs to the key in SERVICE_API_KEY`,
    );
  return accountOf(await lockKnown(tx, tenantId));
}

/** Gives a tenant a new key, which is returned this once, in the place of all that it had. */
export async function rotateKey(
  database: Database,
  tenantId: string,
): Promise<{ account: TenantAccount; apiKey: string }> {
  const apiKey = newSecret();
  const apiKeyPrefix = apiKey.slice(0, 8);
  return database.inTenant(tenantId, async (tx) => {
    const before = await lockAccount(tx, tenantId);
    await deleteApiKeys(tx, tenantId);
    await insertApiKey(tx, tenantId, hashSecret(apiKey));
    const row = await updateTenant(tx, tenantId, { apiKeyPrefix });
    await record(tx, tenantId, 'api_key_rotated', { from: before.api_key_prefix, to: apiKeyPrefix });
    return { account: accountOf(row), apiKey };
  });
}

export interface Outcome {
  account: TenantAccount;
  /** False where it was as asked for already. */
  changed: boolean;
}

/** Takes a tenant's key away, and gives it no other. */
export async function revokeKey(database: Database, tenantId: string): Promise<Outcome> {
  return database.inTenant(tenantId, async (tx) => {
    const before = await lockAccount(tx, tenantId);
    if ((await deleteApiKeys(tx, tenantId)) === 0) return { account: before, changed: false };
    const row = await updateTenant(tx, tenantId, { apiKeyPrefix: '' });
    await record(tx, tenantId, 'api_key_revoked', { from: before.api_key_prefix, to: '' });
    return { account: accountOf(row), changed: true };
  });
}

/**
 * Stops a tenant: each request reads the flag, so that no credential of it is believed from the next one on. Its members
 * are signed out for good, as a revoked one is (A 3.2), so that a stolen session does not come back with the tenant; its
 * key waits.
 */
export async function deactivateTenant(database: Database, tenantId: string): Promise<Outcome> {
  return setActive(database, tenantId, false);
}

/** Lets a tenant go on: its key is believed again, its members sign in anew. */
export async function reactivateTenant(database: Database, tenantId: string): Promise<Outcome> {
  return setActive(database, tenantId, true);
}

async function setActive(database: Database, tenantId: string, active: boolean): Promise<Outcome> {
  return database.inTenant(tenantId, async (tx) => {
    const before = await lockAccount(tx, tenantId);
    if (before.active === active) return { account: before, changed: false };
    const row = await updateTenant(tx, tenantId, { active });
    if (!active) await endAllSessions(tx, tenantId);
    await record(tx, tenantId, active ? 'tenant_reactivated' : 'tenant_deactivated', {
      from: before.active,
      to: active,
    });
    return { account: accountOf(row), changed: true };
  });
}

/**
 * Sets what a tenant may use in a month; the service key's tenant has an allowance, too.
 * @param monthlyCharLimit weighted characters, 1 to `largestLimit`
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
