import type { Tx } from '#db/client.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { adminProcedure, type WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { endFamily } from '#server/identity/access/refresh-token-rotation.ts';
import { clearedSessionCookie } from '#server/identity/access/session-cookie.ts';
import { endSession } from '#server/identity/access/sessions.ts';
import { findToken, tenantOfToken } from '#server/identity/access/tokens.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { findMember } from '#server/identity/members/members.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { introspectRequest, introspectResponse, revokeRequest, revokeResponse } from './schema.ts';

/**
 * If `active` is false, all other fields are null: the token is unknown or expired, or it belongs to a tenant to which
 * the caller has no access.
 */
interface Introspection {
  active: boolean;
  token_type: 'access_token' | 'refresh_token' | null;
  scope: string | null;
  exp: number | null;
  sub: string | null;
  tenant_id: string | null;
  email: string | null;
  role: string | null;
}

const inactive: Introspection = {
  active: false,
  token_type: null,
  scope: null,
  exp: null,
  sub: null,
  tenant_id: null,
  email: null,
  role: null,
};

async function introspectToken(withOwningTenant: WithOwningTenant, token: string): Promise<Introspection> {
  const tokenHash = hashSecret(token);
  const known = await withOwningTenant(
    (tx, tenantId) => introspectIn(tx, tenantId, tokenHash),
    (tx) => tenantOfToken(tx, tokenHash),
  );
  return known ?? inactive;
}

async function introspectIn(tx: Tx, tenantId: string, tokenHash: Uint8Array): Promise<Introspection> {
  const found = await findToken(tx, tenantId, tokenHash);
  if (!found?.alive) return inactive;
  const [member, tenant] = await Promise.all([
    findMember(tx, tenantId, found.userId),
    readTenant(tx, tenantId),
  ]);
  if (!member?.active || !tenant?.active) return inactive;
  return {
    active: true,
    token_type: found.kind,
    scope: found.scope,
    exp: Math.floor(found.expiresAt.getTime() / 1000),
    sub: found.userId,
    tenant_id: tenantId,
    email: member.email,
    role: found.role,
  };
}

/**
 * Revokes an access or refresh token of a tenant to which the administrator has access. If it is a refresh token, ends
 * its family.
 */
async function revokeToken(withOwningTenant: WithOwningTenant, origin: Origin, token: string): Promise<void> {
  const tokenHash = hashSecret(token);
  await withOwningTenant(
    async (tx, tenantId, admin) => {
      const target = await endToken(tx, tenantId, tokenHash);
      if (target === undefined) return;
      await recordAdministration(tx, origin, admin, { action: 'token_revoked', tenantId, target });
    },
    (tx) => tenantOfToken(tx, tokenHash),
  );
}

/**
 * Ends an access token only, or a refresh token with all tokens of its family (RFC 7009, 2.1).
 * @returns the family's id; undefined if the token does not exist
 */
export async function endToken(tx: Tx, tenantId: string, tokenHash: Uint8Array): Promise<string | undefined> {
  const found = await findToken(tx, tenantId, tokenHash);
  if (!found) return undefined;
  if (found.kind === 'refresh_token') await endFamily(tx, tenantId, found.userId, found.familyId);
  else await endSession(tx, tokenHash);
  return found.familyId;
}

export const introspect = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/introspect',
      tag: 'Sign-in',
      summary: 'Introspect a token',
      description:
        'Administrators can introspect the tokens of their workspace. The role is that of the member when the token was issued.',
      body: 'form',
    },
    onlyHashed: ['token'],
  })
  .input(introspectRequest)
  .output(introspectResponse)
  .mutation(({ ctx, input }) => introspectToken(ctx.withOwningTenant, input.token));

export const revoke = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/revoke',
      tag: 'Sign-in',
      summary: 'Revoke an access or refresh token',
      description:
        'Administrators can revoke the tokens of their workspace. The response does not reveal whether the token existed.',
      body: 'form',
    },
    onlyHashed: ['token'],
  })
  .input(revokeRequest)
  .output(revokeResponse)
  .mutation(async ({ ctx, input }) => {
    await revokeToken(ctx.withOwningTenant, ctx, input.token);
    ctx.response.addCookie(clearedSessionCookie(ctx.services.settings));
    return { revoked: true };
  });
