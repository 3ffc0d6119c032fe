import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { credentialDirectory, tokens } from '#db/schema/identity.ts';

/** `ttl` is in seconds. The database computes the expiry, because expiry is checked by its clock. */
export type NewToken = Omit<typeof tokens.$inferInsert, 'expiresAt' | 'familyBeganAt' | 'provedAt'> & {
  familyId: string;
  secondFactor: boolean;
  factorAtSignIn: boolean;
  /** Seconds since the sign-in that started the token's family. */
  familyAge: number;
  /** Seconds since the last proof of identity in the family; null if unknown. */
  proofAge: number | null;
  agent: string | null;
  network: string | null;
  ttl: number;
};

/** Inserts tokens and their rows in the credential directory, in one statement. */
export async function insertTokens(tx: Tx, rows: NewToken[]): Promise<void> {
  const values = rows.map(
    (
      row,
    ) => sql`(${row.tenantId}, ${row.tokenHash}::bytea, ${row.kind}, ${row.userId}, ${row.scope}, ${row.role},
      ${row.familyId}, now() - make_interval(secs => ${row.familyAge}), ${row.secondFactor},
      ${row.factorAtSignIn}, now() - make_interval(secs => ${row.proofAge}),
      ${row.agent}, ${row.network},
      ${row.issuedFor ?? null}::bytea, now() + make_interval(secs => ${row.ttl}))`,
  );
  await tx.execute(sql`
    with issued as (
      insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, family_id, family_began_at,
        second_factor, factor_at_sign_in, proved_at, agent, network, issued_for, expires_at)
      values ${sql.join(values, sql`, `)} returning token_hash, kind, tenant_id, expires_at)
    insert into credential_directory (credential_hash, kind, tenant_id, expires_at) select * from issued`);
}

export type TokenRow = typeof tokens.$inferSelect & {
  /** Whether the token is neither used nor expired. */
  alive: boolean;
  isExpired: boolean;
  /** Seconds since the refresh token was used; null if it has not been used. */
  usedFor: number | null;
  /** Seconds since the sign-in that started the token's family. */
  familyAge: number;
  /** Seconds since the last proof of identity in the family; null if unknown. */
  proofAge: number | null;
};

/** Finds a token, even if it is used or expired. Times are by the database's clock. */
export async function findToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
): Promise<TokenRow | undefined> {
  const [row] = await tx
    .select({
      ...getTableColumns(tokens),
      alive: sql<boolean>`${tokens.consumedAt} is null and ${tokens.expiresAt} > now()`,
      isExpired: sql<boolean>`${tokens.expiresAt} <= now()`,
      usedFor: sql<number | null>`extract(epoch from now() - ${tokens.consumedAt})::float8`,
      familyAge: sql<number>`extract(epoch from now() - ${tokens.familyBeganAt})::float8`,
      proofAge: sql<number | null>`extract(epoch from now() - ${tokens.provedAt})::float8`,
    })
    .from(tokens)
    .where(and(eq(tokens.tenantId, tenantId), eq(tokens.tokenHash, tokenHash)));
  return row;
}

/**
 * Marks a refresh token as used. Returns false if the token is already used, expired or deleted.
 * @param retryKeyHash the hash of the key with which the client may repeat the refresh; null if the client sent none
 */
export async function consumeToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
  retryKeyHash: Uint8Array | null,
): Promise<boolean> {
  const consumed = await tx
    .update(tokens)
    .set({ consumedAt: sql`now()`, retryKeyHash })
    .where(
      and(
        eq(tokens.tenantId, tenantId),
        eq(tokens.tokenHash, tokenHash),
        eq(tokens.kind, 'refresh_token'),
        sql`${tokens.consumedAt} is null and ${tokens.expiresAt} > now()`,
      ),
    )
    .returning({ tokenHash: tokens.tokenHash });
  return consumed.length > 0;
}

/**
 * Revokes the pair of tokens that was issued for a refresh token. The caller has read the token's row under the
 * member's lock. The revoked refresh token counts as used long ago: if someone presents it, the family ends without a
 * grace period.
 * @returns false if there is no such pair, or if its refresh token is already used
 */
export async function revokeUnusedPair(
  tx: Tx,
  { tenantId, userId, familyId, tokenHash }: TokenRow,
): Promise<boolean> {
  const revoked = await tx.execute(sql`
    with pair as (
      select token_hash, kind from tokens
      where tenant_id = ${tenantId} and user_id = ${userId} and family_id = ${familyId}
        and issued_for = ${tokenHash}::bytea and consumed_at is null),
    refresh as (
      update tokens set consumed_at = to_timestamp(0)
      where tenant_id = ${tenantId} and token_hash in (select token_hash from pair where kind = 'refresh_token')
      returning 1),
    access as (
      delete from tokens
      where tenant_id = ${tenantId} and token_hash in (select token_hash from pair where kind = 'access_token')
        and exists (select from refresh)
      returning token_hash),
    directory as (
      delete from credential_directory where credential_hash in (select token_hash from access))
    select 1 from refresh`);
  return revoked.length > 0;
}

/**
 * Records that a token family can be refreshed if a second factor is required: it has set up the authenticator. This
 * does not count as a second factor at the sign-in. The caller has locked the member.
 */
export async function markSecondFactor(
  tx: Tx,
  tenantId: string,
  userId: string,
  familyId: string,
): Promise<void> {
  await tx
    .update(tokens)
    .set({ secondFactor: true })
    .where(and(eq(tokens.tenantId, tenantId), eq(tokens.userId, userId), eq(tokens.familyId, familyId)));
}

/** Takes from all of a member's sessions that their sign-in passed a second factor. The caller has locked the member. */
export async function forgetFactors(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await tx
    .update(tokens)
    .set({ factorAtSignIn: false })
    .where(and(eq(tokens.tenantId, tenantId), eq(tokens.userId, userId)));
}

/** Records that the member has just proved the identity again in a token family. The caller has locked the member. */
export async function markProved(
  tx: Tx,
  { tenantId, userId, familyId }: { tenantId: string; userId: string; familyId: string },
): Promise<void> {
  await tx
    .update(tokens)
    .set({ provedAt: sql`now()` })
    .where(and(eq(tokens.tenantId, tenantId), eq(tokens.userId, userId), eq(tokens.familyId, familyId)));
}

/** Deletes the matching tokens of a tenant and their rows in the directory. Returns the number of deleted tokens. */
export async function deleteTokens(
  tx: Tx,
  tenantId: string | SQL,
  which: { tokenHash: Uint8Array } | { userId: string; familyId?: string; exceptFamilyId?: string },
): Promise<number> {
  const match =
    'tokenHash' in which
      ? sql`token_hash = ${which.tokenHash}`
      : which.familyId !== undefined
        ? sql`user_id = ${which.userId} and family_id = ${which.familyId}`
        : which.exceptFamilyId !== undefined
          ? sql`user_id = ${which.userId} and family_id <> ${which.exceptFamilyId}`
          : sql`user_id = ${which.userId}`;
  const deleted = await tx.execute(sql`
    with gone as (delete from tokens where tenant_id = ${tenantId} and ${match} returning token_hash)
    delete from credential_directory using gone where credential_hash = gone.token_hash returning 1`);
  return deleted.length;
}

/** Finds the tenant of a token among all tenants. The directory has no row-level policy. */
export async function tenantOfToken(tx: Tx, tokenHash: Uint8Array): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: credentialDirectory.tenantId })
    .from(credentialDirectory)
    .where(
      and(
        eq(credentialDirectory.credentialHash, tokenHash),
        inArray(credentialDirectory.kind, ['access_token', 'refresh_token']),
      ),
    );
  return row?.tenantId;
}
