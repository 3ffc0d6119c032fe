import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startAccount, type TestAccount } from './data-lake-account.ts';

/*
 * Emulates the token endpoint of an App Service, which @azure/identity uses if IDENTITY_ENDPOINT is set. A process
 * keeps the endpoint that it has found, and the token for each client ID, so each test has its own client ID.
 */

const path = 'tenant/golden/record.json';
const header = 'the-endpoint-wants-this';

let account: TestAccount;
let asked: { query: URLSearchParams; headers: IncomingHttpHeaders }[];
let answer: { status: number; body: object };

const endpoint = createServer((request, response) => {
  asked.push({ query: new URL(request.url ?? '', 'http://x').searchParams, headers: request.headers });
  response.writeHead(answer.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(answer.body));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  process.env['IDENTITY_ENDPOINT'] = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/token`;
  process.env['IDENTITY_HEADER'] = header;
});
afterAll(() => {
  delete process.env['IDENTITY_ENDPOINT'];
  delete process.env['IDENTITY_HEADER'];
  endpoint.close();
});

beforeEach(async () => {
  account = await startAccount();
  asked = [];
  answer = {
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
  expect(asked[0]?.query.get('client_id')).toBe(clientId);
  expect(asked[0]?.query.get('resource')).toMatch(/^https:\/\/storage\.azure\.com\/?$/);
  expect(asked[0]?.headers['x-identity-header']).toBe(header);
  for (const request of account.lake.requests)
    expect(request.headers['authorization']).toBe(`Bearer ${account.bearer}`);
});

test('stores of one process share a token', async () => {
  const clientId = randomUUID();
  for (let i = 0; i < 3; i++) await open(clientId).put(path, `${i}`);
  expect(asked).toHaveLength(1);
});

test('without a token nothing is sent to the account, and the error says why', async () => {
  answer = { status: 400, body: { error: 'invalid_request', error_description: 'Identity not found' } };
  const failure: unknown = await open(randomUUID())
    .put(path, 'x')
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'StoreError', status: null });
  expect((failure as Error).message).toMatch(/Identity not found|invalid_request/);
  expect(inspect(failure, { depth: null, showHidden: true })).not.toContain(header);
  expect(account.lake.requests).toEqual([]);
});

test('a token that the account refuses is an error with its status, and is not printed', async () => {
  answer.body = { ...answer.body, access_token: 'refused-token' };
  const failure: unknown = await open(randomUUID())
    .put(path, 'x')
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: 'StoreError', status: 401, code: 'InvalidAuthenticationInfo' });
  expect(inspect(failure, { depth: null, showHidden: true })).not.toContain('refused-token');
});
