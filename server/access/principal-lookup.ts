import { and, eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { tokens, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';

/** What a request needs to know of the caller: its tenant and, for an access token, the member it was issued to. */
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
 * The tenant that the transaction is scoped to, named by the setting that holds it, since it is not known here yet: the policy
 * by itself uses no index (docs/decisions/0025). And, for an access token, the member it was issued to.
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
    .prepare('select_standing'),
);

/** A parameter although it never changes: the driver only prepares statements that have one. */
const tenantScope = 'lingualoop.tenant_id';

/** Where no token is presented. A statement of its own: PostgreSQL would plan the other one anew each time for it. */
const selectTenant = prepare<{ scope: string }, Pick<PrincipalLookup, 'tenantId' | 'name' | 'active'>[]>(
  (db) =>
    db
      .select({ tenantId: tenants.tenantId, name: tenants.name, active: tenants.active })
      .from(tenants)
      .where(eq(tenants.tenantId, tenantInScope))
      .prepare('select_tenant_standing'),
);

export async function lookUpPrincipal(
  tx: Tx,
  accessTokenHash: Uint8Array | null,
): Promise<PrincipalLookup | undefined> {
  if (accessTokenHash === null) {
    const [tenant] = await selectTenant(tx, { scope: tenantScope });
    return tenant && { ...tenant, user: null, token: null };
  }
  const [standing] = await selectPrincipal(tx, { accessTokenHash, scope: tenantScope });
  return standing;
}
