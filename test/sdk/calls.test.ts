import { describe, expect, test, vi } from 'vitest';
import { LinguaLoop, type TranslationJob } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp();

async function founded() {
  const { apiKey, tenantId, accessToken } = await app.signUp();
  return { apiKey, tenantId, accessToken, client: new LinguaLoop({ baseUrl: app.address, apiKey }) };
}

describe('translations', () => {
  test('create returns the finished job, get the same one', async () => {
    const { client, tenantId } = await founded();
    const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    expect(job).toMatchObject({ status: 'published', final_translation: '[fr] Hello' });
    expect(job.request.metadata).toMatchObject({ tenant: { id: tenantId } });
    expect(job.request.idempotency_key).toMatch(/^[0-9a-f-]{36}$/);
    expect(await client.translations.get(job.id)).toEqual(job);
  });

  test.each([
    ['in the request', { idempotency_key: 'mine' }, {}],
    ['in the options', {}, { idempotencyKey: 'mine' }],
    ['in both: the request says', { idempotency_key: 'mine' }, { idempotencyKey: 'other' }],
  ])(
    'the caller’s idempotency key is kept, %s: a second call returns the same job',
    async (_, more, options) => {
      const { client } = await founded();
      const request = { source_text: 'Hello', target_lang: 'fr', ...more };
      const first = await client.translations.create(request, options);
      expect(first.request.idempotency_key).toBe('mine');
      expect((await client.translations.create(request, options)).id).toBe(first.id);
    },
  );

  test('list goes through all pages, last changed first, and fetches a page only when needed', async () => {
    const { apiKey } = await founded();
    const fetched = vi.fn((url: string, init: RequestInit) => fetch(url, init));
    const counted = new LinguaLoop({ baseUrl: app.address, apiKey, fetch: fetched });
    const created: string[] = [];
    for (const source_text of ['one', 'two', 'three'])
      created.unshift((await counted.translations.create({ source_text, target_lang: 'de' })).id);

    fetched.mockClear();
    const jobs = counted.translations.list({ limit: 2, status: 'published' });
    expect(fetched).not.toHaveBeenCalled();
    const listed: TranslationJob[] = [];
    for await (const job of jobs) listed.push(job);
    expect(listed.map((job) => job.id)).toEqual(created);
    expect(fetched).toHaveBeenCalledTimes(2);

    for await (const job of jobs) {
      expect(job.id).toBe(created[0]);
      break;
    }
    expect(fetched).toHaveBeenCalledTimes(3);
  });

  test('listPage returns one page and the cursor of the next', async () => {
    const { client } = await founded();
    expect(await client.translations.listPage()).toEqual({ items: [], nextCursor: null });
    const older = await client.translations.create({ source_text: 'one', target_lang: 'de' });
    const newer = await client.translations.create({ source_text: 'two', target_lang: 'de' });
    const first = await client.translations.listPage({ limit: 1 });
    expect(first).toEqual({ items: [newer], nextCursor: expect.any(String) });
    const second = await client.translations.listPage({ limit: 1, cursor: first.nextCursor! });
    expect(second).toEqual({ items: [older], nextCursor: null });
  });
});

test('auth.signUp founds a workspace, without a credential', async () => {
  const client = new LinguaLoop({ baseUrl: app.address });
  const { account, tenant_api_key, token } = await client.auth.signUp({
    tenant_name: 'Press office',
    email: 'press@example.org',
    password: 'a long enough passphrase',
  });
  expect(account.name).toBe('Press office');
  expect(tenant_api_key).toHaveLength(43);
  expect(token?.user).toMatchObject({ email: 'press@example.org', tenant_id: account.id });
});

test('system.health needs no credential; baseUrl may end with a slash', async () => {
  const client = new LinguaLoop({ baseUrl: `${app.address}/` });
  expect(await client.system.health()).toEqual({
    status: 'ok',
    stub_mode: { translator: true, refiner: true },
    live_services: false,
  });
});

describe('credentials', () => {
  test.each(['a string', 'a function', 'an async function'])('an access token: %s', async (kind) => {
    const { accessToken } = await founded();
    const given = {
      'a string': accessToken,
      'a function': () => accessToken,
      'an async function': async () => accessToken,
    }[kind];
    const client = new LinguaLoop({ baseUrl: app.address, accessToken: given });
    expect(await client.translations.listPage()).toEqual({ items: [], nextCursor: null });
  });

  test('tenantId narrows: another tenant’s is refused', async () => {
    const { apiKey, tenantId } = await founded();
    const other = await founded();
    const pinned = (tenant: string) => new LinguaLoop({ baseUrl: app.address, apiKey, tenantId: tenant });
    expect((await pinned(tenantId).translations.listPage()).items).toEqual([]);
    await expect(pinned(other.tenantId).translations.listPage()).rejects.toMatchObject({ status: 401 });
  });
});
