import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { ssoStates, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';

export interface PasswordAccount {
  tenantId: string;
  tenantName: string;
  userId: string;
  passwordHash: string;
}

/**
 * The active password accounts of an address, oldest first, in active tenants (A 4.3 rule 4); over all tenants, or in
 * the one that is named. The transaction's last statement.
 */
export async function findPasswordAccounts(
  tx: Tx,
  email: string,
  tenantId: string | undefined,
  limit: number,
): Promise<PasswordAccount[]> {
  const found =
    tenantId === undefined
      ? selectAccounts(tx, { email, limit })
      : selectAccountsIn(tx, { email, tenantId, limit });
  const rows = await tx.last(found);
  return rows.filter((row): row is PasswordAccount => row.passwordHash !== null);
}

interface FoundAccount extends Omit<PasswordAccount, 'passwordHash'> {
  passwordHash: string | null;
}

const accounts = (name: string, where: SQL | undefined) => (db: Parameters<BuildAccounts>[0]) =>
  db
    .select({
      tenantId: users.tenantId,
      tenantName: tenants.name,
      userId: users.userId,
      passwordHash: users.passwordHash,
    })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(
      and(
        eq(users.email, sql.placeholder('email')),
        sql`${users.provider} = 'email' and ${users.active}`,
        eq(tenants.active, true),
        where,
      ),
    )
    .orderBy(asc(users.createdAt), asc(users.userId))
    .limit(sql.placeholder('limit'))
    .prepare(name);

type BuildAccounts = Parameters<typeof prepare<object, FoundAccount[]>>[0];

const selectAccounts = prepare<{ email: string; limit: number }, FoundAccount[]>(
  accounts('password_accounts', undefined),
);
const selectAccountsIn = prepare<{ email: string; tenantId: string; limit: number }, FoundAccount[]>(
  accounts('password_accounts_in', eq(users.tenantId, sql.placeholder('tenantId'))),
);

export interface Membership {
  tenantId: string;
  tenantName: string;
  userId: string;
  /** Both the member and the tenant are active. */
  usable: boolean;
}

/** Where a person of the identity provider is a member, over all tenants; oldest first. */
export async function findMemberships(tx: Tx, providerSubject: string): Promise<Membership[]> {
  const usable = sql<boolean>`${users.active} and ${tenants.active}`;
  return tx
    .select({ tenantId: users.tenantId, tenantName: tenants.name, userId: users.userId, usable })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(eq(users.providerSubject, providerSubject))
    .orderBy(asc(users.createdAt), asc(users.userId));
}

/** Whether a tenant keeps this value of the organization claim. */
export async function hasTenantOfOrganization(tx: Tx, organization: string): Promise<boolean> {
  const rows = await tx
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .where(eq(tenants.organization, organization))
    .limit(1);
  return rows.length > 0;
}

/** Lets one transaction at a time found a tenant for each of these names. In sorted order, against deadlocks. */
export async function lockFounding(tx: Tx, names: string[]): Promise<void> {
  for (const name of names.toSorted())
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`found ${name}`}, 0))`);
}

export async function insertSsoState(
  tx: Tx,
  stateHash: Uint8Array,
  sealed: Uint8Array,
  ttlSeconds: number,
): Promise<void> {
  const expiresAt = sql`now() + make_interval(secs => ${ttlSeconds})`;
  await tx.insert(ssoStates).values({ stateHash, sealed, expiresAt });
}

/** Deletes a state and answers what it sealed, where its time is not over. */
export async function takeSsoState(tx: Tx, stateHash: Uint8Array): Promise<Uint8Array | undefined> {
  const [taken] = await tx
    .delete(ssoStates)
    .where(eq(ssoStates.stateHash, stateHash))
    .returning({ sealed: ssoStates.sealed, alive: sql<boolean>`${ssoStates.expiresAt} > now()` });
  return taken?.alive ? taken.sealed : undefined;
}

export async function updatePasswordHash(
  tx: Tx,
  tenantId: string,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await tx
    .update(users)
    .set({ passwordHash })
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)));
}
