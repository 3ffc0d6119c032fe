import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { rateLimitSubject } from '#server/http/client-address.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import { charsPerPack, maxBalance, maxPacks } from '#server/platform/payments/tiers.ts';
import { publicAddress } from '#server/settings.ts';
import type { PayingTenant } from './account.ts';
import { requireBilling, requireTopUps } from './capabilities.ts';
import { asCustomer, type CustomerServices } from './customer.ts';
import { stateAtProcessor, subscriptionStateOf } from './subscription-state.ts';

/**
 * Checks whether the tenant may buy a top-up, before the body is parsed: the number of attempts, the subscription, and
 * whether the monthly allowance is below the ceiling.
 * @throws AppError 429, 402, 409
 */
export async function admitTopUp(ctx: RequestContext, { id, account }: PayingTenant): Promise<void> {
  const { settings } = ctx.services;
  await countTopUpAttempt(ctx, id);
  const stored = subscriptionStateOf(account.subscriptionStatus);
  if (stored !== 'current' && (await stateAtProcessor(requireBilling(ctx.services), account)) !== 'current')
    throw new AppError('payment_required', 'top-ups require an active subscription');
  if (account.monthlyCharLimit >= settings.MONTHLY_CHAR_CEILING)
    throw new AppError('state_conflict', 'the allowance already reaches the monthly ceiling');
}

/**
 * Opens a checkout for prepaid characters, after checking the number of packs and the resulting balance. The characters
 * are added when the processor's event confirms the payment.
 * @returns the URL of the processor's page for the browser
 * @throws AppError 400, 409
 */
export async function openTopUp(
  services: CustomerServices,
  tenant: PayingTenant,
  packs: number,
): Promise<string> {
  if (packs > maxPacks) throw new AppError('malformed_request', `at most ${maxPacks} packs per purchase`);
  const { topUpPurchased, topUpUsed } = tenant.account;
  const chars = packs * charsPerPack;
  if (topUpPurchased - topUpUsed + chars > maxBalance)
    throw new AppError(
      'state_conflict',
      `the prepaid balance would exceed the ceiling; use the balance first (at most ${maxBalance} characters)`,
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

/** Attempts allowed in one window for a client address, and for a tenant. */
const attemptsAllowed = 5;
const windowSeconds = 3600;

/**
 * Counts an attempt to buy a top-up, per client address and per tenant: someone who tests stolen cards uses many
 * tenants, or many addresses. Both are always counted, even if AUTH_RATE_LIMIT_ENABLED is off.
 * @throws AppError 429; after Retry-After, all exceeded windows have ended
 */
async function countTopUpAttempt(ctx: RequestContext, tenantId: string): Promise<void> {
  const address = rateLimitSubject(ctx.clientAddress);
  const counted = await ctx.services.database.inPlatform(async (tx) => [
    // The attempts are counted in the same order every time, so that concurrent calls cannot deadlock.
    await countAttempt(tx, 'topup_address', address, windowSeconds),
    await countAttempt(tx, 'topup_tenant', tenantId, windowSeconds, tx.last),
  ]);
  const spent = counted.filter(({ attempts }) => attempts > attemptsAllowed);
  if (spent.length === 0) return;
  const retryAfter = Math.max(1, ...spent.map(({ secondsLeft }) => secondsLeft));
  throw new AppError('too_many_requests', 'too many top-up attempts', { retryAfter });
}
