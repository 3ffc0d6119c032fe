import type { Tx } from '#db/client.ts';
import { readBillingAccount, subscriptionStateOf } from '#server/billing/account.ts';
import { readAllowance } from '#server/billing/metering/usage-summary.ts';
import type { Services } from '#server/context.ts';
import { selectLatestFailures as selectFailedDocuments } from '#server/documents/summary.ts';
import { withoutQuotes } from '#server/errors.ts';
import { selectKeys } from '#server/identity/access/api-keys.ts';
import { tenantNotFound } from '#server/identity/access/guards/admin.ts';
import { latestEventAt } from '#server/identity/audit/audit-log.ts';
import { readMemberSessions } from '#server/identity/members/operator-commands.ts';
import { deletionOf } from '#server/identity/tenants/operator-commands.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { selectBinding } from '#server/storage/bindings.ts';
import { readOwnCap, storageUsageOf } from '#server/storage/usage.ts';
import { selectLatestFailures as selectFailedTexts } from '#server/texts/jobs.ts';
import type { WorkspaceView } from './schema.ts';

/** Maximum members and failures in the lists. */
const maxMembers = 100;
const maxFailures = 10;

/**
 * Reads what an operator needs to know about one workspace. Contains no texts of the workspace: failures have only the
 * ID of the job and the reason.
 * @throws AppError 404
 */
export async function viewWorkspace(
  { database, settings }: Pick<Services, 'database' | 'settings'>,
  tenantId: string,
): Promise<WorkspaceView> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await readTenant(tx, tenantId);
    if (!row) throw tenantNotFound();
    const account = readBillingAccount(row);
    const { allowance, topup } = await readAllowance(tx, tenantId, settings);
    const sessions = await readMemberSessions(tx, tenantId, maxMembers);
    return {
      id: tenantId,
      name: row.name,
      created_at: row.createdAt.toISOString(),
      active: row.active,
      deletion_due_at: (await deletionOf(tx, tenantId))?.toISOString() ?? null,
      plan: settings.BILLING_ENABLED ? account.tier : null,
      subscription: settings.BILLING_ENABLED ? subscriptionStateOf(account.subscriptionStatus) : null,
      monthly_char_limit: row.monthlyCharLimit,
      allowance,
      topup,
      api_key_prefix: row.apiKeyPrefix === '' ? null : row.apiKeyPrefix,
      api_keys: (await selectKeys(tx, tenantId)).length,
      api_key_since: await keySince(tx, tenantId),
      storage: await storageOf(tx, tenantId, settings),
      members: sessions.members.map(({ userId, email, role, active, sessions: count, lastUsedAt }) => ({
        user_id: userId,
        email,
        role,
        active,
        sessions: count,
        last_used_at: lastUsedAt?.toISOString() ?? null,
      })),
      members_total: sessions.total,
      failures: await failuresOf(tx, tenantId),
    };
  });
}

/** The time of the last change of the workspace key, if the audit log still has it. */
async function keySince(tx: Tx, tenantId: string): Promise<string | null> {
  const at = await latestEventAt(tx, tenantId, ['api_key_rotated', 'tenant_provisioned', 'tenant_founded']);
  return at?.toISOString() ?? null;
}

async function storageOf(
  tx: Tx,
  tenantId: string,
  settings: Services['settings'],
): Promise<WorkspaceView['storage']> {
  const usage = await storageUsageOf(tx, settings, tenantId);
  const binding = settings.STORAGE_BINDING_ENABLED ? await selectBinding(tx, tenantId) : undefined;
  return {
    ...usage,
    own_cap: await readOwnCap(tx, tenantId),
    binding_status: binding?.status ?? null,
    last_verified_at: binding?.lastVerifiedAt?.toISOString() ?? null,
  };
}

/** Returns the latest failed texts and documents, the latest first. */
async function failuresOf(tx: Tx, tenantId: string): Promise<WorkspaceView['failures']> {
  const texts = await selectFailedTexts(tx, tenantId, maxFailures);
  const documents = await selectFailedDocuments(tx, tenantId, maxFailures);
  return [
    ...texts.map(({ id, failedAt, error }) => ({ kind: 'text' as const, id, failedAt, reason: error })),
    ...documents.map(({ id, failedAt, code }) => ({ kind: 'document' as const, id, failedAt, reason: code })),
  ]
    .sort((a, b) => b.failedAt.getTime() - a.failedAt.getTime())
    .slice(0, maxFailures)
    .map(({ failedAt, reason, ...failure }) => ({
      ...failure,
      failed_at: failedAt.toISOString(),
      reason: reason === null ? null : withoutQuotes(reason),
    }));
}
