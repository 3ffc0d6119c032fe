import { countAttempt } from '#server/access/service.ts';
import { rateLimitSubject } from '#server/client-address.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress } from '#server/settings.ts';
import type { PayingTenant } from './account.ts';
import { requireBilling, requireTopUps } from './capabilities.ts';
import { asCustomer } from './customer.ts';
import { stateAtProcessor, subscriptionStateOf } from './subscription-state.ts';
import { charsPerPack, largestBalance } from './tiers.ts';

/** Packs of one purchase (A 8). */
export const mostPacks = 5;

/**
 * A 4.5 checks 4 to 6, before the request's body is looked at.
 * @throws AppError 429, 402, 409
 */
export async function admitTopUp(ctx: RequestContext, { id, account }: PayingTenant): Promise<void> {
  const { settings } = ctx.services;
  await countTopUpAttempt(ctx, id);
  const mirrored = subscriptionStateOf(account.subscriptionStatus);
  if (mirrored !== 'current' && (await stateAtProcessor(requireBilling(ctx.services), account)) !== 'current')
    throw new AppError('payment_required', 'top-ups require an active subscription');
  if (account.monthlyCharLimit >= settings.MONTHLY_CHAR_CEILING)
    throw new AppError('state_conflict', 'the allowance already reaches the monthly ceiling');
}

/**
 * Opens a checkout of prepaid characters, after A 4.5 checks 7 and 8; answers where to send the browser. Nothing is credited
 * until the processor tells of the payment.
 * @throws AppError 400, 409
 */
export async function openTopUp(services: Services, tenant: PayingTenant, packs: number): Promise<string> {
  if (packs > mostPacks) throw new AppError('malformed_request', `at most ${mostPacks} packs per purchase`);
  const { topUpPurchased, topUpUsed } = tenant.account;
  const chars = packs * charsPerPack;
  if (topUpPurchased - topUpUsed + chars > largestBalance)
    throw new AppError(
      'state_conflict',
      `the prepaid balance would exceed the ceiling; use the balance first (at most ${largestBalance} characters)`,
    );
  const payments = requireBilling(services);
  const price = requireTopUps(services);
  const page = `${publicAddress(services.settings)}/billing`;
  return asCustomer(services, tenant, (customerId) =>
    payments.openPaymentCheckout({
      tenantId: tenant.id,
      customerId,
      price,
      packs,
      chars,
      successUrl: `${page}?topup=success`,
      cancelUrl: `${page}?topup=cancelled`,
    }),
  );
}

/** Attempts of one client address, and of one tenant, in one window (A 4.5 check 4). */
const attemptsAllowed = 5;
const windowSeconds = 3600;

/**
 * Counts an attempt to buy a top-up, by the client's address and by the tenant: both whatever the other says, and whatever
 * the switch of the sign-ins' limits says. Who tries stolen cards has many tenants, or many addresses.
 * @throws AppError 429 with Retry-After, until both windows that are spent have ended
 */
async function countTopUpAttempt(ctx: RequestContext, tenantId: string): Promise<void> {
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
