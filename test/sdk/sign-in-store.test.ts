import { describe, expect, test } from 'vitest';
import { ConnectionError, type Tokens, tokensOf } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { poll } from '#test/setup/poll.ts';
import {
  clientOf,
  ended,
  errorOf,
  password,
  recorder,
  refused,
  type Sent,
  sharedStore,
} from './sign-in-recorder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let members = 0;

/** A member of a new workspace whose tokens are in a store that several clients can share. */
async function signedIn() {
  const email = `keeper${++members}@example.org`;
  await app.signUp({ email, password });
  const store = sharedStore();
  const first = await clientOf(app.address, { tokens: store }).auth.signIn({ email, password });
  store.saves.length = 0;
  return { email, store, first };
}

/** A client that shares the store like another process. */
function processOf(store: ReturnType<typeof sharedStore>, before?: (sent: Sent) => unknown) {
  const recorded = recorder(before);
  return { client: clientOf(app.address, { tokens: store, fetch: recorded.fetch }), ...recorded };
}

function isActive({ access_token }: Tokens): Promise<boolean> {
  return clientOf(app.address, { accessToken: access_token })
    .auth.me()
    .then(
      () => true,
      () => false,
    );
}

/** Refreshes the tokens without the SDK. */
function refresh({ refresh_token }: Tokens) {
  return app.json('POST', '/api/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `grant_type=refresh_token&refresh_token=${refresh_token}`,
  });
}

describe('the store', () => {
  test('decides who is signed in: a client that never signed in uses its tokens', async () => {
    const { email, store } = await signedIn();
    const { client, calls } = processOf(store);
    expect((await client.auth.me()).user.email).toBe(email);
    expect(calls()).toEqual(['/api/auth/me']);
  });

  test('has the new tokens before any call uses them', async () => {
    const { store } = await signedIn();
    store.tokens = ended(store.tokens as Tokens);
    const before = store.tokens.access_token;
    const mayFinish = Promise.withResolvers<void>();
    const saving = Promise.withResolvers<void>();
    const save = store.save;
    const slow = Object.assign(store, {
      async save(tokens: Tokens | null) {
        if (tokens?.access_token !== before) {
          saving.resolve();
          await mayFinish.promise;
        }
        await save(tokens);
      },
    });
    const { client, calls } = processOf(slow);
    const all = [client.auth.me(), client.translations.listPage()];
    await saving.promise;
    const late = client.auth.me();
    expect(calls()).toEqual(['/api/oauth2/token']);
    mayFinish.resolve();
    await Promise.all([...all, late]);
    expect(calls()).toHaveLength(4);
    expect(store.saves).toHaveLength(1);
  });

  test('that cannot be read or written fails the call with its own error; the new tokens are not lost', async () => {
    const { email, store } = await signedIn();
    store.tokens = ended(store.tokens as Tokens);
    const { load, save } = store;
    const full = new Error('the disk is full');
    const before = store.tokens.access_token;
    store.save = async (tokens) => {
      if (tokens?.access_token !== before) throw full;
      await save(tokens);
    };
    const { client, refreshes, calls } = processOf(store);
    expect(await errorOf(client.auth.me())).toBe(full);
    expect(await errorOf(client.auth.me())).toBe(full);
    expect(calls()).toEqual(['/api/oauth2/token']);
    store.save = save;
    expect((await client.auth.me()).user.email).toBe(email);
    expect(refreshes()).toHaveLength(1);

    store.load = async () => {
      throw full;
    };
    expect(await errorOf(client.auth.me())).toBe(full);
    store.load = load;
    expect((await client.auth.me()).user.email).toBe(email);
  });
});

describe('two processes over one store', () => {
  test('the refreshed token of one is read before the other sends the used one', async () => {
    const { store, first } = await signedIn();
    store.tokens = refused(first);
    const release = Promise.withResolvers<void>();
    const one = processOf(store);
    const two = processOf(store, () => (two.sent.length === 1 ? release.promise : undefined));
    const call = two.client.auth.me();
    await poll(async () => two.sent.length === 1);
    await one.client.auth.me();
    expect(one.refreshes()).toHaveLength(1);
    release.resolve();
    await call;
    expect(two.sent.map(({ call, status }) => [call, status])).toEqual([
      ['/api/auth/me', 401],
      ['/api/auth/me', 200],
    ]);
  });

  test('two concurrent refreshes use one retry key, and the pair that stays valid is the saved one', async () => {
    const { email, store } = await signedIn();
    store.tokens = ended(store.tokens as Tokens);
    const both = Promise.withResolvers<void>();
    let asking = 0;
    const together = ({ call }: Sent) => {
      if (call !== '/api/oauth2/token') return undefined;
      asking += 1;
      if (asking === 2) both.resolve();
      return both.promise;
    };
    const [one, two] = [processOf(store, together), processOf(store, together)];
    const seen = await Promise.all([one.client.auth.me(), two.client.auth.me()]);
    expect(seen.map(({ user }) => user.email)).toEqual([email, email]);
    const refreshes = [...one.refreshes(), ...two.refreshes()];
    expect(refreshes.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(refreshes.map(({ input }) => input['retry_key'])).size).toBe(1);
    expect(await isActive(store.tokens as Tokens)).toBe(true);
  });

  test('a slow write of one does not replace the tokens that the other has saved since', async () => {
    const { email, store } = await signedIn();
    store.tokens = ended(store.tokens as Tokens);
    const fast = processOf(store);
    const { save } = store;
    const before = store.tokens.access_token;
    const slowly = async (tokens: Tokens | null) => {
      if (tokens?.access_token === before) await fast.client.auth.me();
      await save(tokens);
    };
    const slow = clientOf(app.address, { tokens: { load: store.load, save: slowly } });
    expect((await slow.auth.me()).user.email).toBe(email);
    expect((await fast.client.auth.me()).user.email).toBe(email);
    expect(await isActive(store.tokens as Tokens)).toBe(true);
  });

  test('even if the other saves only after the refusal', async () => {
    const { email, store, first } = await signedIn();
    store.tokens = ended(first);
    const elsewhere = tokensOf((await refresh(first)).body);
    const { client, refreshes } = processOf(store);
    const call = client.auth.me();
    await poll(async () => refreshes()[0]?.status === 401);
    await store.save(elsewhere);
    expect((await call).user.email).toBe(email);
    expect(store.saves).toEqual([elsewhere]);
  });

  test('after one signs out the other is signed out, and sends no old token', async () => {
    const { store } = await signedIn();
    const [one, two] = [processOf(store), processOf(store)];
    await two.client.auth.me();
    await one.client.auth.signOut();
    two.sent.length = 0;
    expect(await errorOf(two.client.auth.me())).toMatchObject({ detail: 'missing bearer token' });
    expect(two.refreshes()).toHaveLength(0);
  });
});

describe('auth.signOut', () => {
  test('ends the session at the service, both tokens, and empties the store', async () => {
    const { store, first } = await signedIn();
    expect(await isActive(first)).toBe(true);
    const { client } = processOf(store);
    await client.auth.signOut();
    expect(store.saves).toEqual([null]);
    expect(await isActive(first)).toBe(false);
    expect((await refresh(first)).status).toBe(401);
  });

  test('empties the store even if the network fails, and rejects then', async () => {
    const { store } = await signedIn();
    const client = clientOf('http://127.0.0.1:1', { tokens: store, maxRetries: 0 });
    const error = await errorOf(client.auth.signOut());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(store.tokens).toBeNull();
    await client.auth.signOut();
  });

  test('during a refresh: the new tokens are not saved, and are revoked', async () => {
    const { store, first } = await signedIn();
    store.tokens = ended(first);
    const out = Promise.withResolvers<void>();
    const refreshed = Promise.withResolvers<Tokens>();
    const { client, fetch: recorded } = processOf(store);
    const held = clientOf(app.address, {
      tokens: store,
      fetch: async (url, init) => {
        const response = await recorded(url, init);
        if (!url.endsWith('/oauth2/token')) return response;
        const text = await response.text();
        refreshed.resolve(JSON.parse(text));
        await out.promise;
        return new Response(text, { status: response.status, headers: response.headers });
      },
    });
    const call = held.auth.me();
    const fresh = await refreshed.promise;
    expect(await isActive(fresh)).toBe(true);
    await held.auth.signOut();
    out.resolve();
    expect(await errorOf(call)).toMatchObject({ status: 401 });
    expect(store.saves).toEqual([null]);
    expect(await isActive(fresh)).toBe(false);
    expect((await refresh(fresh)).status).toBe(401);
    expect(await errorOf(client.auth.me())).toMatchObject({ detail: 'missing bearer token' });
  });

  test('a sign-in during a refresh of the earlier session is kept', async () => {
    const [old, next] = [await signedIn(), await signedIn()];
    const { store } = old;
    store.tokens = ended(old.first);
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { client } = processOf(store, ({ input }) => {
      if (input['grant_type'] !== 'refresh_token') return undefined;
      asked.resolve();
      return answered.promise;
    });
    const call = client.auth.me();
    await asked.promise;
    await client.auth.signIn({ email: next.email, password });
    // The new member's call does not depend on the running refresh of the earlier member.
    expect((await client.auth.me()).user.email).toBe(next.email);
    answered.resolve();
    await call.catch(() => {});
    expect((await client.auth.me()).user.email).toBe(next.email);
    expect(store.saves).toHaveLength(1);
  });
});
