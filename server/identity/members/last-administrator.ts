import { and, eq, ne, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { LockedMemberContext } from './locked-member.ts';

/**
 * Requires that the tenant keeps at least one active administrator. Call this before an administrator is revoked or
 * demoted. The tenant's row must be locked, so that two administrators cannot revoke each other at the same time.
 * @throws AppError 409 if the member is the only active administrator
 */
export async function requireAnotherAdministrator({
  tx,
  tenantId,
  userId,
  member,
}: LockedMemberContext): Promise<void> {
  if (!member.active || member.role !== 'global_administrator') return;
  if (await hasOtherAdministrator(tx, tenantId, userId)) return;
  throw new AppError(
    'state_conflict',
    'the last active administrator of a workspace can be neither revoked nor demoted',
  );
}

async function hasOtherAdministrator(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const rows = await tx
    .select({ one: sql`1` })
    .from(users)
    .where(
      and(
        eq(users.tenantId, tenantId),
        ne(users.userId, userId),
        eq(users.active, true),
        eq(users.role, 'global_administrator'),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
