import { afterAll, expect, test } from 'vitest';
import * as sdk from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { startAccount } from '#test/storage/data-lake-account.ts';

const account = await startAccount();
afterAll(() => account.lake.close());

const app = useTestApp({
  env: { STORAGE_BINDING_ENABLED: 'true', STORAGE_ENDPOINT_OVERRIDE: account.lake.url },
});

const { accountUrl, filesystem } = account.address;
const request = { account_url: accountUrl, filesystem, auth_mode: 'sas', secret: account.sas } as const;

test('B 4.6: a tenant binds its account, verifies it, and returns to the platform', async () => {
  const { apiKey } = await app.signUp();
  const { storage, translations } = new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
  expect(await storage.binding()).toMatchObject({ provider: 'platform', status: 'verified' });
  expect(await storage.bind(request)).toMatchObject({
    provider: 'datalake',
    account_url: accountUrl,
    status: 'unverified',
    has_secret: true,
  });
  const refused = await translations
    .create({ source_text: 'Hello', target_lang: 'fr' })
    .catch((thrown) => thrown);
  expect(refused).toBeInstanceOf(sdk.ConflictError);
  expect(refused.code).toBe('storage_binding_not_verified');
  expect(await storage.verify()).toMatchObject({
    status: 'verified',
    replay: { published: 0, failed: 0, remaining: 0 },
  });
  const job = await translations.create({ source_text: 'Hello', target_lang: 'fr' });
  expect(account.text(`golden/${job.id.slice(0, 6)}/${job.id}.json`)).toContain('[fr] Hello');
  expect(await storage.usage()).toEqual({
    provider: 'datalake',
    bytes_used: 0,
    bytes_allowed: null,
    objects: 0,
  });
  expect(await storage.unbind()).toMatchObject({ provider: 'platform', status: 'verified' });
});

test('B 4.6: what the account says is a result; what the form lacks is an error', async () => {
  const { apiKey } = await app.signUp();
  const { storage } = new sdk.LinguaLoop({ baseUrl: app.address, apiKey });
  await storage.bind({ ...request, filesystem: 'elsewhere' });
  expect(await storage.verify()).toMatchObject({
    status: 'error',
    last_error: expect.stringContaining('exist'),
  });
  const refused = await storage
    .bind({ ...request, account_url: 'https://example.org' })
    .catch((thrown) => thrown);
  expect(refused).toBeInstanceOf(sdk.UnprocessableContentError);
  expect(refused.detail).toMatch(/^account_url must be/);
});
