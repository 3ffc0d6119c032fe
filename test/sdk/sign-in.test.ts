import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  AuthenticationError,
  PermissionDeniedError,
  UnprocessableContentError,
  type Workspace,
  WorkspaceRequiredError,
} from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { clientOf, errorOf, password, recorder, sharedStore } from './sign-in-recorder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const closed = useTestApp({ env: { PASSWORD_SIGNIN_ENABLED: 'false' } });

let members = 0;

/** Creates a workspace, and returns the email address of its creator. */
async function founded(email = `signer${++members}@example.org`) {
  const founder = await app.signUp({ email, password });
  return { ...founder, email };
}

describe('auth.signIn', () => {
  test('returns tokens with their expiry times, which are already in the store', async () => {
    const { email, tenantId } = await founded();
    const tokens = sharedStore();
    const client = clientOf(app.address, { tokens });
    const before = Date.now();
    const signedIn = await client.auth.signIn({ email, password });
    const after = Date.now();
    expect(signedIn).toEqual({
      access_token: expect.stringMatching(/^\S{20,}$/),
      refresh_token: expect.stringMatching(/^\S{20,}$/),
      refresh_retry_key: expect.stringMatching(/^\S{20,}$/),
      token_type: 'bearer',
      expires_in: 3600,
      refresh_expires_in: 2_592_000,
      scope: 'translate:jobs',
      user: {
        user_id: expect.any(String),
        tenant_id: tenantId,
        email,
        provider: 'email',
        role: expect.any(String),
      },
      expires_at: expect.any(Number),
      refresh_expires_at: expect.any(Number),
    });
    expect(signedIn.expires_at).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(signedIn.expires_at).toBeLessThanOrEqual(after + 3_600_000);
    expect(signedIn.refresh_expires_at - signedIn.expires_at).toBe(2_592_000_000 - 3_600_000);
    expect(tokens.saves).toEqual([signedIn]);
    expect(JSON.parse(JSON.stringify(signedIn))).toEqual(signedIn);
  });

  test('from then on calls are the member’s; without a store the session is in memory', async () => {
    const { email, tenantId } = await founded();
    const client = clientOf(app.address);
    expect(await errorOf(client.auth.me())).toBeInstanceOf(AuthenticationError);
    await client.auth.signIn({ email, password });
    const { user, tenant } = await client.auth.me();
    expect(user).toMatchObject({
      email,
      tenant_id: tenantId,
      role: 'global_administrator',
      totp_enrolled: false,
    });
    expect(tenant.id).toBe(tenantId);
    const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    expect(await client.translations.delete(job.id)).toMatchObject({ deleted: true });
    // This call uses the REST API, which also accepts files.
    const data = new TextEncoder().encode('The plan');
    const [page] = await client.translations.createFromFile({ name: 'plan.md', data }, { target_lang: 'fr' });
    expect((await client.translations.golden(page?.id ?? '')).bytes.length).toBeGreaterThan(0);
  });

  test('a wrong password is an AuthenticationError, and nobody is signed in', async () => {
    const { email } = await founded();
    const tokens = sharedStore();
    const { fetch, sent } = recorder();
    const wrong = { email, password: 'not the passphrase' };
    const error = await errorOf(clientOf(app.address, { tokens, fetch }).auth.signIn(wrong));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error['detail']).toBe('invalid email or password');
    expect([tokens.saves, sent.length]).toEqual([[], 1]);
  });

  test('a missing field is the error of that field; a switched-off method is a PermissionDeniedError', async () => {
    const { email } = await founded();
    const empty = await errorOf(clientOf(app.address).auth.signIn({ email, password: '' }));
    expect(empty).toBeInstanceOf(UnprocessableContentError);
    expect(empty['detail']).toMatchObject([{ loc: ['body', 'password'] }]);
    const off = await errorOf(clientOf(closed.address).auth.signIn({ email, password }));
    expect(off).toBeInstanceOf(PermissionDeniedError);
  });

  test('printing the client shows neither a token nor the password', async () => {
    const { email } = await founded();
    const client = clientOf(app.address);
    const { access_token, refresh_token } = await client.auth.signIn({ email, password });
    const shown = inspect(client, { depth: 20, showHidden: true }) + JSON.stringify(client);
    for (const secret of [access_token, refresh_token, password]) expect(shown).not.toContain(secret);
  });
});

describe('workspaces (A 4.3 rule 3)', () => {
  async function ofTwo() {
    const one = await founded();
    const two = await founded(one.email);
    return { email: one.email, tenants: [one.tenantId, two.tenantId] as const };
  }

  test('onWorkspaces chooses among those that the password fits', async () => {
    const { email, tenants } = await ofTwo();
    const client = clientOf(app.address);
    const offered: Workspace[][] = [];
    const { user } = await client.auth.signIn(
      { email, password },
      {
        async onWorkspaces(workspaces) {
          offered.push(workspaces);
          return tenants[1];
        },
      },
    );
    expect(user.tenant_id).toBe(tenants[1]);
    expect(offered).toHaveLength(1);
    expect(offered[0]?.map(({ tenant_id }) => tenant_id).sort()).toEqual([...tenants].sort());
    expect(offered[0]?.every(({ tenant_name }) => tenant_name !== '')).toBe(true);
    expect((await client.auth.me()).tenant.id).toBe(tenants[1]);
  });

  test('without it, an error explains that and lists them; with tenantId there is no choice', async () => {
    const { email, tenants } = await ofTwo();
    const client = clientOf(app.address);
    const error = await errorOf(client.auth.signIn({ email, password }));
    expect(error).toBeInstanceOf(WorkspaceRequiredError);
    expect(error).toMatchObject({ name: 'WorkspaceRequiredError', callback: 'onWorkspaces', status: null });
    expect(error.message).toContain('onWorkspaces');
    const { workspaces } = error as unknown as WorkspaceRequiredError;
    expect(workspaces.map(({ tenant_id }) => tenant_id).sort()).toEqual([...tenants].sort());

    const pinned = await client.auth.signIn({ email, password, tenantId: tenants[0] });
    expect(pinned.user.tenant_id).toBe(tenants[0]);
  });

  test('an error of the callback is thrown; the signal ends the wait for it', async () => {
    const { email } = await ofTwo();
    const client = clientOf(app.address);
    const gone = new Error('the window was closed');
    const onWorkspaces = () => {
      throw gone;
    };
    expect(await errorOf(client.auth.signIn({ email, password }, { onWorkspaces }))).toBe(gone);

    const controller = new AbortController();
    const forever = () => {
      controller.abort(gone);
      return new Promise<string>(() => {});
    };
    const { signal } = controller;
    expect(await errorOf(client.auth.signIn({ email, password }, { onWorkspaces: forever, signal }))).toBe(
      gone,
    );
  });
});

describe('beside the other credentials', () => {
  test('C 7: the session takes precedence over apiKey, which is not sent; without a session the key is used', async () => {
    const { email, apiKey, tenantId } = await founded();
    const other = await founded();
    const { fetch, sent } = recorder();
    const client = clientOf(app.address, { apiKey: other.apiKey, fetch });
    await client.auth.signIn({ email, password });
    const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    expect(job.request.metadata).toMatchObject({ tenant: { id: tenantId } });
    expect(sent.at(-1)?.headers).not.toHaveProperty('x-api-key');

    await client.auth.signOut();
    const next = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
    expect(next.request.metadata).toMatchObject({ tenant: { id: other.tenantId } });
    expect(apiKey).not.toBe(other.apiKey);
  });
});
