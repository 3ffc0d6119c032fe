import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { lockTenant, readTenant } from '#server/identity/tenants/tenant-row.ts';
import { markRedeemed, selectPendingInvite } from './invite-queries.ts';
import type { InvitePreview } from './schema.ts';
import { readTenantToken } from './tenant-token.ts';

/** Returns the public details of an invite to its holder. Every unusable token gets the same response. */
export async function previewInvite(
  { database }: Pick<Services, 'database'>,
  inviteToken: string,
): Promise<InvitePreview> {
  const token = readTenantToken(inviteToken);
  if (!token) return { valid: false };
  const { tenantId, secretHash } = token;
  return database.inTenant(tenantId, async (tx) => {
    const [invite, tenant] = await Promise.all([
      selectPendingInvite(tx, tenantId, secretHash),
      readTenant(tx, tenantId),
    ]);
    if (!invite || !tenant?.active) return { valid: false };
    return {
      valid: true,
      tenant_name: tenant.name,
      role: invite.role,
      email: invite.email,
      expires_at: invite.expiresAt.toISOString(),
    };
  });
}

/** Returns an invite that could be redeemed now, into an active tenant. `redeemInvite` checks again. */
export async function findPendingInvite(
  tx: Tx,
  tenantId: string,
  secretHash: Uint8Array,
): Promise<{ inviteId: string; email: string | null; role: string; byOperator: boolean } | undefined> {
  const [invite, tenant] = await Promise.all([
    selectPendingInvite(tx, tenantId, secretHash),
    readTenant(tx, tenantId),
  ]);
  if (!invite || !tenant?.active) return undefined;
  const { inviteId, email, role, byOperator } = invite;
  return { inviteId, email, role, byOperator };
}

/**
 * Redeems an invite; of concurrent attempts, one succeeds. Call it in the transaction that then creates the member,
 * so that the invite stays pending if that fails.
 * @param redeemer `email` in lowercase
 * @throws AppError 400 if the invite cannot be redeemed with this address
 */
export async function redeemInvite(
  tx: Tx,
  tenantId: string,
  secretHash: Uint8Array,
  redeemer: { userId: string; email: string },
): Promise<{ inviteId: string; role: string }> {
  // Locked, so that a member who joins during a deactivation is either signed out with the others or rejected.
  const tenant = await lockTenant(tx, tenantId);
  const redeemed = await markRedeemed(tx, tenantId, secretHash, redeemer);
  if (redeemed && tenant?.active) return redeemed;
  const pending = redeemed ? undefined : await findPendingInvite(tx, tenantId, secretHash);
  throw new AppError(
    'malformed_request',
    pending ? 'this invite was issued for a different email address' : 'invalid or expired invite',
  );
}
