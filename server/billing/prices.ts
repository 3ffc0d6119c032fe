import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Services } from '#server/context.ts';
import type { Price } from '#server/platform/payments/processor.ts';
import { charsPerPack, includedChars, tierPrices, tiers } from '#server/platform/payments/tiers.ts';
import { canSell, requireBilling } from './capabilities.ts';

const price = z
  .object({
    amount: z.number().meta({ description: 'in the currency’s main unit, such as 49.5' }),
    currency: z.string().meta({ description: 'ISO 4217, in upper case' }),
    interval: z
      .enum(['day', 'week', 'month', 'year'])
      .nullable()
      .meta({ description: 'how often it is paid; null for a one-time payment' }),
    interval_count: z.int().min(1).meta({ description: 'the number of intervals between two payments' }),
    tax: z.enum(['inclusive', 'exclusive']).nullable().meta({ description: 'null if not known' }),
  })
  .nullable()
  .meta({ description: 'null if the amount is not fixed, or if the Price does not exist' });

/** The items that the deployment sells, with their prices at the payment processor. */
export const priceList = z.object({
  plans: z
    .array(
      z.object({
        tier: z.enum(tiers as [keyof typeof includedChars]).describe('The plan.'),
        monthly_chars: z.int().describe('Weighted characters per month.'),
        price,
      }),
    )
    .meta({ description: 'the plans that are sold, smallest first' }),
  topup: z
    .object({ chars: z.int().describe('Weighted characters per pack.'), price })
    .nullable()
    .meta({ description: 'a pack of prepaid characters; null if none are sold' }),
});

export type PriceList = z.infer<typeof priceList>;

/** Milliseconds for which a price that was read stays valid. */
const validMs = 600_000;

/** Prices that were read, by processor and id: at most one for each setting of a Price. */
const known = new WeakMap<object, Map<string, { price: Price | null; readAt: number }>>();

/**
 * Returns the prices of the plans and of prepaid characters. The payment processor is asked at most once in ten minutes
 * for each price.
 * @throws AppError 503 if billing is off; ProcessorError
 */
export async function readPrices(services: Pick<Services, 'settings' | 'payments'>): Promise<PriceList> {
  const payments = requireBilling(services);
  const cache = known.get(payments) ?? new Map<string, { price: Price | null; readAt: number }>();
  known.set(payments, cache);
  const read = async (id: string) => {
    const found = cache.get(id);
    if (found && Date.now() - found.readAt < validMs) return found.price;
    const price = await payments.readPrice(id);
    cache.set(id, { price, readAt: Date.now() });
    return price;
  };
  const ids = tierPrices(services.settings);
  const pack = services.settings.STRIPE_PRICE_TOPUP;
  const [plans, topup] = await Promise.all([
    Promise.all(
      tiers.flatMap((tier) => {
        const id = ids[tier];
        return id === undefined
          ? []
          : [read(id).then((price) => ({ tier, monthly_chars: includedChars[tier], price }))];
      }),
    ),
    pack === undefined ? null : read(pack).then((price) => ({ chars: charsPerPack, price })),
  ]);
  return { plans, topup };
}

/** Maximum delay of a visitor's page by prices that are not known yet, in milliseconds. */
const maxDelay = 1000;

/** Milliseconds between two attempts to read the prices. */
const pause = 60_000;

/**
 * Returns a function that returns the prices for visitors without an account; null if nothing is sold, or if the prices
 * are not known. The payment processor does not delay a visitor for more than a second, and the number of visitors does
 * not increase the number of requests to it: one read runs at a time, and a failed one is repeated after a minute.
 */
export function publishPrices(
  services: Pick<Services, 'settings' | 'payments' | 'log'>,
): () => Promise<PriceList | null> {
  if (!canSell(services)) return async () => null;
  let known: PriceList | null = null;
  let lastAttempt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> = Promise.resolve();
  const read = async () => {
    try {
      known = await readPrices(services);
    } catch (error) {
      services.log.warn({ err: error }, 'the landing page cannot show prices');
    }
  };
  return async () => {
    if (performance.now() - lastAttempt > pause) {
      lastAttempt = performance.now();
      reading = read();
    }
    if (known === null) {
      const waiting = new AbortController();
      await Promise.race([reading, delay(maxDelay, undefined, { signal: waiting.signal }).catch(() => {})]);
      waiting.abort();
    }
    return known;
  };
}
