import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { publicAddress } from '#server/settings.ts';
import { asCustomer } from './customer.ts';
import { requireBilling, requireTopUps } from './enabled.ts';
import type { PayingTenant } from './paying-tenant.ts';
import { standingAtProcessor } from './standing-at-processor.ts';
import { standingOf } from './subscription-status.ts';
import { charsPerPack, largestBalance } from './tiers.ts';
import { countTopUpAttempt } from './topup-attempts.ts';

/** Packs of one purchase (A 8). */
export const mostPacks = 5;

/**
 * A 4.5 checks 4 to 6, before the request's body is looked at.
 * @throws AppError 429, 402, 409
 */
export async function admitTopUp(ctx: RequestContext, { id, account }: PayingTenant): Promise<void> {
  const { settings } = ctx.services;
  await countTopUpAttempt(ctx, id);
  const mirrored = standingOf(account.subscriptionStatus);
  if (
    mirrored !== 'current' &&
    (await standingAtProcessor(requireBilling(ctx.services), account)) !== 'current'
  )
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
