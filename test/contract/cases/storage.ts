import type { Fields } from '#test/factories.ts';
import { found } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  asAdmin,
  asCookie,
  asKey,
  asMember,
  asNobody,
  type Case,
  type Cases,
  withoutCookie,
} from './case.ts';

const detail = 'missing or invalid tenant credentials';

const account: Fields = {
  account_url: 'https://contoso.dfs.core.windows.net',
  filesystem: 'files',
  auth_mode: 'sas',
  secret: 'sv=2024-11-04&sr=c&sp=rwcdl&sig=c2lnbmF0dXJl',
};

/** By the administrator of a workspace of its own: while a binding is unverified, other cases would be refused. */
const asOwner =
  (input: Fields = {}) =>
  async ({ app }: ContractFixture) => ({ input, headers: (await found(app)).bearer });
const bindWith = (name: string, change: Fields, message: string): Case => ({
  name,
  status: 422,
  detail: message,
  ask: asOwner({ ...account, ...change }),
});

const refusals = (input: Fields = {}): Case[] => [
  { name: 'nobody asks', status: 401, detail, ask: asNobody(input) },
  { name: 'a member asks', status: 403, detail: 'admin role required', ask: asMember(input) },
];

const form =
  "account_url must be the account's own endpoint, https://<account>.dfs.core.windows.net or https://<account>.blob.core.windows.net, without port, path or query";

export const storageCases: Cases = {
  'storage.binding': [
    { name: 'is the platform’s before anything is bound', status: 200, ask: asKey() },
    { name: 'a member reads it', status: 200, ask: asMember() },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
  'storage.bind': [
    { name: 'binds', status: 200, ask: asOwner(account) },
    {
      name: 'binds by the blob form of the address, to directories of its own',
      status: 200,
      ask: asOwner({
        ...account,
        account_url: 'https://contoso.blob.core.windows.net/',
        prefixes: { golden: 'translations/golden' },
      }),
    },
    {
      name: 'binds without a secret where the mode needs none',
      status: 200,
      ask: asOwner({ ...account, auth_mode: 'managed_identity', secret: null }),
    },
    { name: 'returns to the platform', status: 200, ask: asOwner({ provider: 'platform' }) },
    {
      name: 'by the cookie',
      status: 200,
      ask: asCookie({ provider: 'platform' }),
      rpc: withoutCookie(detail),
    },
    bindWith('the address has a path', { account_url: 'https://contoso.dfs.core.windows.net/files' }, form),
    bindWith('the address is no account’s', { account_url: 'https://example.org' }, form),
    bindWith('the address is missing', { account_url: null }, form),
    bindWith(
      'the container is blank',
      { filesystem: '' },
      'filesystem must be 3 to 63 lowercase letters, digits and single hyphens, beginning and ending with a letter or digit',
    ),
    bindWith(
      'the mode is missing',
      { auth_mode: null },
      'auth_mode is required: managed_identity, sas or connection_string',
    ),
    bindWith('the secret is missing', { secret: null }, 'secret is required for auth_mode sas'),
    bindWith(
      'a secret comes with a mode that has none',
      { auth_mode: 'managed_identity' },
      'secret is not allowed with auth_mode managed_identity',
    ),
    bindWith(
      'two directories are one',
      { prefixes: { documents: 'all', golden: 'all/' } },
      'prefixes.documents and prefixes.golden must be different directories',
    ),
    {
      name: 'a directory leads out',
      status: 422,
      ask: asOwner({ ...account, prefixes: { golden: '../x' } }),
    },
    bindWith('the provider is unknown', { provider: 's3' }, 'provider must be platform or datalake'),
    ...refusals(account),
  ],
  'storage.unbind': [
    { name: 'does nothing where nothing is bound', status: 200, ask: asOwner() },
    { name: 'a key asks', status: 200, ask: asKey() },
    ...refusals(),
  ],
  'storage.verify': [
    { name: 'verifies the platform’s storage', status: 200, ask: asKey() },
    { name: 'an administrator asks', status: 200, ask: asAdmin() },
    ...refusals(),
  ],
  'storage.usage': [
    { name: 'says what is used', status: 200, ask: asMember() },
    { name: 'nobody asks', status: 401, detail, ask: asNobody() },
    { name: 'a cookie asks', status: 401, detail, ask: asCookie() },
  ],
};
