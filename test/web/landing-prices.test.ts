import { describe, expect, test } from 'vitest';
import { useBillingApp } from '#test/billing/billing-app.ts';
import { fail } from '#test/fakes/stripe.ts';
import { useTestApp } from '#test/setup/app.ts';
import { pricesPart } from '#web/server/landing-prices.ts';
import { en } from '#web/server/landing-words/en.ts';
import { type Locale, locales } from '#web/server/locale.ts';
import { expectAccessible } from './accessibility.ts';
import { useBrowser, withoutBrowser } from './browser.ts';

const free = useTestApp();
const selling = useBillingApp({ STRIPE_PRICE_STUDIO: 'price_gone' });
const failing = useBillingApp();
const hanging = useBillingApp();
const { person } = useBrowser(selling.app);

type At = { request: typeof free.request };

async function landing(at: At, locale: Locale = 'en') {
  const response = await at.request('/', { headers: { accept: 'text/html', 'accept-language': locale } });
  expect(response.status).toBe(200);
  return response.text();
}

/** The texts of the plans, and of the notes below them. */
function pricesOn(html: string): string[] {
  const [part = ''] = /<section class="prices".*?<\/section>/s.exec(html) ?? [];
  return [...part.matchAll(/<(h3|p)\b[^>]*>(.*?)<\/\1>/gs)].map(([, , text = '']) =>
    text.replace(/<[^>]*>/g, '').trim(),
  );
}

describe('the prices on the landing page', () => {
  test('are those of the payment processor, without the plans that have none', async () => {
    const html = await landing(selling.app);
    expect(pricesOn(html)).toEqual([
      'Personal',
      '€19 per month',
      '500,000 characters per month',
      'Pro',
      '€49 per month',
      '1,500,000 characters per month',
      'More when you need them: 1,000,000 characters for €29.50.',
    ]);
    expect(html).toContain('<a href="#prices">Prices</a>');
    selling.stripe.requests.length = 0;
    for (const locale of locales) expect(pricesOn(await landing(selling.app, locale))).toHaveLength(7);
    expect(selling.stripe.requests).toEqual([]);
  });

  test('are not shown if nothing is sold', async () => {
    const html = await landing(free);
    expect(html).not.toContain('prices');
    expect(pricesOn(html)).toEqual([]);
  });

  test('do not stop the page if they cannot be read, and visitors do not repeat the attempt', async () => {
    failing.stripe.otherwise(fail(500, { retry: false }));
    for (let visits = 0; visits < 5; visits++) expect(pricesOn(await landing(failing.app))).toEqual([]);
    // One request for each Price.
    expect(failing.stripe.requests.length).toBeLessThanOrEqual(4);
  });

  test('do not delay the page when the payment processor is silent', async () => {
    hanging.stripe.otherwise(() => new Promise(() => {}));
    const start = performance.now();
    const pages = await Promise.all(Array.from({ length: 5 }, () => landing(hanging.app)));
    expect(performance.now() - start).toBeLessThan(5000);
    for (const html of pages) expect(pricesOn(html)).toEqual([]);
  });

  test('name the time between two payments, and whether taxes are included', () => {
    const price = {
      amount: 1234.5,
      currency: 'USD',
      interval: 'month',
      interval_count: 3,
      tax: 'exclusive',
    } as const;
    const plans = [{ tier: 'pro' as const, monthly_chars: 10, price }];
    expect(pricesOn(pricesPart('en', { plans, topup: null }, en.prices) ?? '')).toEqual([
      'Pro',
      '$1,234.50 / 3 months',
      '10 characters per month',
      'Prices do not include tax.',
    ]);
  });

  test.skipIf(withoutBrowser).each(['en', 'ar'])('are accessible and fit into 320 px: %s', async (locale) => {
    const { page } = await person('/about', { locale, viewport: { width: 320, height: 640 } });
    await page.goto('/');
    await page.locator('#prices li').first().waitFor();
    await expectAccessible(page);
  });
});
