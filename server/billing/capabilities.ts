import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import type { PaymentProcessor } from './processor.ts';

type BillingServices = Pick<Services, 'settings' | 'payments'>;

/**
 * Returns the payment processor if billing is enabled (A 4.5).
 * @throws AppError 503 if billing is off, or the processor has no key
 */
export function requireBilling({ settings, payments }: BillingServices): PaymentProcessor {
  if (!settings.BILLING_ENABLED || settings.STRIPE_SECRET_KEY === undefined || !payments)
    throw new AppError('capability_off', 'billing is not enabled');
  return payments;
}

/**
 * Returns the Price of a top-up pack (A 4.5 checks 1 and 2).
 * @throws AppError 503 if billing is off, or no Price is set
 */
export function requireTopUps(services: BillingServices): string {
  requireBilling(services);
  const { STRIPE_PRICE_TOPUP: price } = services.settings;
  if (price === undefined) throw new AppError('capability_off', 'top-ups are not configured');
  return price;
}

/**
 * Returns the payment processor if its webhook can be verified, even if billing is off (C 7).
 * @throws AppError 503 without a signing secret
 */
export function requireWebhookSecret({ settings, payments }: BillingServices): PaymentProcessor {
  if (settings.STRIPE_WEBHOOK_SECRET === undefined || !payments)
    throw new AppError('capability_off', 'the payment webhook is not configured');
  return payments;
}

/** Opens the payment processor; null if neither its key nor its webhook's secret is set. */
export async function openPaymentProcessor(settings: Settings): Promise<PaymentProcessor | null> {
  if (settings.STRIPE_SECRET_KEY === undefined && settings.STRIPE_WEBHOOK_SECRET === undefined) return null;
  // Load the package only if it is used: it is large.
  const { openStripe } = await import('./stripe.ts');
  return openStripe(settings);
}
