import { countAttempt } from '#server/access/service.ts';
import { rateLimitSubject } from '#server/client-address.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/** Attempts of one client address, and of one tenant, in one window (A 4.5 check 4). */
const attemptsAllowed = 5;
const windowSeconds = 3600;

/**
 * Counts an attempt to buy a top-up, by the client's address and by the tenant: both whatever the other says, and whatever
 * the switch of the sign-ins' limits says. Who tries stolen cards has many tenants, or many addresses.
 * @throws AppError 429 with Retry-After, until both windows that are spent have ended
 */
export async function countTopUpAttempt(ctx: RequestContext, tenantId: string): Promise<void> {
  const address = rateLimitSubject(ctx.clientAddress);
  const counted = await ctx.services.database.inPlatform(async (tx) => [
    // Always in this order, so that two at one time cannot wait for each other.
    await countAttempt(tx, 'topup_address', address, windowSeconds),
    await countAttempt(tx, 'topup_tenant', tenantId, windowSeconds, tx.last),
  ]);
  const spent = counted.filter(({ attempts }) => attempts > attemptsAllowed);
  if (spent.length === 0) return;
  const retryAfter = Math.max(1, ...spent.map(({ secondsLeft }) => secondsLeft));
  throw new AppError('too_many_requests', 'too many top-up attempts', { retryAfter });
}
