import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityHeader, useTokenEndpoint } from '#test/fakes/azure-identity.ts';
import { startAccount, type TestAccount } from './data-lake-account.ts';

const path = 'tenant/golden/record.json';
let account: TestAccount;
const identity = useTokenEndpoint();
beforeEach(async () => {
  account = await startAccount();
  identity.answer = {
    status: 200,
    body: {
      access_token: account.bearer,
      expires_on: String(Math.floor(Date.now() / 1000) + 3600),
      resource: 'https://storage.azure.com',
      token_type: 'Bearer',
    },
  };
});
afterEach(() => account.lake.close());

const open = (principalClientId: string) =>
  account.open({ credential: { mode: 'managed_identity' }, principalClientId });

test('the identity named by STORAGE_PRINCIPAL_CLIENT_ID gets a token for storage, and access with it', async () => {
  const clientId = randomUUID();
  const store = open(clientId);
  await store.put(path, 'x');
  expect(account.text(path)).toBe('x');
  expect(Buffer.from((await store.read(path, 0, 10))!).toString()).toBe('x');
  expect(identity.asked[0]?.query.get('client_id')).toBe(clientId);
  expect(identity.asked[0]?.query.get('resource')).toMatch(/^https:\/\/storage\.azure\.com\/?$/);
  expect(identity.asked[0]?.headers['x-identity-header']).toBe(identityHeader);
  for (const request of account.lake.requests)
    expect(request.headers['authorization']).toBe(`Bearer ${account.bearer}`);
});

test('stores of one process share a token', async () => {
  const clientId = randomUUID();
  for (let i = 0; i < 3; i++) await open(clientId).put(path, `${i}`);
  expect(identity.asked).toHaveLength(1);
});

test('without a token nothing is sent to the account, and the error says why', async () => {
  identity.answer = {
    status: 400,
    body: { error: 'invalid_request', error_description: 'Identity not found' },
  };
  const failure: unknown = await open(randomUUID())
    .put(path, 'x')
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'StoreError', status: null });
  expect((failure as Error).message).toMatch(/Identity not found|invalid_request/);
  expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(identityHeader);
  expect(account.lake.requests).toEqual([]);
});

test('a token that the account refuses is an error with its status, and is not printed', async () => {
  identity.answer.body = { ...identity.answer.body, access_token: 'refused-token' };
  const failure: unknown = await open(randomUUID())
    .put(path, 'x')
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'StoreError', status: 401, code: 'InvalidAuthenticationInfo' });
  expect(inspect(failure, { depth: null, showHidden: true })).not.toContain('refused-token');
});
