import { and, eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';

/**
 * A member's row, locked until the transaction ends: by whoever issues tokens, and by whoever ends them or changes the
 * member's standing. One lock for both, because in PostgreSQL those who share one pass a writer that waits: refreshing
 * fast enough would keep a revocation waiting. Not `for update`, which the foreign keys of new tokens would wait for.
 */
export async function lockMember(
  tx: Tx,
  tenantId: string,
  userId: string,
): Promise<typeof users.$inferSelect | undefined> {
  const [row] = await selectLocked(tx, { tenantId, userId });
  return row;
}

const selectLocked = prepare<{ tenantId: string; userId: string }, (typeof users.$inferSelect)[]>((db) =>
  db
    .select()
    .from(users)
    .where(and(eq(users.tenantId, sql.placeholder('tenantId')), eq(users.userId, sql.placeholder('userId'))))
    .for('no key update')
    .prepare('lock_member'),
);

/** The same lock on every member of a tenant. */
export async function lockAllMembers(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from users where tenant_id = ${tenantId} order by user_id for no key update) locked`);
}

/** Deletes what lets a tenant's members in, or is on its way to: its tokens, challenges and reset links. */
export async function deleteSignIns(tx: Tx, tenantId: string): Promise<void> {
  await Promise.all([
    tx.execute(sql`delete from tokens where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from credential_directory where tenant_id = ${tenantId} and kind <> 'api_key'`),
    tx.execute(sql`delete from mfa_challenges where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from reset_links where tenant_id = ${tenantId}`),
  ]);
}
