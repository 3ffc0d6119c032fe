import { and, eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { credentialDirectory, tokens, users } from '#db/schema/auth.ts';
import { tenants } from '#db/schema/tenants.ts';

export interface Standing {
  tenantId: string;
  name: string;
  active: boolean;
  user: { id: string; email: string; role: string; active: boolean } | null;
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
      user: { id: users.userId, email: users.email, role: users.role, active: users.active },
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

export interface NewToken {
  tokenHash: Uint8Array;
  kind: 'access_token' | 'refresh_token';
  tenantId: string;
  userId: string;
  scope: string;
  role: string;
  expiresAt: Date;
}

export async function insertTokens(tx: Tx, rows: NewToken[]): Promise<void> {
  await tx.insert(tokens).values(rows);
  await tx.insert(credentialDirectory).values(
    rows.map(({ tokenHash, kind, tenantId, expiresAt }) => ({
      credentialHash: tokenHash,
      kind,
      tenantId,
      expiresAt,
    })),
  );
}

export async function insertApiKey(tx: Tx, tenantId: string, keyHash: Uint8Array): Promise<void> {
  await tx.insert(credentialDirectory).values({ credentialHash: keyHash, kind: 'api_key', tenantId });
}

export interface NewUser {
  tenantId: string;
  userId: string;
  email: string;
  role: string;
  passwordHash: string;
}

export async function insertUser(tx: Tx, user: NewUser): Promise<void> {
  await tx.insert(users).values({ ...user, provider: 'email' });
}
