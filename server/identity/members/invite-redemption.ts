import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { lockTenant, readTenant } from '#server/identity/tenants/tenant-row.ts';
import { markRedeemed, selectPendingInvite } from './invite-queries.ts';
import type { InvitePreview } from './schema.ts';
import { readTenantToken } from './tenant-token.ts';

/**
 * Returns the public details of an invite to someone who has its token. The response is the same for every token that
 * cannot be used.
 */
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

/** Returns an invite if it can be redeemed now and its tenant is active. `redeemInvite` checks this again. */
export async function findPendingInvite(
  tx: Tx,
  tenantId: string,
  secretHash: Uint8Array,
): Promise<
  | { inviteId: string; email: string | null; role: string; byOperator: boolean; tenantName: string }
  | undefined
> {
  const [invite, tenant] = await Promise.all([
    selectPendingInvite(tx, tenantId, secretHash),
    readTenant(tx, tenantId),
  ]);
  if (!invite || !tenant?.active) return undefined;
  const { inviteId, email, role, byOperator } = invite;
  return { inviteId, email, role, byOperator, tenantName: tenant.name };
}

/**
 * Redeems an invite. If several attempts are concurrent, one succeeds. Call this in the transaction that then creates
 * the member: if that fails, the invite stays pending.
 * @param redeemer `email` is in lower case
 * @throws AppError 400 if the invite cannot be redeemed with this email address
 */
export async function redeemInvite(
  tx: Tx,
  tenantId: string,
  secretHash: Uint8Array,
  redeemer: { userId: string; email: string },
): Promise<{ inviteId: string; role: string }> {
  // Lock the tenant: if a member joins while the tenant is being deactivated, the member is either signed out with the
  // others or rejected.
  const tenant = await lockTenant(tx, tenantId);
  const redeemed = await markRedeemed(tx, tenantId, secretHash, redeemer);
  if (redeemed && tenant?.active) return redeemed;
  const pending = redeemed ? undefined : await findPendingInvite(tx, tenantId, secretHash);
  throw new AppError(
    'malformed_request',
    pending ? 'this invite was issued for a different email address' : 'invalid or expired invite',
  );
}
