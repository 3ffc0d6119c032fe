import { type Documents, openDocuments } from '#test/documents/workspace.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { TestAccount } from './data-lake-account.ts';

/** A fresh tenant with its documents, and the requests for its storage. */
export interface Bound extends Documents {
  bind(fields?: Record<string, unknown>): ReturnType<TestApp['json']>;
  verify(): ReturnType<TestApp['json']>;
  unbind(): ReturnType<TestApp['json']>;
  binding(): ReturnType<TestApp['json']>;
  storageUsage(): ReturnType<TestApp['json']>;
  /** The paths of what is in the account's container, sorted. */
  stored(): string[];
}

export async function openBound(app: TestApp, account: TestAccount): Promise<Bound> {
  const documents = await openDocuments(app);
  const { headers } = documents;
  return Object.assign(documents, {
    bind: (fields = {}) =>
      app.json('PUT', '/api/storage/binding', {
        headers,
        body: {
          account_url: account.address.accountUrl,
          filesystem: account.address.filesystem,
          auth_mode: 'sas',
          secret: account.sas,
          ...fields,
        },
      }),
    verify: () => app.json('POST', '/api/storage/binding/verify', { headers }),
    unbind: () => app.json('DELETE', '/api/storage/binding', { headers }),
    binding: () => app.json('GET', '/api/storage/binding', { headers }),
    storageUsage: () => app.json('GET', '/api/storage/usage', { headers }),
    stored: () => [...account.lake.files('contoso', account.address.filesystem).keys()].sort(),
  });
}
