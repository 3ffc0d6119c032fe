import type { Tx } from '#db/client.ts';
import { lockMember, notSignedIn, withSessionCookie } from '#server/access/service.ts';
import type { RequestContext } from '#server/context.ts';
import { procedure } from '#server/trpc.ts';
import { type Claimant, lockChallenge, readChallengeId } from './challenge.ts';

/**
 * Opens a transaction as the member who enrolls, its row locked: by the challenge that is given, which must be pending,
 * else by the session cookie; never by a bearer. 401 `authentication required` where neither is good.
 */
export type WithClaimant = <T>(
  challengeId: string | undefined,
  work: (tx: Tx, claimant: Claimant) => Promise<T>,
) => Promise<T>;

function withClaimantOf(ctx: RequestContext): WithClaimant {
  return async (challengeId, work) => {
    if (challengeId !== undefined) {
      const key = readChallengeId(challengeId);
      if (!key) throw notSignedIn();
      return ctx.services.database.inTenant(key.tenantId, async (tx) => {
        const claimant = await lockChallenge(tx, key);
        if (!claimant) throw notSignedIn();
        return work(tx, claimant);
      });
    }
    return withSessionCookie(ctx, async (tx, { tenant, user: { id }, family }) => {
      const user = await lockMember(tx, tenant.id, id);
      if (!user?.active) throw notSignedIn();
      return work(tx, { user, challenge: null, familyId: family.id });
    });
  };
}

/** A 5.2 "Challenge or cookie": the challenge is in the input, so the body calls `ctx.withClaimant` with it. */
export const challengeOrCookieProcedure = procedure
  .meta({ guard: 'challenge_or_cookie' })
  .use(({ ctx, next }) => next({ ctx: { withClaimant: withClaimantOf(ctx) } }));
