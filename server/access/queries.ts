import { and, eq, getTableColumns, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { credentialDirectory, tokens, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';

/** What a request needs to know of the caller: its tenant and, for an access token, the member it was issued to. */
export interface Standing {
  tenantId: string;
  name: string;
  active: boolean;
  user: StandingMember | null;
  token: { familyId: string; expiresAt: Date } | null;
}

export interface StandingMember {
  id: string;
  email: string;
  provider: string;
  role: string;
  active: boolean;
  totpEnrolled: boolean;
}

/**
 * The tenant that the transaction is scoped to (row-level security leaves only that one: here the tenant is not
 * known yet, so nothing else can name it) and, for an access token, the member it was issued to.
 */
const selectStanding = prepare<{ accessTokenHash: Uint8Array | null }, Standing[]>((db) =>
  db
    .select({
      tenantId: tenants.tenantId,
      name: tenants.name,
      active: tenants.active,
      user: {
        id: users.userId,
        email: users.email,
        provider: users.provider,
        role: users.role,
        active: users.active,
        totpEnrolled: sql<boolean>`${users.totpSecret} is not null`,
      },
      token: { familyId: tokens.familyId, expiresAt: tokens.expiresAt },
    })
    .from(tenants)
    .leftJoin(
      tokens,
      and(
        eq(tokens.tenantId, tenants.tenantId),
        eq(tokens.tokenHash, sql.placeholder('accessTokenHash')),
        eq(tokens.kind, 'access_token'),
      ),
    )
    .leftJoin(users, and(eq(users.tenantId, tokens.tenantId), eq(users.userId, tokens.userId)))
    .prepare('select_standing'),
);

export async function readStanding(
  tx: Tx,
  accessTokenHash: Uint8Array | null,
): Promise<Standing | undefined> {
  const [standing] = await selectStanding(tx, { accessTokenHash });
  return standing;
}

/** Whether any tenant has an account. The tenant of the service key (A 5.1 rule 6) is nobody's account. */
export async function anyTenantExists(tx: Tx): Promise<boolean> {
  const rows = await tx
    .select({ one: sql`1` })
    .from(tenants)
    .where(sql`${tenants.tenantId} <> ${serviceTenantId}`)
    .limit(1);
  return rows.length > 0;
}

/** Under which the work of a deployment without tenants is filed (A 5.1 rule 6). */
export const serviceTenantId = 'default';

/** `ttl` in seconds: when it ends is the database's to say, whose clock will be asked. */
export type NewToken = Omit<typeof tokens.$inferInsert, 'expiresAt'> & { familyId: string; ttl: number };

export async function insertTokens(tx: Tx, rows: NewToken[]): Promise<void> {
  const ending = rows.map(({ ttl, ...row }) => ({
    ...row,
    expiresAt: sql`now() + make_interval(secs => ${ttl})`,
  }));
  await Promise.all([
    tx.insert(tokens).values(ending),
    tx.insert(credentialDirectory).values(
      ending.map(({ tokenHash, kind, tenantId, expiresAt }) => ({
        credentialHash: tokenHash,
        kind,
        tenantId,
        expiresAt,
      })),
    ),
  ]);
}

export type TokenRow = typeof tokens.$inferSelect & {
  /** Neither used up nor expired. */
  alive: boolean;
  /** Seconds since a refresh token was used; null where it was not. */
  usedFor: number | null;
};

/** The token itself, whatever became of it, by the database's clock. */
export async function findToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
): Promise<TokenRow | undefined> {
  const [row] = await tx
    .select({
      ...getTableColumns(tokens),
      alive: sql<boolean>`${tokens.consumedAt} is null and ${tokens.expiresAt} > now()`,
      usedFor: sql<number | null>`extract(epoch from now() - ${tokens.consumedAt})::float8`,
    })
    .from(tokens)
    .where(and(eq(tokens.tenantId, tenantId), eq(tokens.tokenHash, tokenHash)));
  return row;
}

/** Marks a refresh token used, once: false where it is already, or expired, or gone. */
export async function consumeToken(tx: Tx, tenantId: string, tokenHash: Uint8Array): Promise<boolean> {
  const consumed = await tx
    .update(tokens)
    .set({ consumedAt: sql`now()` })
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

/** Deletes a tenant's tokens that match, in the directory too; answers how many there were. */
export async function deleteTokens(
  tx: Tx,
  tenantId: string,
  which: { tokenHash: Uint8Array } | { userId: string; familyId?: string },
): Promise<number> {
  const match =
    'tokenHash' in which
      ? sql`token_hash = ${which.tokenHash}`
      : which.familyId === undefined
        ? sql`user_id = ${which.userId}`
        : sql`user_id = ${which.userId} and family_id = ${which.familyId}`;
  const deleted = await tx.execute(sql`
    with gone as (delete from tokens where tenant_id = ${tenantId} and ${match} returning token_hash)
    delete from credential_directory using gone where credential_hash = gone.token_hash returning 1`);
  return deleted.length;
}

export async function insertApiKey(tx: Tx, tenantId: string, keyHash: Uint8Array): Promise<void> {
  await tx.insert(credentialDirectory).values({ credentialHash: keyHash, kind: 'api_key', tenantId });
}

/** Takes a tenant's keys away; answers how many it had. */
export async function deleteApiKeys(tx: Tx, tenantId: string): Promise<number> {
  const deleted = await tx
    .delete(credentialDirectory)
    .where(and(eq(credentialDirectory.tenantId, tenantId), eq(credentialDirectory.kind, 'api_key')))
    .returning({ hash: credentialDirectory.credentialHash });
  return deleted.length;
}

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
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId)))
    .for('no key update');
  return row;
}

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

/** The service key's tenant. No key of a tenant leads to it, and it has no members. */
export async function insertServiceTenant(tx: Tx, monthlyCharLimit: number): Promise<void> {
  await tx
    .insert(tenants)
    .values({ tenantId: serviceTenantId, name: serviceTenantId, apiKeyPrefix: '', monthlyCharLimit })
    .onConflictDoNothing();
}

export interface Attempts {
  attempts: number;
  /** Until the window ends. */
  secondsLeft: number;
}

/**
 * Counts an attempt in its window, which begins with its first one; the same statement tells how it stands.
 * @param send how the statement leaves: `tx.last` where it is the transaction's only one
 */
export async function countAttempt(
  tx: Tx,
  bucket: string,
  subject: string,
  windowSeconds: number,
  send: <T>(statement: PromiseLike<T>) => PromiseLike<T> = (statement) => statement,
): Promise<Attempts> {
  const window = sql`now() + make_interval(secs => ${windowSeconds})`;
  const counted = tx.execute(sql`
    insert into rate_windows as w (bucket, subject, attempts, ends_at) values (${bucket}, ${subject}, 1, ${window})
    on conflict (bucket, subject) do update set
      attempts = case when w.ends_at <= now() then 1 else w.attempts + 1 end,
      ends_at = case when w.ends_at <= now() then ${window} else w.ends_at end
    returning attempts, extract(epoch from ends_at - now())::float8 as seconds_left`);
  const [row] = await send(counted);
  return { attempts: Number(row?.['attempts']), secondsLeft: Number(row?.['seconds_left']) };
}

/** The tenant that a token was issued in, over all tenants: the directory has no policy. */
export async function tenantOfToken(tx: Tx, tokenHash: Uint8Array): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: credentialDirectory.tenantId })
    .from(credentialDirectory)
    .where(
      and(eq(credentialDirectory.credentialHash, tokenHash), sql`${credentialDirectory.kind} <> 'api_key'`),
    );
  return row?.tenantId;
}

/** Every table whose rows have an end, by the column that says when. */
const expiryColumns = {
  tokens: 'expires_at',
  credential_directory: 'expires_at',
  mfa_challenges: 'expires_at',
  reset_links: 'expires_at',
  sso_states: 'expires_at',
  rate_windows: 'ends_at',
} as const;

export type PrunedTable = keyof typeof expiryColumns;

export const prunedTables = Object.keys(expiryColumns) as PrunedTable[];

/** Deletes at most `limit` rows whose end is past, in the platform's scope; answers how many. */
export async function pruneTable(tx: Tx, table: PrunedTable, limit: number): Promise<number> {
  const name = sql.identifier(table);
  const expiry = sql.identifier(expiryColumns[table]);
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${name} where ctid = any(array(select ctid from ${name} where ${expiry} < now() limit ${limit}
        for update skip locked))
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}
