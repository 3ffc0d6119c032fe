import { describe, expect, test } from 'vitest';
import { AuthenticationError, type Tokens } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
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

/** A signed-in client of a new workspace, and the requests that the client sends. */
async function signedIn(
  change: (tokens: Tokens) => Tokens = (tokens) => tokens,
  before?: (sent: Sent) => unknown,
  at = app,
) {
  const email = `refresher${++members}@example.org`;
  const { tenantId, apiKey } = await at.signUp({ email, password });
  const store = sharedStore();
  const recorded = recorder(before);
  const client = clientOf(at.address, { tokens: store, fetch: recorded.fetch });
  const first = await client.auth.signIn({ email, password });
  store.tokens = change(first);
  recorded.sent.length = 0;
  store.saves.length = 0;
  return { client, store, first, email, tenantId, apiKey, ...recorded };
}

const hello = { source_text: 'Hello', target_lang: 'fr' };
const many = Array.from({ length: 20 }, (_, n) => n);

/** Returns a function whose promise resolves after `count` callers have called it. */
function gate(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting === count) resolve();
    return promise;
  };
}

describe('a refresh before the token ends', () => {
  test('20 calls that meet an ended token make one refresh request, and none is sent without the new token', async () => {
    const { client, first, refreshes, sent } = await signedIn(ended);
    const users = await Promise.all(many.map(() => client.auth.me()));
    expect(new Set(users.map(({ user }) => user.user_id))).toEqual(new Set([first.user.user_id]));
    expect(refreshes()).toHaveLength(1);
    expect(refreshes()[0]?.input['refresh_token']).toBe(first.refresh_token);
    expect(sent[0]?.call).toBe('/api/oauth2/token');
    const bearers = new Set(sent.slice(1).map(({ headers }) => headers['authorization']));
    expect(bearers.size).toBe(1);
    expect(bearers).not.toContain(`Bearer ${first.access_token}`);
    expect(sent.every(({ status }) => status === 200)).toBe(true);
  });

  test('within the last 30 seconds, not before', async () => {
    const soon = await signedIn((tokens) => ({ ...tokens, expires_at: Date.now() + 29_000 }));
    await soon.client.auth.me();
    expect(soon.refreshes()).toHaveLength(1);
    const later = await signedIn((tokens) => ({ ...tokens, expires_at: Date.now() + 40_000 }));
    await later.client.auth.me();
    expect(later.refreshes()).toHaveLength(0);
  });
});

describe('a refresh after a 401', () => {
  test('20 calls that the service refuses make one refresh request, and each is repeated once', async () => {
    const all = gate(20);
    const { client, refreshes, sent, calls } = await signedIn(refused, ({ call, headers }) =>
      call === '/api/auth/me' && headers['authorization']?.endsWith('xxx') ? all() : undefined,
    );
    const users = await Promise.all(many.map(() => client.auth.me()));
    expect(users).toHaveLength(20);
    expect(refreshes()).toHaveLength(1);
    expect(calls().filter((call) => call === '/api/auth/me')).toHaveLength(40);
    expect(sent.filter(({ status }) => status === 401)).toHaveLength(20);
  });

  test('a 401 that comes after the refresh starts no second one', async () => {
    const late = Promise.withResolvers<void>();
    let held = false;
    const { client, refreshes } = await signedIn(refused, ({ call }) => {
      if (call !== '/api/auth/me' || held) return undefined;
      held = true;
      return late.promise;
    });
    const slow = client.auth.me();
    await client.translations.listPage();
    expect(refreshes()).toHaveLength(1);
    late.resolve();
    await slow;
    expect(refreshes()).toHaveLength(1);
  });

  test('once: if the new token is refused too, the call fails', async () => {
    const { client, refreshes, calls } = await signedIn(refused, ({ call, headers }) => {
      if (call === '/api/auth/me') headers['authorization'] = `Bearer ${'y'.repeat(43)}`;
    });
    const error = await errorOf(client.auth.me());
    expect(error).toMatchObject({ status: 401, detail: 'invalid or expired bearer token' });
    expect(refreshes()).toHaveLength(1);
    expect(calls()).toEqual(['/api/auth/me', '/api/oauth2/token', '/api/auth/me']);
  });

  test('not if the 401 has another cause: a good token of another tenant than tenantId', async () => {
    const { store, first, tenantId } = await signedIn();
    const other = await app.signUp();
    const { fetch, calls } = recorder();
    const client = clientOf(app.address, { tokens: store, fetch, tenantId: other.tenantId });
    expect(await errorOf(client.translations.listPage())).toBeInstanceOf(AuthenticationError);
    expect(calls()).toEqual(['/api/translations']);
    expect(store.tokens).toEqual(first);
    const own = clientOf(app.address, { tokens: store, tenantId });
    expect((await own.translations.listPage()).items).toEqual([]);
  });
});

describe('a refresh that is refused', () => {
  test('empties the store and rejects every call with the AuthenticationError of the refresh', async () => {
    const { client, store, refreshes, calls } = await signedIn((tokens) => ({
      ...ended(tokens),
      refresh_token: 'x'.repeat(43),
    }));
    const errors = await Promise.all(many.map(() => errorOf(client.auth.me())));
    for (const error of errors) {
      expect(error).toBeInstanceOf(AuthenticationError);
      expect(error['detail']).toBe('invalid or expired refresh token');
    }
    expect(store.saves).toEqual([null]);
    expect(refreshes()).toHaveLength(1);
    expect(calls()).toEqual(['/api/oauth2/token']);
    // The store has no tokens now.
    expect(await errorOf(client.auth.me())).toMatchObject({ detail: 'missing bearer token' });
    expect(refreshes()).toHaveLength(1);
  });

  test('a call does not fall back to the key of the options', async () => {
    const { store, apiKey, email } = await signedIn();
    const { fetch, sent } = recorder();
    const client = clientOf(app.address, { apiKey, tokens: store, fetch });
    const tokens = await client.auth.signIn({ email, password });
    store.tokens = { ...refused(tokens), refresh_token: 'x'.repeat(43) };
    sent.length = 0;
    expect(await errorOf(client.translations.create(hello))).toBeInstanceOf(AuthenticationError);
    expect(sent.map(({ call }) => call)).toEqual(['/api/translations', '/api/oauth2/token']);
    expect(sent.every(({ headers }, n) => n === 1 || !('x-api-key' in headers))).toBe(true);
  });
});

describe("the caller's signal and deadline", () => {
  test('an aborted call does not end the refresh that others wait for', async () => {
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const { client, refreshes, calls } = await signedIn(ended, ({ input }) => {
      if (input['grant_type'] !== 'refresh_token') return undefined;
      asked.resolve();
      return answered.promise;
    });
    const controller = new AbortController();
    const impatient = client.translations.golden('1', {}, { signal: controller.signal });
    const hasty = client.auth.me({ timeout: 5, maxRetries: 0 });
    const patient = client.auth.me();
    await asked.promise;
    controller.abort('enough');
    await expect(impatient).rejects.toBe('enough');
    await expect(hasty).rejects.toMatchObject({ name: 'TimeoutError', call: 'auth.me' });
    answered.resolve();
    expect((await patient).user.email).toContain('refresher');
    expect(refreshes()).toHaveLength(1);
    // A call that was aborted during the refresh is not sent after it.
    expect(calls()).toEqual(['/api/oauth2/token', '/api/auth/me']);
  });

  test('neither does an aborted only caller: the refreshed tokens are saved', async () => {
    const asked = Promise.withResolvers<void>();
    const { client, store, first, refreshes } = await signedIn(ended, ({ input }) =>
      input['grant_type'] === 'refresh_token' ? asked.resolve() : undefined,
    );
    const controller = new AbortController();
    const call = client.auth.me({ signal: controller.signal });
    await asked.promise;
    controller.abort('enough');
    await expect(call).rejects.toBe('enough');
    await client.auth.me();
    expect(refreshes()).toHaveLength(1);
    expect(store.tokens?.refresh_token).not.toBe(first.refresh_token);
  });
});
