import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { auditOf } from '#test/setup/stored-rows.ts';
import { type Bound, openBound } from './bound-workspace.ts';
import { startAccount } from './data-lake-account.ts';

const account = await startAccount();
afterAll(() => account.lake.close());

const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    STORAGE_BINDING_ENABLED: 'true',
    STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
    PLATFORM_STORAGE_URL: 'https://platform.dfs.core.windows.net/files',
  },
});

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
});

/** Expects a 422 with a string that does not repeat a secret, and that nothing was stored. */
async function expectRefused(fields: Fields, says: RegExp) {
  const before = (await mine.binding()).body;
  const logged = await auditOf(app.superuserUrl, mine);
  const requests = account.lake.requests.length;
  const { status, body } = await mine.bind(fields);
  expect([status, typeof body.detail]).toEqual([422, 'string']);
  expect(body.detail).toMatch(says);
  expect(JSON.stringify(body)).not.toMatch(/s3cret|sig=/);
  expect((await mine.binding()).body).toEqual(before);
  expect(await auditOf(app.superuserUrl, mine)).toEqual(logged);
  expect(account.lake.requests).toHaveLength(requests);
}

describe('B 4.6 account_url', () => {
  test.each([
    ['https://contoso.dfs.core.windows.net'],
    ['https://contoso.dfs.core.windows.net/'],
    ['https://contoso.blob.core.windows.net'],
    ['https://contoso.blob.core.windows.net/'],
  ])('%s is saved in its dfs form, without asking the account', async (account_url) => {
    const requests = account.lake.requests.length;
    expect((await mine.bind({ account_url })).body).toMatchObject({
      account_url: 'https://contoso.dfs.core.windows.net',
      status: 'unverified',
    });
    expect(account.lake.requests).toHaveLength(requests);
  });

  test.each([
    undefined,
    null,
    '',
    ' ',
    'contoso',
    'contoso.dfs.core.windows.net',
    'http://contoso.dfs.core.windows.net',
    'ftp://contoso.dfs.core.windows.net',
    'https://contoso.dfs.core.windows.net:443',
    'https://contoso.dfs.core.windows.net:8443/',
    'https://contoso.dfs.core.windows.net/files',
    'https://contoso.dfs.core.windows.net//',
    'https://contoso.dfs.core.windows.net/?sv=1&sig=s3cret',
    'https://contoso.dfs.core.windows.net?',
    'https://contoso.dfs.core.windows.net#part',
    'https://user:s3cret@contoso.dfs.core.windows.net',
    'https://contoso.dfs.core.windows.net@example.org',
    'https://contoso.dfs.core.windows.net.example.org',
    'https://contoso.file.core.windows.net',
    'https://contoso.privatelink.dfs.core.windows.net',
    'https://dfs.core.windows.net',
    'https://example.org',
    'https://127.0.0.1',
    'https://[::1]',
    'https://localhost',
    'https://169.254.169.254/metadata',
    'https://contoso.dfs.core.windows.net\\@example.org',
    'https://cont%6Fso.dfs.core.windows.net',
    'https://contoso_1.dfs.core.windows.net',
    'https://contoso.dfs.core.windows.net\n',
    'file:///etc',
  ])('%j is refused', async (account_url) => {
    await expectRefused({ account_url }, /^account_url must be the account's own endpoint/);
  });

  test.each(['https://platform.dfs.core.windows.net', 'https://platform.blob.core.windows.net/'])(
    '%s, which the service itself writes to, is refused',
    async (account_url) => {
      await expectRefused({ account_url }, /^account_url is an account of the service/);
    },
  );
});

describe('B 4.6 filesystem', () => {
  test.each(['abc', 'a-b', '0files9', 'a'.repeat(63)])('%s is a name', async (filesystem) => {
    expect((await mine.bind({ filesystem })).body.filesystem).toBe(filesystem);
  });

  test.each([
    undefined,
    null,
    '',
    '   ',
    'ab',
    'a'.repeat(64),
    'Files',
    'my_files',
    'my--files',
    '-files',
    'files-',
    'my files',
    'files/one',
    '../files',
    'files?x',
    'fileś',
    '$root',
  ])('%j is refused', async (filesystem) => {
    await expectRefused({ filesystem }, /^filesystem /);
  });
});

describe('B 4.6 auth_mode and secret', () => {
  test.each<[string, Fields, RegExp]>([
    ['no mode', { auth_mode: undefined }, /^auth_mode /],
    ['a mode that has a secret, without one', { secret: undefined }, /^secret is required/],
    ['a blank secret where none is stored', { secret: '  ' }, /^secret /],
    ['a token that is none', { secret: 'just s3cret words' }, /^secret /],
    ['a token of several lines', { secret: 'sv=1&sig=s3cret\r\nX-Header: 1' }, /^secret /],
    ['a token that is too long', { secret: `sv=1&sig=s3cret${'a'.repeat(9000)}` }, /^secret /],
    [
      'a whole address as token',
      { secret: 'https://contoso.dfs.core.windows.net/?sv=1&sig=s3cret' },
      /^secret /,
    ],
    ['a secret for the mode without one', { auth_mode: 'managed_identity' }, /^secret /],
    [
      'a connection string of another account',
      {
        auth_mode: 'connection_string',
        secret: `DefaultEndpointsProtocol=https;AccountName=fabrikam;AccountKey=${btoa('s3cret')};EndpointSuffix=core.windows.net`,
      },
      /^secret /,
    ],
    ['a connection string that is none', { auth_mode: 'connection_string', secret: 's3cret' }, /^secret /],
  ])('%s is refused', async (_name, fields, says) => {
    await expectRefused(fields, says);
  });

  test.each<[Fields, RegExp]>([
    [{ auth_mode: 's3cret' }, /^auth_mode must be managed_identity, sas or connection_string$/],
    [{ auth_mode: 5 }, /^auth_mode must be /],
    [{ provider: 's3cret' }, /^provider must be platform or datalake$/],
    [{ provider: null }, /^provider must be /],
    [{ account_url: 5 }, /^account_url must be a string$/],
    [{ filesystem: ['s3cret'] }, /^filesystem must be a string$/],
    [{ secret: { value: 's3cret' } }, /^secret must be a string$/],
    [{ secret: 'sv=1&sig=s3cret\0' }, /secret: must not contain NUL characters$/],
    [{ prefixes: [] }, /^prefixes must be an object$/],
    [{ prefixes: { golden: 5 } }, /^prefixes\.golden must be a string$/],
  ])(
    'A 7.1: a value or type that does not fit the schema is refused in words too (%j)',
    async (fields, says) => {
      await expectRefused(fields, says);
    },
  );
});

describe('B 2.10 prefixes', () => {
  test.each([
    '/',
    '/golden',
    '../golden',
    'a/../b',
    './a',
    'a//b',
    'a\\b',
    'a b',
    'a?b',
    'a%2e%2e/b',
    'x'.repeat(300),
  ])('%j is no directory', async (golden) => {
    await expectRefused({ prefixes: { golden } }, /^prefixes\.golden /);
    await expectRefused({ prefixes: { documents: golden } }, /^prefixes\.documents /);
  });

  test('two planes cannot share a directory', async () => {
    await expectRefused({ prefixes: { documents: 'golden' } }, /^prefixes/);
  });
});
