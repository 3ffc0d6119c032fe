import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '#server/context.ts';
import { canSell } from './capabilities.ts';
import { type PriceList, readPrices } from './prices.ts';

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
