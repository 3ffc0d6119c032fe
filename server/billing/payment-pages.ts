import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { rateLimitSubject } from '#server/http/client-address.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import { isNoSuchCustomer } from '#server/platform/payments/processor.ts';
import {
  charsPerPack,
  maxBalance,
  maxPacks,
  type Tier,
  tierPrices,
} from '#server/platform/payments/tiers.ts';
import { publicAddress } from '#server/settings.ts';
import {
  lockBilledTenant,
  type PayingTenant,
  readBillingAccount,
  stateAtProcessor,
  subscriptionStateOf,
  updateBilledTenant,
} from './account.ts';
import { requireBilling, requireTopUps } from './capabilities.ts';

/**
 * Opens a checkout for a tier.
 * @returns the URL of the processor's page for the browser
 * @throws AppError 503 for a tier that is not sold; 409 if the tenant's subscription is current or lapsed
 */
export async function openCheckout(
  services: CustomerServices,
  tenant: PayingTenant,
  tier: Tier,
): Promise<string> {
  const payments = requireBilling(services);
  const price = tierPrices(services.settings)[tier];
  if (price === undefined)
    throw new AppError('capability_off', 'this plan is not available on this deployment');
  const state = await stateAtProcessor(payments, tenant.account);
  if (state === 'current')
    throw new AppError('state_conflict', 'already subscribed; change the plan in the billing portal');
  if (state === 'lapsed')
    throw new AppError(
      'state_conflict',
      'your subscription needs attention; update the payment method in the billing portal',
    );
  const page = `${publicAddress(services.settings)}/billing`;
  return asCustomer(services, tenant, (customerId) =>
    payments.openSubscriptionCheckout({
      tenantId: tenant.id,
      customerId,
      tier,
      price,
      successUrl: `${page}?checkout=success`,
      cancelUrl: `${page}?checkout=cancelled`,
    }),
  );
}

/**
 * Opens the portal in which the tenant changes its plan and card.
 * @returns the URL of the processor's page for the browser; the URL works once
 * @throws AppError 409 if the tenant has never opened a checkout, or if its customer no longer exists
 */
export async function openPortal(services: CustomerServices, { id, account }: PayingTenant): Promise<string> {
  const payments = requireBilling(services);
  const { customerId } = account;
  if (customerId === null) throw noCustomer();
  try {
    return await payments.openPortal({
      customerId,
      returnUrl: `${publicAddress(services.settings)}/billing`,
    });
  } catch (error) {
    if (!isNoSuchCustomer(error)) throw error;
    await forgetCustomer(services, id, customerId);
    throw noCustomer();
  }
}

function noCustomer(): AppError {
  return new AppError('state_conflict', 'no Stripe customer for this workspace yet; run checkout first');
}

/** The services needed to call the processor for a tenant. */
type CustomerServices = Pick<Services, 'database' | 'settings' | 'payments'>;

const customerKey = 'pay_customer_id';

/**
 * Calls `work` with the tenant's customer id at the processor. Creates the customer when it is first needed, and again
 * if the processor no longer has it. Concurrent first calls create two customers: the one that is stored first belongs
 * to the tenant, and the other is never used.
 */
async function asCustomer<T>(
  services: CustomerServices,
  { id: tenantId, name, account }: PayingTenant,
  work: (customerId: string) => Promise<T>,
): Promise<T> {
  let known = account.customerId;
  if (known !== null) {
    try {
      return await work(known);
    } catch (error) {
      if (!isNoSuchCustomer(error)) throw error;
      known = await forgetCustomer(services, tenantId, known);
    }
  }
  if (known !== null) return work(known);
  const made = await requireBilling(services).createCustomer({ id: tenantId, name });
  return work(await keepCustomer(services, tenantId, made));
}

/** Stores a customer id, unless the tenant already has one. Returns the tenant's customer id after the call. */
async function keepCustomer({ database }: CustomerServices, tenantId: string, made: string): Promise<string> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    const stored = row && readBillingAccount(row).customerId;
    if (stored) return stored;
    await updateBilledTenant(tx, tenantId, { metadata: { [customerKey]: made } });
    return made;
  });
}

/**
 * Removes the id of a customer that no longer exists, unless the tenant has another id by now. Returns the tenant's
 * customer id after the call.
 */
async function forgetCustomer(
  { database }: CustomerServices,
  tenantId: string,
  stale: string,
): Promise<string | null> {
  return database.inTenant(tenantId, async (tx) => {
    const row = await lockBilledTenant(tx, tenantId);
    const stored = row ? readBillingAccount(row).customerId : null;
    if (stored !== stale) return stored;
    await updateBilledTenant(tx, tenantId, { metadata: {}, without: [customerKey] });
    return null;
  });
}

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
