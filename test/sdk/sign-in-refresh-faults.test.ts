import { describe, expect, test } from 'vitest';
import { ConnectionError, type Tokens } from '#sdk/index.ts';
import { failure, result, useScriptedServer } from './scripted-server.ts';
import { clientOf, errorOf, sharedStore } from './sign-in-recorder.ts';

const hello = { source_text: 'Hello', target_lang: 'fr' };
const many = Array.from({ length: 20 }, (_, n) => n);

const server = useScriptedServer();
const user = {
  user_id: 'u',
  tenant_id: 't',
  email: 'a@example.org',
  provider: 'email',
  role: 'x',
} as const;
const pair = (name: string) => ({
  access_token: `access-${name}`,
  refresh_token: `refresh-${name}`,
  token_type: 'bearer' as const,
  expires_in: 3600,
  refresh_expires_in: 7200,
  scope: 's',
  user,
});
const kept = (name: string): Tokens => ({
  ...pair(name),
  expires_at: 0,
  refresh_expires_at: Date.now() + 9e6,
});

describe('a refresh without a response', () => {
  const sentKeys = () => server.received.flatMap(({ input }) => input?.['retry_key'] ?? []);

  test('is sent again with the same retry key, which was saved before the first request', async () => {
    const store = sharedStore(kept('1'));
    const begun: unknown[] = [];
    server.script(
      'cut off',
      'cut off within the answer',
      result(pair('2')),
      result({ id: '1' }),
      result(pair('3')),
    );
    const client = clientOf(server.address, {
      tokens: store,
      fetch: (url, init) => {
        begun.push(store.tokens?.refresh_retry_key);
        return fetch(url, init);
      },
    });
    await client.translations.get('1');
    const [key] = sentKeys();
    expect(key).toMatch(/^[A-Za-z0-9._~-]{16,128}$/);
    expect(sentKeys()).toEqual([key, key, key]);
    expect(begun.slice(0, 3)).toEqual([key, key, key]);
    // The next refresh has another key.
    store.tokens = { ...(store.tokens as Tokens), expires_at: 0 };
    await errorOf(client.translations.get('1'));
    expect(new Set(sentKeys()).size).toBe(2);
  });

  test.each([
    ['a process that starts over the same store', (tokens: Tokens) => tokens],
    [
      'the same process, over a store that does not keep the key',
      ({ refresh_retry_key: _, ...tokens }: Tokens) => tokens,
    ],
  ])('is repeated later by %s', async (which, stored) => {
    const store = sharedStore(kept('1'));
    const { save } = store;
    store.save = (tokens) => save(tokens && stored(tokens));
    const options = { tokens: store, maxRetries: 0 };
    const client = clientOf(server.address, options);
    server.script('cut off');
    await errorOf(client.translations.get('1'));
    server.script(result(pair('2')), result({ id: '1' }));
    const later = which.startsWith('a process') ? clientOf(server.address, options) : client;
    await later.translations.get('1');
    expect(sentKeys()).toHaveLength(2);
    expect(new Set(sentKeys()).size).toBe(1);
  });

  test('is not sent before its key is saved', async () => {
    const store = { ...sharedStore(kept('1')), save: () => Promise.reject(new Error('disk full')) };
    const error = await errorOf(clientOf(server.address, { tokens: store }).translations.get('1'));
    expect([error.message, server.received]).toEqual(['disk full', []]);
  });

  test('is one request for all calls, and none of them repeats it; the tokens stay', async () => {
    const store = sharedStore(kept('1'));
    server.script('cut off');
    const client = clientOf(server.address, { tokens: store, maxRetries: 0 });
    const errors = await Promise.all(many.map(() => errorOf(client.translations.get('1'))));
    for (const error of errors) {
      expect(error).toBeInstanceOf(ConnectionError);
      expect(error.message).toContain('auth refresh');
    }
    expect(server.received).toHaveLength(1);
    expect(store.saves).toEqual([]);
  });

  test('a proxy’s response in place of the service ends nobody’s session', async () => {
    const store = sharedStore(kept('1'));
    server.script({ status: 401, body: '<h1>Sign in to the network</h1>' });
    const error = await errorOf(clientOf(server.address, { tokens: store }).translations.get('1'));
    expect(error).toMatchObject({ status: 401, answeredBy: 'other' });
    expect(store.saves).toEqual([]);
  });

  test('a proxy’s 401 to a call starts no refresh either', async () => {
    const store = sharedStore({ ...kept('1'), expires_at: Date.now() + 9e6 });
    server.script({ status: 401, body: '<h1>Sign in to the network</h1>' });
    await errorOf(clientOf(server.address, { tokens: store }).translations.get('1'));
    expect(server.received).toHaveLength(1);
  });

  test('a call continues its retries after a refresh, with the same key', async () => {
    const store = sharedStore({ ...kept('1'), expires_at: Date.now() + 9e6 });
    server.script(
      failure(503, 'try again', { error_code: 'transient_error' }),
      failure(401, 'missing or invalid tenant credentials'),
      result(pair('2')),
      failure(503, 'try again', { error_code: 'transient_error' }),
      result({ id: '1' }),
    );
    expect(await clientOf(server.address, { tokens: store }).translations.create(hello)).toEqual({ id: '1' });
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer access-1',
      'Bearer access-1',
      undefined,
      'Bearer access-2',
      'Bearer access-2',
    ]);
    const keys = new Set(server.received.map(({ input }) => input?.['idempotency_key']));
    keys.delete(undefined);
    expect(keys.size).toBe(1);
  });

  test('a call that one member began is never sent again as another, or with the key', async () => {
    const store = sharedStore({ ...kept('1'), expires_at: Date.now() + 9e6 });
    const others = { ...kept('2'), expires_at: Date.now() + 9e6, user: { ...user, user_id: 'v' } };
    for (const next of [others, null]) {
      store.tokens = { ...kept('1'), expires_at: Date.now() + 9e6 };
      server.received.length = 0;
      server.script(failure(503, 'try again', { error_code: 'transient_error' }));
      const client = clientOf(server.address, {
        apiKey: 'k',
        tokens: store,
        fetch: async (url, init) => {
          const response = await fetch(url, init);
          store.tokens = next;
          return response;
        },
      });
      expect(await errorOf(client.translations.create(hello))).toMatchObject({ detail: 'try again' });
      expect(server.received).toHaveLength(1);
    }
  });
});

describe('a refresh that fails before the token has ended', () => {
  /** Tokens that expire in ten seconds. */
  const due = () => ({ ...kept('1'), expires_at: Date.now() + 10_000 });

  test('for the moment fails no call: the token is used', async () => {
    const store = sharedStore(due());
    server.script('cut off', result({ id: '1' }), result({ id: '2' }));
    const { translations } = clientOf(server.address, { tokens: store, maxRetries: 0 });
    expect(await Promise.all([translations.get('1'), translations.get('2')])).toHaveLength(2);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer access-1',
      'Bearer access-1',
    ]);
    expect(store.saves).toEqual([]);
  });

  test('because its tokens could not be saved fails the call', async () => {
    const store = sharedStore(due());
    const { save } = store;
    store.save = (tokens) =>
      tokens?.access_token === store.tokens?.access_token
        ? save(tokens)
        : Promise.reject(new Error('disk full'));
    server.script(result(pair('2')));
    const { translations } = clientOf(server.address, { tokens: store });
    expect(await errorOf(translations.get('1'))).toMatchObject({ message: 'disk full' });
    expect(server.received).toHaveLength(1);
  });
});
