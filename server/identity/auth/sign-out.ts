import type { Services } from '#server/context.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { clearedSessionCookie } from '#server/identity/access/session-cookie.ts';
import { findToken } from '#server/identity/access/tokens.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { endToken } from './introspect-revoke.ts';
import { signOutRequest, signOutResponse } from './schema.ts';

/** Ends the tokens that the client presents, each in its own tenant. Ignores unknown tokens. */
async function endPresentedTokens(
  { database }: Pick<Services, 'database'>,
  origin: Origin,
  tokens: readonly (string | null)[],
): Promise<void> {
  for (const token of tokens) {
    if (!token) continue;
    const tokenHash = hashSecret(token);
    await database.inTenantOfToken(tokenHash, async (tx, owner) => {
      const tenantId = await owner;
      if (tenantId === null) return;
      const found = await findToken(tx, tenantId, tokenHash);
      if (!found) return;
      await endToken(tx, tenantId, tokenHash);
      await recordEvent(tx, origin, {
        action: 'signed_out',
        tenantId,
        actor: { kind: 'member', userId: found.userId },
        target: found.familyId,
      });
    });
  }
}

export const signOut = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/signout',
      tag: 'Sign-in',
      summary: 'End the session of the cookie, and the session of a refresh token if one is sent',
      description: 'Needs no credential, and always succeeds.',
      body: 'form_or_json',
    },
    onlyHashed: ['refresh_token'],
  })
  .input(signOutRequest)
  .output(signOutResponse)
  .mutation(async ({ ctx, input }) => {
    await endPresentedTokens(ctx.services, ctx, [ctx.credentials.cookie, input.refresh_token ?? null]);
    // A page of another site must not change the cookie, so it must not delete the cookie either.
    if (!ctx.crossSite) ctx.response.addCookie(clearedSessionCookie(ctx.services.settings));
    return { signed_out: true };
  });
