import { afterAll, expect, onTestFinished } from 'vitest';
import { type Documents, openDocuments } from '#test/documents/workspace.ts';
import { env, type Fields, type Headers } from '#test/factories.ts';
import { type TestApp, type TestAppOptions, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { withWorkers } from '#test/translation-memory/background.ts';
import { startAccount, type TestAccount } from './data-lake-account.ts';
import type { FaultRule } from './data-lake-emulator.ts';

type Answer = ReturnType<TestApp['json']>;

/** A new tenant with documents and its own container, and functions for its storage requests. */
export interface Bound extends Documents {
  filesystem: string;
  bind(fields?: Fields, headers?: Headers): Answer;
  verify(headers?: Headers): Answer;
  unbind(headers?: Headers): Answer;
  binding(headers?: Headers): Answer;
  storageUsage(headers?: Headers): Answer;
  /** Binds the container and verifies it. From then on, the account is used. */
  connect(fields?: Fields): Promise<void>;
  /** Verifies the binding while workers run, so that waiting jobs are published. Returns the body of the response. */
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route: the tests look into it freely
  replay(change?: () => Answer): Promise<any>;
  /** Creates a text job. (`read` returns a document.) */
  // biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route: the tests look into it freely
  readJob(id: string): Promise<any>;
  /**
   * Creates a document whose job failed after its translated file was stored in the account, so that the document is
   * billed.
   * @returns the ID of the document
   */
  failDelivered(): Promise<string>;
  /** The paths of all objects in the account's container, sorted. */
  stored(): string[];
  /** The content of an object as text. */
  content(path: string): string;
  /** Makes requests to the container fail until the test ends, or the returned function is called. */
  fail(rule: FaultRule): () => void;
}

/** Time limits for requests to an account, in tests that make such requests fail. */
export const impatient = { timeout: 1500, retryDelay: 20 };

/** Starts an emulated account, and an application whose workspaces may bind it. */
export async function useAccountApp({ env: more, ...options }: TestAppOptions = {}) {
  const account = await startAccount();
  afterAll(() => account.lake.close());
  const binding = { STORAGE_BINDING_ENABLED: 'true', STORAGE_ENDPOINT_OVERRIDE: account.lake.url };
  return { account, app: useTestApp({ env: { ...env, ...binding, ...more }, ...options }) };
}

let opened = 0;

export async function openBound(app: TestApp, account: TestAccount, tenant?: Fields): Promise<Bound> {
  const documents = await openDocuments(app, tenant);
  const { headers: key } = documents;
  const { lake } = account;
  opened += 1;
  const filesystem = `files${opened}`;
  lake.addFilesystem(account.name, filesystem);
  const ask = (method: string, path: string, headers: Headers, body?: Fields) =>
    app.json(method, `/api/storage/${path}`, { headers, ...(body && { body }) });
  const files = () => lake.files(account.name, filesystem);
  const bind: Bound['bind'] = (fields = {}, headers = key) =>
    ask('PUT', 'binding', headers, {
      account_url: account.address.accountUrl,
      filesystem,
      auth_mode: 'sas',
      secret: account.sas,
      ...fields,
    });
  const verify: Bound['verify'] = (headers = key) => ask('POST', 'binding/verify', headers);
  return Object.assign(documents, {
    filesystem,
    bind,
    verify,
    unbind: (headers = key) => ask('DELETE', 'binding', headers),
    binding: (headers = key) => ask('GET', 'binding', headers),
    storageUsage: (headers = key) => ask('GET', 'usage', headers),
    async connect(fields = {}) {
      expect((await bind(fields)).status).toBe(200);
      expect((await verify()).body).toMatchObject({ status: 'verified', last_error: null });
    },
    replay: async (change = verify) =>
      withWorkers(app, async () => {
        const { status, body } = await change();
        expect([status, body.detail]).toEqual([200, undefined]);
        return body;
      }),
    readJob: async (id) => (await documents.get(id)).body,
    async failDelivered() {
      const sql = openSuperuser(app.superuserUrl);
      await sql.unsafe(`
        create or replace function refuse_output() returns trigger language plpgsql as $$ begin
          if new.kind = 'translated' then raise exception 'no room'; end if; return new; end $$;
        create trigger refuse_output before insert on document_artifacts for each row execute function refuse_output()`);
      const id = await documents.queue(['Hello']);
      await documents.run(id).finally(() => sql.unsafe('drop trigger refuse_output on document_artifacts'));
      expect((await documents.read(id)).status).toBe('failed');
      return id;
    },
    stored: () => [...files().keys()].sort(),
    content: (path) => files().get(path)?.toString('utf8') ?? '',
    fail(rule) {
      const end = lake.fail({ account: account.name, filesystem, ...rule });
      onTestFinished(end);
      return end;
    },
  } satisfies Omit<Bound, keyof Documents>);
}
