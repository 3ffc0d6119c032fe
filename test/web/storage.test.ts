import { afterAll, describe, expect, test } from 'vitest';
import { found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { impatient } from '#test/storage/bound-workspace.ts';
import { startAccount } from '#test/storage/data-lake-account.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { useBrowser, withoutBrowser } from './browser.ts';
import { field, memberAt, openReview, patient, waitingJobs } from './reviewing.ts';

const account = await startAccount();
afterAll(() => account.lake.close());
const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    STORAGE_BINDING_ENABLED: 'true',
    STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
  },
  accountTimes: impatient,
});
const browser = useBrowser(app);
let workspaces = 0;

/**
 * Connects a workspace's own container over the API.
 * @returns a function that connects it again, so that the binding is unverified
 */
async function binding({ key: headers }: Person) {
  workspaces += 1;
  const filesystem = `journey${workspaces}`;
  account.lake.addFilesystem(account.name, filesystem);
  const bind = async (secret = account.sas) => {
    const body = { account_url: account.address.accountUrl, filesystem, auth_mode: 'sas', secret };
    expect((await app.json('PUT', '/api/storage/binding', { headers, body })).status).toBe(200);
  };
  await bind();
  return {
    bind,
    verify: async () => (await app.json('POST', '/api/storage/binding/verify', { headers })).body.status,
    files: () => [...account.lake.files(account.name, filesystem).keys()],
  };
}

describe.skipIf(withoutBrowser)('an administrator whose workspace has connected an account', () => {
  test("reads the provider's message about a wrong secret, and corrects it", async () => {
    const founder = await found(app);
    const { bind } = await binding(founder);
    await bind(account.sas.replace(/sig=[^&]+/, 'sig=d3Jvbmc%3D'));
    const { page } = await memberAt(browser, founder, '/app/settings/storage');
    await page.getByText('New jobs are rejected until the storage is verified').waitFor();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Not working', { exact: true }).waitFor();
    await page.getByText('The last check failed:').waitFor();
    expect(await page.locator('.problem').innerText()).toContain('Server failed to authenticate the request');
    await page.getByLabel('SAS token', { exact: true }).fill(account.sas);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not verified', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Verified', { exact: true }).waitFor();
    expect(await page.getByText('The last check failed:').count()).toBe(0);
    expect(await page.content()).not.toContain(new URLSearchParams(account.sas).get('sig'));
  });

  test('is asked for another secret when the account changes', async () => {
    const founder = await found(app);
    await binding(founder);
    const { page } = await memberAt(browser, founder, '/app/settings/storage');
    const secret = page.getByLabel('SAS token', { exact: true });
    const isRequired = () => secret.evaluate((input: HTMLInputElement) => input.required);
    await secret.waitFor();
    expect(await isRequired()).toBe(false);
    await page.getByLabel('Account URL').fill('https://fabrikam.dfs.core.windows.net');
    expect(await isRequired()).toBe(true);
  });

  test('publishes the jobs that were approved while the account could not be used, after verifying it', async () => {
    const founder = await found(app);
    const { bind, verify, files } = await binding(founder);
    expect(await verify()).toBe('verified');
    const [job] = await waitingJobs(app, founder.key, ['A text for the account']);
    await bind();
    const { page } = await memberAt(browser, founder, '/app');
    await openReview(page);
    await field(page).press('Control+Enter');
    const status = async () =>
      (await app.json('GET', `/api/translations/${job?.id}`, { headers: founder.key })).body.status;
    await expect.poll(status, patient).toBe('persistence_failed');
    expect(files().filter((path) => path.startsWith('golden/'))).toEqual([]);
    await withWorkers(app, async () => {
      await page.goto('/app/settings/storage');
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Jobs waiting for storage: 1 published, 0 failed').waitFor();
    });
    await expect.poll(status, patient).toBe('published');
    expect(files().some((path) => path.includes(job?.id ?? 'none'))).toBe(true);
  });
});
