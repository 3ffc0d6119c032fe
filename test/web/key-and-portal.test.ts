import { describe, expect, test } from 'vitest';
import { lockMember, newFamily, startSession } from '#server/identity/access/sessions.ts';
import { subscriptionEvent, useBillingApp } from '#test/billing/billing-app.ts';
import { found, foundEnrolled } from '#test/factories.ts';
import { totpCode } from '#test/setup/totp.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { signInAt } from './reviewing.ts';

/** There is no BASE_URL, because the browser uses plain http. */
const billing = useBillingApp({ BASE_URL: '' });
const { app } = billing;
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('an administrator', () => {
  test('rotates the API key with an authenticator code, after a wrong one', async () => {
    const founder = await foundEnrolled(app);
    const { secret } = founder;
    const { page, context } = await browser.person('/about');
    // The session is created without a sign-in, which would use up the only valid code of these 30 seconds.
    const { refreshToken: value } = await app.database.inTenant(founder.tenantId, async (tx) => {
      const member = await lockMember(tx, founder.tenantId, founder.userId);
      if (!member) throw new Error('no such member');
      return startSession(tx, member, app.services.settings, newFamily({ secondFactor: true }));
    });
    const url = new URL('/signin', app.address).href;
    await context.addCookies([{ name: 'll_refresh', value, url, httpOnly: true, sameSite: 'Strict' }]);
    await page.goto('/app/settings/api-keys');
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Previous secret stays valid for').selectOption('Not at all');
    const code = dialog.getByLabel('Verification code');
    const replace = dialog.getByRole('button', { name: 'Rotate' });
    const good = totpCode(secret, 1);
    await code.fill(good === '000000' ? '000001' : '000000');
    await replace.click();
    await page.locator('.problem, .field-problem').first().waitFor();
    const status = async (key: string) =>
      (await app.json('GET', '/api/translations', { headers: { 'x-api-key': key } })).status;
    expect(await status(founder.apiKey)).toBe(200);
    await code.fill(good);
    await replace.click();
    const key = await dialog.getByLabel('API key').inputValue();
    expect([await status(key), await status(founder.apiKey)]).toEqual([200, 401]);
  });

  test('is told that a payment failed, what to do, and that prepaid characters stay', async () => {
    const founder = await found(app);
    await billing.note(founder.tenantId, {
      ...{ pay_subscription_status: 'past_due', pay_customer_id: 'cus_unpaid', pay_tier: 'pro' },
      topup_chars_purchased: 50_000,
    });
    const { page } = await browser.person('/billing');
    await signInAt(page, founder);
    await page.getByRole('alert').getByText('A payment failed. Until it succeeds').waitFor();
    await page.getByText('Payment failed', { exact: true }).waitFor();
    await page.getByText('Update the payment method in the billing portal.').waitFor();
    await page.getByText('Prepaid characters left: 50,000').waitFor();
    await page.getByText('You keep your prepaid characters').waitFor();
    expect(await page.getByText('Translating needs a plan.').count()).toBe(0);
  });

  test("opens Stripe's portal as the customer of the workspace, and returns to billing", async () => {
    const founder = await found(app);
    const customer = 'cus_portal';
    billing.stripe.subscribe(customer, { status: 'active' });
    const event = subscriptionEvent('created', founder.tenantId, { id: 'sub_portal', customer });
    expect((await billing.deliver(event)).status).toBe(200);
    await billing.note(founder.tenantId, { pay_customer_id: customer });
    const origin = 'https://billing.stripe.example';
    const { page } = await browser.person('/billing', { leavesTo: origin });
    await signInAt(page, founder);
    await page.getByRole('button', { name: 'Open the billing portal' }).click();
    await page.waitForURL(`${origin}/**`);
    const [asked] = billing.stripe.asked('POST', '/v1/billing_portal/sessions');
    expect(asked?.fields).toMatchObject({ customer });
    const back = new URL(String(asked?.fields['return_url']));
    await page.goto(`${app.address}${back.pathname}${back.search}`);
    await page.getByRole('heading', { name: 'Billing', level: 1 }).waitFor();

    // The test includes a customer that was deleted at Stripe.
    billing.stripe.deleteCustomer(customer);
    await page.getByRole('button', { name: 'Open the billing portal' }).click();
    await page.getByRole('alert').getByText('Subscribe to a plan first').waitFor();
  });
});
