import { beforeEach, describe, expect, test } from 'vitest';
import type { Fields } from '#test/factories.ts';
import { auditOf } from '#test/setup/stored-rows.ts';
import { type Bound, openBound, useAccountApp } from './bound-workspace.ts';

const { account, app } = await useAccountApp({
  env: { PLATFORM_STORAGE_URL: 'https://platform.dfs.core.windows.net/files' },
});

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
});

/** Expects a 422 with a text that does not contain a secret, and that nothing was stored. */
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

describe('account_url (B 4.6)', () => {
  test('is saved in its dfs form, without a request to the account', async () => {
    const requests = account.lake.requests.length;
    const account_url = 'https://contoso.blob.core.windows.net/';
    expect((await mine.bind({ account_url })).body).toMatchObject({
      account_url: 'https://contoso.dfs.core.windows.net',
      status: 'unverified',
    });
    expect(account.lake.requests).toHaveLength(requests);
  });

  // test/storage/data-lake-address.test.ts tests all forms.
  test.each([undefined, ' ', 'https://contoso.dfs.core.windows.net/?sv=1&sig=s3cret', 'https://127.0.0.1'])(
    '%j is rejected',
    async (account_url) => {
      await expectRefused({ account_url }, /^account_url must be the account's own endpoint/);
    },
  );

  test('is rejected if the service itself writes to that account', async () => {
    const account_url = 'https://platform.blob.core.windows.net/';
    await expectRefused({ account_url }, /^account_url is the storage account of the deployment/);
  });
});

describe('filesystem', () => {
  test.each([undefined, '   ', 'My_files', '../files'])('%j is rejected', async (filesystem) => {
    await expectRefused({ filesystem }, /^filesystem /);
  });
});

describe('auth_mode and secret', () => {
  test.each<[string, Fields, RegExp]>([
    ['no mode', { auth_mode: undefined }, /^auth_mode /],
    ['a mode that has a secret, without one', { secret: undefined }, /^secret is required/],
    ['a token of several lines', { secret: 'sv=1&sig=s3cret\r\nX-Header: 1' }, /^secret /],
    ['a secret for the mode without one', { auth_mode: 'managed_identity' }, /^secret /],
    [
      'a connection string of another account',
      {
        auth_mode: 'connection_string',
        secret: `DefaultEndpointsProtocol=https;AccountName=fabrikam;AccountKey=${btoa('s3cret')};EndpointSuffix=core.windows.net`,
      },
      /^secret /,
    ],
  ])('%s is rejected', async (_name, fields, says) => {
    await expectRefused(fields, says);
  });

  test.each<[Fields, RegExp]>([
    [{ auth_mode: 's3cret' }, /^auth_mode must be managed_identity, sas or connection_string$/],
    [{ provider: 's3cret' }, /^provider must be platform or datalake$/],
    [{ account_url: 5 }, /^account_url must be a string$/],
    [{ secret: 'sv=1&sig=s3cret\0' }, /secret: must not contain NUL characters$/],
    [{ prefixes: [] }, /^prefixes must be an object$/],
    [{ prefixes: { golden: 5 } }, /^prefixes\.golden must be a string$/],
  ])(
    'a value or type that does not fit the schema is rejected with a message too (%j)',
    async (fields, says) => {
      await expectRefused(fields, says);
    },
  );
});

describe('prefixes (B 2.10)', () => {
  test.each(['/', '/golden', 'a/../b', 'a b', 'a%2e%2e/b', 'x'.repeat(300)])(
    '%j is no directory',
    async (golden) => {
      await expectRefused({ prefixes: { golden } }, /^prefixes\.golden /);
      await expectRefused({ prefixes: { documents: golden } }, /^prefixes\.documents /);
    },
  );

  test('two planes cannot share a directory', async () => {
    await expectRefused({ prefixes: { documents: 'golden' } }, /^prefixes/);
  });
});
