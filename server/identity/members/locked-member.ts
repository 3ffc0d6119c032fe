import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Administrator, WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { isDesignatedOperator, requireAdministrator } from '#server/identity/access/principal.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import type { Settings } from '#server/settings.ts';
import { findMember, selectTenantOfMember } from './members.ts';

type LockedMember = NonNullable<Awaited<ReturnType<typeof lockMember>>>;

/** A member whom an administrator changes. The member's row is locked until the transaction ends. */
export interface LockedMemberContext {
  tx: Tx;
  tenantId: string;
  userId: string;
  admin: Administrator;
  member: LockedMember;
}

/**
 * Opens a transaction in a member's tenant for an administrator, and locks two rows. The tenant's row comes first: so
 * changes of member status in one tenant run one after another, and active administrators are counted under this lock.
 * Then comes the member's row, which sign-ins lock too.
 * @throws AppError 404 for an unknown member or one of another tenant
 */
export async function withLockedMember<T>(
  withOwningTenant: WithOwningTenant,
  userId: string,
  work: (found: LockedMemberContext) => Promise<T>,
): Promise<T> {
  const result = await withOwningTenant(
    async (tx, tenantId, admin) => {
      const [, member] = await Promise.all([lockTenant(tx, tenantId), lockMember(tx, tenantId, userId)]);
      if (!member) throw memberNotFound();
      return { value: await work({ tx, tenantId, userId, admin, member }) };
    },
    (tx) => selectTenantOfMember(tx, userId),
  );
  if (!result) throw memberNotFound();
  return result.value;
}

/**
 * Requires the operator key for resetting the sign-in of another operator: otherwise an administrator of the workspace
 * could take over the operator's account. Operators reset their own sign-in like every administrator, but only in a
 * session that passed a second factor: another one could make itself an operator's with a new authenticator.
 * @throws AppError 403
 */
export function requireMayReset(
  { tenantId, userId, admin, member }: LockedMemberContext,
  settings: Settings,
): void {
  if (admin.operatorKey || (admin.operator && admin.user?.id === userId)) return;
  if (!isDesignatedOperator(tenantId, member.email, settings)) return;
  throw new AppError('forbidden', "resetting an operator's sign-in requires the operator key");
}

/**
 * Requires an operator for restoring a designated operator, because this also restores operator access.
 * @throws AppError 403
 */
export function requireMayRestore(
  { tenantId, admin, member }: LockedMemberContext,
  settings: Settings,
): void {
  if (admin.operator || !isDesignatedOperator(tenantId, member.email, settings)) return;
  throw new AppError('forbidden', 'restoring an operator requires operator access');
}

/**
 * Checks again, with the tenant locked, that the caller is an active administrator: the caller may have been revoked
 * while this transaction waited for the lock. Callers from outside the tenant are not checked, because the lock does
 * not cover them.
 * @throws AppError 401, 403
 */
export async function requireStillAdministrator(
  tx: Tx,
  tenantId: string,
  { user, tenant, operatorKey }: Administrator,
): Promise<void> {
  if (!user || operatorKey || tenant?.id !== tenantId) return;
  const member = await findMember(tx, tenantId, user.id);
  if (!member?.active) throw new AppError('unauthenticated', 'admin credentials required');
  requireAdministrator(member);
}

function memberNotFound(): AppError {
  return new AppError('not_found', 'user not found');
}
