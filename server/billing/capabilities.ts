import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { PaymentProcessor } from '#server/platform/payments/processor.ts';
import type { Settings } from '#server/settings.ts';

type BillingServices = Pick<Services, 'settings' | 'payments'>;

/** Selling needs both settings: without the webhook secret, a payment would be taken and never recorded. */
const credentials = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'] as const;

/**
 * Returns a warning if billing is enabled but nothing can be sold, because a credential of the processor is missing.
 * Work is still metered and still needs a subscription or a trial; only the payment pages are closed.
 * @returns null if billing is off, or if all credentials are set
 */
export function billingNotice(settings: Settings): string | null {
  const missing = credentials.filter((name) => settings[name] === undefined);
  if (!settings.BILLING_ENABLED || missing.length === 0) return null;
  return `BILLING_ENABLED is on, but ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set: purchases are rejected with 503, and translations of workspaces without a subscription or free trial with 402`;
}

/** Whether plans and top-ups can be bought. */
export function canSell({ settings, payments }: BillingServices): boolean {
  return settings.BILLING_ENABLED && payments !== null && billingNotice(settings) === null;
}

/**
 * Returns the payment processor if billing is enabled.
 * @throws AppError 503 if billing is off, or a credential of the processor is missing
 */
export function requireBilling(services: BillingServices): PaymentProcessor {
  if (!services.payments || !canSell(services))
    throw new AppError('capability_off', 'billing is not enabled');
  return services.payments;
}

/**
 * Returns the Price of a top-up pack.
 * @throws AppError 503 if billing is off, or no Price is set
 */
export function requireTopUps(services: BillingServices): string {
  requireBilling(services);
  const { STRIPE_PRICE_TOPUP: price } = services.settings;
  if (price === undefined) throw new AppError('capability_off', 'top-ups are not configured');
  return price;
}

/**
 * Returns the payment processor if its webhook deliveries can be verified, even if billing is off.
 * @throws AppError 503 without a signing secret
 */
export function requireWebhookSecret({ settings, payments }: BillingServices): PaymentProcessor {
  if (settings.STRIPE_WEBHOOK_SECRET === undefined || !payments)
    throw new AppError('capability_off', 'the payment webhook is not configured');
  return payments;
}

/** Opens the payment processor; null if neither its API key nor its webhook secret is set. */
export async function openPaymentProcessor(settings: Settings): Promise<PaymentProcessor | null> {
  if (settings.STRIPE_SECRET_KEY === undefined && settings.STRIPE_WEBHOOK_SECRET === undefined) return null;
  // Load the package only if needed: it is large.
  const { openStripe } = await import('#server/platform/payments/stripe.ts');
  return openStripe(settings);
}
