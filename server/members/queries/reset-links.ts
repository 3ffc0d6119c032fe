import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { resetLinks, users } from '#db/schema/identity.ts';

const isAlive = (tenantId: string, linkHash: Uint8Array) =>
  and(
    eq(resetLinks.tenantId, tenantId),
    eq(resetLinks.linkHash, linkHash),
    sql`${resetLinks.expiresAt} > now()`,
  ) as SQL;

/** A member's link, in the place of the one before it. */
export async function replaceResetLink(
  tx: Tx,
  tenantId: string,
  userId: string,
  linkHash: Uint8Array,
  ttlSeconds: number,
): Promise<{ expiresAt: Date }> {
  const expiresAt = sql`now() + make_interval(secs => ${ttlSeconds})`;
  const [row] = await tx
    .insert(resetLinks)
    .values({ tenantId, userId, linkHash, expiresAt })
    .onConflictDoUpdate({
      target: [resetLinks.tenantId, resetLinks.userId],
      set: { linkHash, expiresAt },
    })
    .returning({ expiresAt: resetLinks.expiresAt });
  return row as { expiresAt: Date };
}

/** Of a link that is alive, the member whose it is and who may use it: an active one with a password. */
export async function selectMemberOfLink(
  tx: Tx,
  tenantId: string,
  linkHash: Uint8Array,
): Promise<{ userId: string; email: string } | undefined> {
  const [row] = await tx
    .select({ userId: users.userId, email: users.email })
    .from(resetLinks)
    .innerJoin(users, and(eq(users.tenantId, resetLinks.tenantId), eq(users.userId, resetLinks.userId)))
    .where(and(isAlive(tenantId, linkHash), eq(users.active, true), eq(users.provider, 'email')));
  return row;
}

/** Uses a link up; false where it is gone, replaced or expired by now. */
export async function consumeResetLink(tx: Tx, tenantId: string, linkHash: Uint8Array): Promise<boolean> {
  const used = await tx
    .delete(resetLinks)
    .where(isAlive(tenantId, linkHash))
    .returning({ userId: resetLinks.userId });
  return used.length > 0;
}

export async function deleteResetLink(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await tx.delete(resetLinks).where(and(eq(resetLinks.tenantId, tenantId), eq(resetLinks.userId, userId)));
}

/** Ends every link of a tenant. */
export async function deleteResetLinks(tx: Tx, tenantId: string): Promise<void> {
  await tx.delete(resetLinks).where(eq(resetLinks.tenantId, tenantId));
}
