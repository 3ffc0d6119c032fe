import { timingSafeEqual } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { isTenantId, type Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { keyedHashes, type SecretsKeys } from '#server/platform/encryption.ts';

/*
 * A sign-up does not prove that the address belongs to the person who signs up. Only a mail to this address contains a
 * proof: a keyed hash of the tenant, the address, and the account or invite. Until an address is confirmed with it, the
 * service sends no other mails to the address, and none in its name.
 */

/** Whom a proof is about: `subject` is the ID of a member, or of an invite that is bound to the address. */
interface Proven {
  tenantId: string;
  subject: string;
  /** In lower case. */
  email: string;
}

/** An account whose address a link confirms. */
interface Confirmable {
  tenantId: string;
  userId: string;
  email: string;
  workspace: string;
  isConfirmed: boolean;
}

/** SQL: whether the address of a member is confirmed. Identity providers confirm the addresses of their members. */
export const isConfirmed = sql<boolean>`(${users.emailConfirmedAt} is not null or ${users.provider} <> 'email')`;

/** Returns the proof for a mail to this address. It does not expire, because it allows nothing else. */
export function emailProof(keys: SecretsKeys, proven: Proven): string {
  return keyedHashes(keys, 'email address', textOf(proven))[0].toString('base64url');
}

/** Checks a proof. Proofs are valid until the secrets key has been replaced twice. */
export function provesEmail(keys: SecretsKeys, proven: Proven, proof: string): boolean {
  const given = Buffer.from(proof, 'base64url');
  return keyedHashes(keys, 'email address', textOf(proven)).some(
    (own) => own.length === given.length && timingSafeEqual(own, given),
  );
}

/** Returns the token of the link that confirms the address of a member. */
export function confirmationToken(keys: SecretsKeys, { tenantId, userId, email }: Member): string {
  return `${tenantId}.${userId}.${emailProof(keys, { tenantId, subject: userId, email })}`;
}

/** Returns the account of a link; undefined if the link is not valid, or its member or workspace is not active. */
export async function findConfirmable(
  { database, secretsKeys }: Pick<Services, 'database' | 'secretsKeys'>,
  token: string,
): Promise<Confirmable | undefined> {
  const [tenantId = '', userId = '', proof = '', ...more] = token.split('.');
  if (more.length > 0 || !isTenantId(tenantId) || !/^[\w-]{1,64}$/.test(userId)) return undefined;
  const [account] = await database.inTenant(tenantId, (tx) =>
    tx
      .select({
        tenantId: users.tenantId,
        userId: users.userId,
        email: users.email,
        workspace: tenants.name,
        isConfirmed,
      })
      .from(users)
      .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
      .where(and(isMember({ tenantId, userId }), eq(users.active, true), eq(tenants.active, true))),
  );
  if (!account || !provesEmail(secretsKeys, { tenantId, subject: userId, email: account.email }, proof))
    return undefined;
  return account;
}

/** Confirms the address of an account. @returns false if it is confirmed already */
export async function confirmEmail(tx: Tx, { tenantId, userId }: Confirmable): Promise<boolean> {
  const confirmed = await tx
    .update(users)
    .set({ emailConfirmedAt: sql`now()` })
    .where(and(isMember({ tenantId, userId }), eq(users.active, true), isNull(users.emailConfirmedAt)))
    .returning({ userId: users.userId });
  return confirmed.length > 0;
}

/** Returns whether the address of a member is confirmed; false for an unknown member. */
export async function hasConfirmedEmail(tx: Tx, tenantId: string, userId: string): Promise<boolean> {
  const [row] = await tx.select({ isConfirmed }).from(users).where(isMember({ tenantId, userId }));
  return row?.isConfirmed ?? false;
}

type Member = Pick<Confirmable, 'tenantId' | 'userId' | 'email'>;

function isMember({ tenantId, userId }: Pick<Confirmable, 'tenantId' | 'userId'>) {
  return and(eq(users.tenantId, tenantId), eq(users.userId, userId));
}

/** An address contains no space. */
const textOf = ({ tenantId, subject, email }: Proven) => `${tenantId} ${subject} ${email}`;
