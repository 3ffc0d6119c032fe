import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type AccountStore, StoreError } from '#server/platform/stores/blob-store.ts';
import { accountClient } from '#server/platform/stores/data-lake/account-client.ts';
import { refusedResponse } from '#server/platform/stores/data-lake/failures.ts';
import { openConnections } from '#server/platform/stores/data-lake/filesystem.ts';
import { type DataLakeOptions, openDataLake } from '#server/platform/stores/data-lake.ts';
import { listen } from '#test/fakes/http-server.ts';
import { startAccount, type TestAccount } from './data-lake-account.ts';

const path = 'tenant/golden/record.json';

let account: TestAccount;
beforeEach(async () => {
  account = await startAccount();
});
afterEach(() => account.lake.close());

/** All operations of a store. */
const operations: Record<string, (store: AccountStore) => Promise<unknown>> = {
  put: (store) => store.put(path, 'x'),
  appendLine: (store) => store.appendLine(path, 'x'),
  read: (store) => store.read(path, 0, 1),
  stream: (store) => store.stream(path),
  list: (store) => store.list('tenant/golden'),
  lastWritten: (store) => store.lastWritten(path),
  remove: (store) => store.remove(path),
};

async function failureOf(work: Promise<unknown>): Promise<StoreError> {
  const error = await work.then(
    () => expect.fail('should have failed'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StoreError);
  return error as StoreError;
}

/** Starts a server that counts its connections. */
async function startStranger() {
  let connections = 0;
  const server = createServer((_, response) => response.end()).on('connection', () => connections++);
  const { url, close } = await listen(server);
  onTestFinished(close);
  return { url, connections: () => connections };
}

describe('what is dialled', () => {
  test.each(Object.entries(operations))('%s does not follow a redirect', async (_, operation) => {
    const stranger = await startStranger();
    account.lake.fail({ how: { redirect: `${stranger.url}/contoso/files/${path}` } });
    expect(await failureOf(operation(account.open()))).toMatchObject({
      code: 'redirect_refused',
      status: 307,
    });
    expect(stranger.connections()).toBe(0);
  });

  test('the SAS token does not go to another path of the override', async () => {
    await operations['put']!(account.open());
    for (const { account: name, filesystem } of account.lake.requests)
      expect([name, filesystem]).toEqual(['contoso', 'files']);
  });

  test.each([
    'https://contoso.dfs.core.windows.net.example.com/files/a',
    'https://other.dfs.core.windows.net/files/a',
    'https://contoso.dfs.core.windows.net:8443/files/a',
    'http://169.254.169.254/metadata/identity',
  ])('the client of an account refuses %s', async (url) => {
    const stranger = await startStranger();
    for (const base of [undefined, stranger.url]) {
      const client = accountClient({
        accountUrl: account.address.accountUrl,
        base,
        sas: account.sas,
        connections: openConnections(),
        timeout: 1000,
        retryDelay: 10,
        secrets: [],
      });
      const request = { url, method: 'GET' } as Parameters<typeof client.sendRequest>[0];
      expect((await failureOf(client.sendRequest(request))).code).toBe('address_refused');
    }
    expect(stranger.connections()).toBe(0);
  });

  const found = (addresses: string[]) =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const open = (addresses: string[], options: DataLakeOptions = {}) =>
    openDataLake(account.address, account.credentials.sas, {
      resolve: async () => found(addresses),
      timeout: 300,
      retryDelay: 10,
      ...options,
    });

  test.each([
    ['127.0.0.1', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['169.254.169.254', 'link_local'],
    ['0.0.0.0', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
  ])('an account whose name leads to %s is not dialled', async (address, range) => {
    for (const addresses of [[address], ['20.60.0.1', address]]) {
      let lookups = 0;
      const resolve = async () => {
        lookups += 1;
        return found(addresses);
      };
      const failure = await failureOf(open([], { resolve }).put(path, 'x'));
      expect(failure).toMatchObject({ code: 'address_refused', status: null });
      expect(failure.message).toContain(range);
      // There is no retry, because the name would resolve to the same address.
      expect(lookups).toBe(1);
    }
  });

  test('a private endpoint is dialled', async () => {
    expect((await failureOf(open(['10.255.255.254']).put(path, 'x'))).code).not.toBe('address_refused');
  });

  test('both hosts of the account are looked up, and no others', async () => {
    const hosts = new Set<string>();
    const resolve = async (host: string) => {
      hosts.add(host);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    for (const operation of Object.values(operations)) await failureOf(operation(open([], { resolve })));
    expect([...hosts].toSorted()).toEqual(['contoso.blob.core.windows.net', 'contoso.dfs.core.windows.net']);
  });

  test('no proxy of the environment is used', async () => {
    const stranger = await startStranger();
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = stranger.url;
    onTestFinished(() => {
      for (const [i, name] of names.entries()) {
        if (before[i] === undefined) delete process.env[name];
        else process.env[name] = before[i];
      }
    });
    await operations['put']!(account.open());
    expect((await failureOf(open(['127.0.0.1']).put(path, 'x'))).code).toBe('address_refused');
    expect(stranger.connections()).toBe(0);
  });
});

describe('secrets', () => {
  /** Everything in an error that a log could contain. */
  const everything = (error: StoreError) =>
    [
      inspect(error, { depth: null, showHidden: true }),
      JSON.stringify(error),
      error.stack,
      String(error),
    ].join('\n');

  const faults = ['timeout', 'cut', { redirect: 'https://example.com/' }] as const;

  test.each(faults)('are not in errors, after %j', async (how) => {
    const { lake, sas, key, credentials } = account;
    const signature = new URLSearchParams(sas).get('sig')!;
    const message = `Signature did not match: ?${sas} sig=${signature} Authorization: SharedKey contoso:${key} AccountKey=${key};`;
    lake.fail({ how, message });
    for (const credential of Object.values(credentials))
      for (const operation of Object.values(operations)) {
        const failure = await failureOf(operation(account.open({ credential, timeout: 100 })));
        const printed = everything(failure);
        for (const secret of [signature, encodeURIComponent(signature), key, 'contoso:'])
          expect(printed).not.toContain(secret);
        expect(failure.cause).toBeUndefined();
      }
  });

  test('a stream that fails says no secret either', async () => {
    const store = account.open();
    await store.put(path, Buffer.alloc(1_000_000));
    account.lake.fail({ how: 'cut_body' });
    const failure = await failureOf(
      (async () => {
        for await (const _ of (await store.stream(path))!);
      })(),
    );
    expect(everything(failure)).not.toContain('sig=');
  });

  test("the service's own words, code and status are in them", async () => {
    account.lake.fail({ how: 403, message: 'This request is not authorized by the network rules.' });
    const failure = await failureOf(account.open().put(path, 'x'));
    expect(failure).toMatchObject({ status: 403, code: 'Injected403' });
    expect(failure.message).toContain('not authorized by the network rules');
  });

  test('a very long message is cut', async () => {
    account.lake.fail({ how: 403, message: 'x'.repeat(100_000) });
    expect((await failureOf(account.open().put(path, 'x'))).message.length).toBeLessThan(1100);
  });
});

describe('credentials', () => {
  test('a connection string may have a SAS token, and its endpoints are not dialled', async () => {
    const stranger = await startStranger();
    const connectionString = `BlobEndpoint=${stranger.url};DfsEndpoint=${stranger.url};AccountName=contoso;SharedAccessSignature=${account.sas}`;
    await account.open({ credential: { mode: 'connection_string', connectionString } }).put(path, 'x');
    expect(account.text(path)).toBe('x');
    expect(stranger.connections()).toBe(0);
  });

  test('another key is refused with 403', async () => {
    const connectionString = `AccountName=contoso;AccountKey=${Buffer.alloc(64).toString('base64')}`;
    const store = account.open({ credential: { mode: 'connection_string', connectionString } });
    expect(await failureOf(store.put(path, 'x'))).toMatchObject({
      status: 403,
      code: 'AuthenticationFailed',
    });
    expect(account.lake.requests).toHaveLength(1);
  });

  test('a filesystem that does not exist is an error, not an object that does not exist', async () => {
    const address = { ...account.address, filesystem: 'none' };
    const store = openDataLake(address, account.credentials.sas, { endpointOverride: account.lake.url });
    for (const operation of Object.values(operations))
      expect((await failureOf(operation(store))).status).toBe(404);
  });
});

test('the message of a refused request has no account key, even if the request had another secret', () => {
  const key = Buffer.alloc(64, 'secret').toString('base64');
  const body = Buffer.from(`<Error><Code>AuthFailed</Code><Message>refused ${key}, retry</Message></Error>`);
  expect(refusedResponse(403, {}, body).message).toBe('refused (hidden), retry');
});
