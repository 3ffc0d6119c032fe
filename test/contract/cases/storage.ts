import type { Fields } from '#test/factories.ts';
import { found } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import type { Case, Cases } from './case.ts';

const account: Fields = {
  account_url: 'https://contoso.dfs.core.windows.net',
  filesystem: 'files',
  auth_mode: 'sas',
  secret: 'sv=2024-11-04&sr=c&sp=rwcdl&sig=c2lnbmF0dXJl',
};

/**
 * A call by the administrator of a new workspace. The workspace is not shared, because other requests are rejected
 * while its binding is unverified.
 */
const asOwner =
  (input: Fields = {}) =>
  async ({ app }: ContractFixture) => ({ input, headers: (await found(app)).bearer });
const bindWith = (name: string, change: Fields, message: string): Case => ({
  name,
  status: 422,
  detail: message,
  ask: asOwner({ ...account, ...change }),
});

export const storageCases: Cases = {
  'storage.bind': [
    { name: 'binds', status: 200, ask: asOwner(account) },
    {
      name: 'binds without a secret where the mode needs none',
      status: 200,
      ask: asOwner({ ...account, auth_mode: 'managed_identity', secret: null }),
    },
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
  ],
};
