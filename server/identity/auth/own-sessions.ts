import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { endFamily } from '#server/identity/access/refresh-token-rotation.ts';
import { clearedSessionCookie } from '#server/identity/access/session-cookie.ts';
import { findToken } from '#server/identity/access/tokens.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { endToken } from './introspect-revoke.ts';
import { signOutRequest, signOutResponse } from './schema.ts';

/*
 * The sessions of the signed-in member. The procedures have no route, so only /trpc serves them.
 */

const session = z.object({
  id: z.string(),
  is_current: z.boolean(),
  /** The program and system, such as `Firefox, Linux`; null if unknown. */
  agent: z.string().nullable(),
  /** The network, such as `192.0.2.0/24`; null if unknown. */
  network: z.string().nullable(),
  signed_in_at: z.string(),
  /** Accurate to the life of an access token. */
  last_used_at: z.string(),
});

/** Sessions that are returned, the last used first. */
const maxSessions = 100;

async function sessionsOf(tx: Tx, tenantId: string, userId: string) {
  return tx.execute<{
    id: string;
    agent: string | null;
    network: string | null;
    began: string;
    used: string;
  }>(sql`
    select family_id as id, (array_agg(agent order by issued_at desc))[1] as agent,
      (array_agg(network order by issued_at desc))[1] as network,
      to_json(min(family_began_at))#>>'{}' as began, to_json(max(issued_at))#>>'{}' as used
    from tokens
    where tenant_id = ${tenantId} and user_id = ${userId} and expires_at > now() and consumed_at is null
    group by family_id order by max(issued_at) desc, family_id limit ${maxSessions}`);
}

export const listSessions = bearerProcedure
  .output(z.object({ sessions: z.array(session) }))
  .query(async ({ ctx: { tx, principal } }) => {
    const rows = await sessionsOf(tx, principal.tenant.id, principal.user.id);
    const sessions = rows.map(({ id, agent, network, began, used }) => ({
      ...{ id, agent, network, is_current: id === principal.family.id },
      signed_in_at: new Date(began).toISOString(),
      last_used_at: new Date(used).toISOString(),
    }));
    return { sessions };
  });

export const endOwnSession = bearerProcedure
  .input(z.strictObject({ session_id: z.string().max(200) }))
  .output(z.object({ ended: z.literal(true) }))
  .mutation(async ({ ctx, input: { session_id: familyId } }) => {
    const { tx, principal } = ctx;
    const [tenantId, userId] = [principal.tenant.id, principal.user.id];
    if ((await endFamily(tx, tenantId, userId, familyId)) === 0)
      throw new AppError('not_found', 'session not found');
    await recordEvent(tx, ctx, {
      action: 'signed_out',
      tenantId,
      actor: { kind: 'member', userId },
      target: familyId,
    });
    return { ended: true };
  });

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
