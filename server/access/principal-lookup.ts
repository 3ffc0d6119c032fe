import { and, eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { tokens, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';

/** A caller's tenant and, for an access token, the member it was issued to. */
export interface PrincipalLookup {
  tenantId: string;
  name: string;
  active: boolean;
  user: PrincipalMember | null;
  token: { familyId: string; expiresAt: Date; secondFactor: boolean } | null;
}

export interface PrincipalMember {
  id: string;
  email: string;
  provider: string;
  role: string;
  active: boolean;
  totpEnrolled: boolean;
}

const tenantInScope = sql`current_setting(${sql.placeholder('scope')})`;

/**
 * Reads the tenant in scope and, for an access token, its member. The tenant's id is not known yet, so the condition reads
 * the setting that holds it; the row-level policy alone uses no index (docs/decisions/0025).
 */
const selectPrincipal = prepare<{ accessTokenHash: Uint8Array; scope: string }, PrincipalLookup[]>((db) =>
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
      token: {
        familyId: tokens.familyId,
        expiresAt: tokens.expiresAt,
        secondFactor: tokens.secondFactor,
      },
    })
    .from(tenants)
    .leftJoin(
      tokens,
      and(
        eq(tokens.tenantId, tenantInScope),
        eq(tokens.tokenHash, sql.placeholder('accessTokenHash')),
        eq(tokens.kind, 'access_token'),
        sql`${tokens.expiresAt} > now()`,
      ),
    )
    .leftJoin(users, and(eq(users.tenantId, tenantInScope), eq(users.userId, tokens.userId)))
    .where(eq(tenants.tenantId, tenantInScope))
    .prepare('select_principal'),
);

/** Passed as a parameter, although constant, because the driver prepares only statements with parameters. */
const tenantScope = 'lingualoop.tenant_id';

/** For requests without an access token. Given a null, PostgreSQL would plan the other statement anew each time. */
const selectTenant = prepare<{ scope: string }, Pick<PrincipalLookup, 'tenantId' | 'name' | 'active'>[]>(
  (db) =>
    db
      .select({ tenantId: tenants.tenantId, name: tenants.name, active: tenants.active })
      .from(tenants)
      .where(eq(tenants.tenantId, tenantInScope))
      .prepare('select_tenant_principal'),
);

/**
 * Looks up the caller by the SHA-256 of its access token, or its tenant alone for null, in the transaction's scope.
 * @returns undefined if the scope holds no tenant
 */
export async function lookUpPrincipal(
  tx: Tx,
  accessTokenHash: Uint8Array | null,
): Promise<PrincipalLookup | undefined> {
  if (accessTokenHash === null) {
    const [tenant] = await selectTenant(tx, { scope: tenantScope });
    return tenant && { ...tenant, user: null, token: null };
  }
  const [lookup] = await selectPrincipal(tx, { accessTokenHash, scope: tenantScope });
  return lookup;
}
