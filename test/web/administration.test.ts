import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runExport } from '#server/workspace-export/run-export.ts';
import { listExports } from '#server/workspace-export/tenant-exports.ts';
import { enrol } from '#test/auth/mfa.ts';
import { subscriptionEvent, topUpEvent, useBillingApp } from '#test/billing/billing-app.ts';
import { addAdministrator, openOperators, operatorEnv } from '#test/factories/operators.ts';
import { join, openTeam, operator, password, signUpFounder } from '#test/factories.ts';
import { totpCode } from '#test/setup/totp.ts';
import { startAccount, type TestAccount } from '#test/storage/data-lake-account.ts';
import { signIn } from './admin.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { typeDay } from './kit.ts';

/** There is no BASE_URL, because the browser uses plain http. */
const env: Record<string, string> = { ...operatorEnv, BASE_URL: '', STORAGE_BINDING_ENABLED: 'true' };
let account: TestAccount;
beforeAll(async () => {
  account = await startAccount();
  env['STORAGE_ENDPOINT_OVERRIDE'] = account.lake.url;
});
afterAll(() => account?.lake.close());
const billing = useBillingApp(env);
const { app } = billing;
const browser = useBrowser(app);

describe.skipIf(withoutBrowser)('an administrator', () => {
  test('subscribes from the trial, returns, and buys characters', async () => {
    const founder = await signUpFounder(app);
    const { page } = await browser.person('/billing', { leavesTo: 'https://checkout.stripe.example' });
    await signIn(page, founder);
    await page.getByText('of 150,000 characters left').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Studio' }).getByText('€149 per month').waitFor();
    await page.getByRole('button', { name: 'Subscribe to Pro' }).click();
    await page.waitForURL('https://checkout.stripe.example/**');
    const [session] = billing.stripe.asked('POST', '/v1/checkout/sessions');
    expect(session?.fields['metadata[tenant_id]']).toBe(founder.tenantId);

    await page.goto(`${app.address}/billing?checkout=success`);
    await page.getByText('starts when the payment is confirmed').waitFor();
    await billing.deliver(subscriptionEvent('created', founder.tenantId, { id: 'sub_journey' }));
    await page.getByText('The payment is confirmed.').waitFor();
    await page.getByText('of 1,500,000 characters left').waitFor();
    const plan = page.getByRole('listitem').filter({ hasText: 'Your plan' });
    await plan.getByText('€49 per month').waitFor();
    await page.getByText('€29.50', { exact: true }).waitFor();

    await page.getByLabel('Amount').selectOption('2,000,000 characters');
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.waitForURL('https://checkout.stripe.example/**');
    await page.goto(`${app.address}/billing?topup=success`);
    await page.getByRole('status').getByText('added').waitFor();
    await billing.deliver(topUpEvent(founder.tenantId));
    await page.getByText('The payment is confirmed.').waitFor();
    await page.getByText('Prepaid characters left: 1,000,000').waitFor();
  });

  test('exports the workspace, and saves the zip when it is finished', async () => {
    const founder = await signUpFounder(app);
    const { page } = await browser.person('/app/settings/security');
    await signIn(page, founder);
    const exports = page.getByRole('region', { name: 'Export' });
    await exports.getByRole('button', { name: 'Create export' }).click();
    await exports.getByText('In progress').waitFor();
    await expect.poll(() => exports.getByRole('button', { name: 'Create export' }).isDisabled()).toBe(true);
    const [row] = await app.database.inTenant(founder.tenantId, (tx) => listExports(tx, founder.tenantId));
    await runExport(app.services, { tenantId: founder.tenantId, exportId: row!.exportId });
    const link = exports.getByRole('link', { name: 'Download' });
    await link.waitFor();
    const download = page.waitForEvent('download');
    await link.click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^workspace-.*\.zip$/);
    const zip = Buffer.concat(await (await file.createReadStream()).toArray());
    expect(Object.keys(unzipSync(zip))).toContain('workspace.json');
    await expect.poll(() => exports.getByRole('button', { name: 'Create export' }).isDisabled()).toBe(false);
  });

  test('sees billed characters by group, also in a table, and exports them and the usage records', async () => {
    const founder = await signUpFounder(app);
    const colleague = await join(app, founder);
    for (const [{ bearer: headers }, body] of [
      [founder, { source_text: 'Twenty-two characters.', target_lang: 'fr' }],
      [colleague, { source_text: 'Ten chars.', target_lang: 'de', domain: 'Marketing' }],
    ] as const)
      await app.json('POST', '/api/translations', { headers, body });
    const { page } = await browser.person('/app/reports');
    await signIn(page, founder);
    const billed = page.getByRole('region', { name: 'Billed characters' });
    await billed.getByRole('row', { name: /French 22 68\.8%/ }).waitFor();
    await billed.getByRole('row', { name: /German 10 31\.3%/ }).waitFor();
    await billed.locator('canvas').waitFor();
    await billed.getByText('As a table').click();
    await billed
      .getByRole('table', { name: 'Days with usage' })
      .getByRole('row', { name: / 22 10$/ })
      .waitFor();
    const textOf = async (press: () => Promise<void>) => {
      const download = page.waitForEvent('download');
      await press();
      const file = await (await download).createReadStream();
      return (await file.toArray()).join('');
    };
    await billed.getByRole('radio', { name: 'Domain' }).check();
    await billed.getByRole('row', { name: /Without a domain 22/ }).waitFor();
    const today = new Date().toISOString().slice(0, 10);
    expect(
      await textOf(() => billed.getByRole('button', { name: 'Export billed characters (CSV)' }).click()),
    ).toBe(`date,domain,billable_chars\r\n"${today}","",22\r\n"${today}","marketing",10\r\n`);
    await billed.getByRole('radio', { name: 'Member or API key' }).check();
    await billed.getByRole('row', { name: `${founder.email} 22` }).waitFor();
    await billed.getByRole('row', { name: `${colleague.email} 10` }).waitFor();

    const records = await textOf(() =>
      page.getByRole('button', { name: 'Export usage records (CSV)' }).click(),
    );
    const { body: jobs } = await app.json('GET', '/api/translations', { headers: founder.bearer });
    expect(records).toContain(jobs[0].id);
    expect(records.trim().split('\n')).toHaveLength(3);
  });

  test('connects an account, sees its error, verifies it and disconnects it', async () => {
    const founder = await signUpFounder(app);
    const { page } = await browser.person('/app/settings/storage');
    await signIn(page, founder);
    await page.getByText('Connect your own storage').click();
    await page.getByLabel('Account URL').fill('https://example.org');
    await page.getByLabel('Container', { exact: true }).fill(account.address.filesystem);
    await page.getByLabel('SAS token', { exact: true }).fill(account.sas);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^account_url /).waitFor();
    await page.getByLabel('Account URL').fill(account.address.accountUrl);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not verified').waitFor();
    expect(await page.content()).not.toContain(new URLSearchParams(account.sas).get('sig'));
    await page.getByText('A secret is stored and never shown').waitFor();

    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    await page.getByText('Jobs waiting for storage: 0 published').waitFor();
    await page.getByRole('button', { name: 'Disconnect this account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disconnect this account' });
    await dialog.getByLabel('Remove the connection').check();
    await dialog.getByRole('button', { name: 'Disconnect this account' }).click();
    await page.getByText('Platform storage.').waitFor();
  });

  test('rotates the API key with the password, and finds that in the audit log', async () => {
    const founder = await signUpFounder(app);
    const { page } = await browser.person('/app/settings/api-keys');
    await signIn(page, founder);
    await page.getByRole('button', { name: 'Rotate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Previous secret stays valid for').selectOption('Not at all');
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Rotate' }).click();
    const key = await dialog.getByLabel('API key').inputValue();
    await dialog.getByRole('button', { name: 'Done' }).click();
    const status = async (apiKey: string) =>
      (await app.json('GET', '/api/translations', { headers: { 'x-api-key': apiKey } })).status;
    expect([await status(key), await status(founder.apiKey)]).toEqual([200, 401]);

    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit' }).click();
    await page.getByLabel('Action').selectOption('API key rotated');
    await page.waitForURL('**/app/settings/audit?action=api_key_rotated');
    await page.getByRole('row').filter({ hasText: founder.email }).getByText('API key rotated').waitFor();
    expect(await page.content()).not.toContain(key);
    await typeDay(page.getByRole('main'), 'First day', '01312999');
    await page.waitForURL('**/app/settings/audit?action=api_key_rotated&since=2999-01-31');
    await page.getByText('No matching events.').waitFor();
  });

  test('as an operator sees all workspaces and the sum of usage, and provisions a workspace', async () => {
    const customer = await signUpFounder(app);
    const body = { source_text: 'Some work', target_lang: 'fr' };
    await app.json('POST', '/api/translations', { headers: customer.bearer, body });
    await openOperators(app);
    const person = await addAdministrator(app, 'first@ops.example', { enrolled: false });
    const { secret } = await enrol(app, person);
    const { body: link } = await app.json('POST', `/api/auth/users/${person.userId}/password-reset-link`, {
      headers: operator,
    });
    await app.json('POST', '/api/auth/password-reset', {
      body: { reset_token: link.reset_token, new_password: password },
    });
    const { page } = await browser.person('/app');
    await signIn(page, person);
    await page.getByLabel('Verification code').fill(totpCode(secret, 1));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('banner').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Operator' }).click();
    await page.getByText('Provision a workspace').click();
    await page.getByLabel('Name').fill('A new <b>customer</b>');
    await page.getByRole('button', { name: 'Create' }).click();
    const key = await page.getByLabel('Workspace API key').inputValue();
    const headers = { 'x-api-key': key };
    expect((await app.json('GET', '/api/translations', { headers })).status).toBe(200);
    await page.getByRole('row').filter({ hasText: 'A new <b>customer</b>' }).waitFor();
    await page.getByText('As a table').click();
    await page.getByRole('columnheader', { name: 'Tokens' }).waitFor();
  });
});

describe.skipIf(withoutBrowser)('a member without the role', () => {
  test('has no navigation entries of administrators, and sees at their URLs whom to ask', async () => {
    const team = await openTeam(app);
    const member = await team.join();
    const { page } = await browser.person('/app/settings/members');
    await signIn(page, member);
    await page.getByText('Only workspace administrators').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    for (const path of ['members', 'audit', 'usage', 'storage', 'operator']) {
      await page.goto(`/app/${path}`);
      await page.getByText('Only workspace administrators can open this page.').waitFor();
    }
    await page.goto('/billing');
    await page.getByText('Only workspace administrators can open this page.').waitFor();
    await page.goto('/app/settings/security');
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor();
    // Of the reports and settings, only those of the member.
    const links = await page.getByRole('navigation').getByRole('link').allInnerTexts();
    expect(links).toEqual(['Inbox', 'Translate', 'Files', 'Language assets', 'Reports', 'Settings']);
    expect(
      asked.filter((url) => /\/(trpc\/audit|api\/(auth\/users|tenants|storage|billing))/.test(url)),
    ).toEqual([]);
  });
});
