import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import type { PaymentProcessor } from './processor.ts';

type Sold = Pick<Services, 'settings' | 'payments'>;

/**
 * The payment processor of a deployment that sells (A 4.5).
 * @throws AppError 503 where billing is off or has no key
 */
export function requireBilling({ settings, payments }: Sold): PaymentProcessor {
  if (!settings.BILLING_ENABLED || settings.STRIPE_SECRET_KEY === undefined || !payments)
    throw new AppError('capability_off', 'billing is not enabled');
  return payments;
}

/**
 * The Price of a top-up pack (A 4.5 checks 1 and 2).
 * @throws AppError 503 where billing is off, or no Price is set
 */
export function requireTopUps(services: Sold): string {
  requireBilling(services);
  const { STRIPE_PRICE_TOPUP: price } = services.settings;
  if (price === undefined) throw new AppError('capability_off', 'top-ups are not configured');
  return price;
}

/**
 * The payment processor whose deliveries can be verified; whether anything is sold does not matter (C 7).
 * @throws AppError 503 without a signing secret
 */
export function requireWebhookSecret({ settings, payments }: Sold): PaymentProcessor {
  if (settings.STRIPE_WEBHOOK_SECRET === undefined || !payments)
    throw new AppError('capability_off', 'the payment webhook is not configured');
  return payments;
}

/** The payment processor that the settings name; null where neither its key nor its webhook's secret is set. */
export async function openPaymentProcessor(settings: Settings): Promise<PaymentProcessor | null> {
  if (settings.STRIPE_SECRET_KEY === undefined && settings.STRIPE_WEBHOOK_SECRET === undefined) return null;
  // Loaded only where it is used: the package is large.
  const { openStripe } = await import('./stripe.ts');
  return openStripe(settings);
}
