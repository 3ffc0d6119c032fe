import type { Tx } from '#db/client.ts';
import {
  type Administrator,
  isDesignatedOperator,
  lockMember,
  type WithOwningTenant,
} from '#server/access/service.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { lockTenant } from '#server/tenants/service.ts';
import { findMember, selectTenantOfMember } from './members.ts';

type LockedMember = NonNullable<Awaited<ReturnType<typeof lockMember>>>;

/** A member as an administrator found it, locked until the transaction ends. */
export interface LockedMemberContext {
  tx: Tx;
  tenantId: string;
  userId: string;
  admin: Administrator;
  member: LockedMember;
}

/**
 * Opens a member's tenant for an administrator. The tenant's row is locked first, so that two changes of standing in one
 * tenant follow each other (the last administrator is counted under it), then the member's, which sign-ins share.
 * @throws AppError 404 for an unknown or foreign id
 */
export async function withLockedMember<T>(
  withOwningTenant: WithOwningTenant,
  userId: string,
  work: (found: LockedMemberContext) => Promise<T>,
): Promise<T> {
  const entered = await withOwningTenant(
    async (tx, tenantId, admin) => {
      const [, member] = await Promise.all([lockTenant(tx, tenantId), lockMember(tx, tenantId, userId)]);
      if (!member) throw memberNotFound();
      return { answer: await work({ tx, tenantId, userId, admin, member }) };
    },
    (tx) => selectTenantOfMember(tx, userId),
  );
  if (!entered) throw memberNotFound();
  return entered.answer;
}

/**
 * A 5.2: a designated operator's sign-in is reset by the operator key alone. Not by another administrator of the workspace,
 * who could make it their own; nor by the operator's own session, with which a stolen one would be made good for ever.
 * @throws AppError 403
 */
export function requireMayReset({ tenantId, admin, member }: LockedMemberContext, settings: Settings): void {
  if (admin.operatorKey || !isDesignatedOperator(tenantId, member.email, settings)) return;
  throw new AppError('forbidden', "resetting an operator's sign-in requires the operator key");
}

/**
 * Who restores a designated operator gives operator standing back: no ordinary administrator does (A 5.1 rule 8).
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
 * The caller's standing once more, now that the tenant is locked: who waited here behind its own revocation gives nothing
 * out any more. Somebody who comes from outside of the tenant is not changed under its lock.
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
  if (member.role !== 'global_administrator') throw new AppError('forbidden', 'admin role required');
}

function memberNotFound(): AppError {
  return new AppError('not_found', 'user not found');
}
