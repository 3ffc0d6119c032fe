import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { bearerProcedure } from '#server/identity/access/guards/session.ts';
import { endFamily } from '#server/identity/access/refresh-token-rotation.ts';
import { recordEvent } from '#server/identity/audit/audit-log.ts';

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
