import type { Settings } from '#server/settings.ts';
import type { PaymentProcessor } from './processor.ts';

/** The payment processor that the settings name; null where neither its key nor its webhook's secret is set. */
export async function openPaymentProcessor(settings: Settings): Promise<PaymentProcessor | null> {
  if (settings.STRIPE_SECRET_KEY === undefined && settings.STRIPE_WEBHOOK_SECRET === undefined) return null;
  // Loaded only where it is used: the package is large.
  const { openStripe } = await import('./stripe.ts');
  return openStripe(settings);
}
