import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  AuthenticationError,
  LinguaLoop,
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

/** A fresh workspace, and the address of its founder. */
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
    // The documented surface, which carries files, too.
    const data = new TextEncoder().encode('The plan');
    const [page] = await client.translations.createFromFile({ name: 'plan.md', data }, { target_lang: 'fr' });
    expect((await client.translations.golden(page?.id ?? '')).bytes.length).toBeGreaterThan(0);
  });

  test('the scope is recorded on the tokens', async () => {
    const { email } = await founded();
    const { scope } = await clientOf(app.address).auth.signIn({ email, password, scope: 'reports:read' });
    expect(scope).toBe('reports:read');
  });

  test.each([
    ['a wrong password', { password: 'not the passphrase' }],
    ['an unknown address', { email: 'nobody@example.org' }],
    ['a workspace that is none', { tenantId: 'nowhere' }],
  ])('%s is an AuthenticationError, and nobody is signed in', async (_, wrong) => {
    const { email } = await founded();
    const tokens = sharedStore();
    const { fetch, sent } = recorder();
    const client = clientOf(app.address, { tokens, fetch });
    const error = await errorOf(client.auth.signIn({ email, password, ...wrong }));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error['detail']).toBe('invalid email or password');
    expect(tokens.saves).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  test('a failed sign-in leaves the session that was there', async () => {
    const { email } = await founded();
    const client = clientOf(app.address);
    await client.auth.signIn({ email, password });
    await errorOf(client.auth.signIn({ email, password: 'not the passphrase' }));
    expect((await client.auth.me()).user.email).toBe(email);
  });

  test('a missing field is the error of that field; a switched-off method is a PermissionDeniedError', async () => {
    const { email } = await founded();
    const empty = await errorOf(clientOf(app.address).auth.signIn({ email, password: '' }));
    expect(empty).toBeInstanceOf(UnprocessableContentError);
    expect(empty['detail']).toMatchObject([{ loc: ['body', 'password'] }]);
    const off = await errorOf(clientOf(closed.address).auth.signIn({ email, password }));
    expect(off).toBeInstanceOf(PermissionDeniedError);
  });

  test('an aborted signal ends it, before anything is sent', async () => {
    const { email } = await founded();
    const { fetch, sent } = recorder();
    const client = clientOf(app.address, { fetch });
    const reason = new Error('changed my mind');
    const signal = AbortSignal.abort(reason);
    expect(await errorOf(client.auth.signIn({ email, password }, { signal }))).toBe(reason);
    expect(sent).toHaveLength(0);
  });

  test('a sign-in replaces the one before', async () => {
    const [first, second] = [await founded(), await founded()];
    const client = clientOf(app.address);
    await client.auth.signIn({ email: first.email, password });
    await client.auth.signIn({ email: second.email, password });
    expect((await client.auth.me()).user.email).toBe(second.email);
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

  test('the client’s tenantId pins the workspace, the sign-in’s own takes precedence', async () => {
    const { email, tenants } = await ofTwo();
    const client = clientOf(app.address, { tenantId: tenants[1] });
    expect((await client.auth.signIn({ email, password })).user.tenant_id).toBe(tenants[1]);
    expect((await client.auth.me()).tenant.id).toBe(tenants[1]);
    const other = await client.auth.signIn({ email, password, tenantId: tenants[0] });
    expect(other.user.tenant_id).toBe(tenants[0]);
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

  test('and over accessToken, which is used again when the session ends', async () => {
    const [one, two] = [await founded(), await founded()];
    const client = clientOf(app.address, { accessToken: () => two.accessToken });
    expect((await client.auth.me()).tenant.id).toBe(two.tenantId);
    await client.auth.signIn({ email: one.email, password });
    expect((await client.auth.me()).tenant.id).toBe(one.tenantId);
    await client.auth.signOut();
    expect((await client.auth.me()).tenant.id).toBe(two.tenantId);
  });

  test('auth.me never uses an API key', async () => {
    const { apiKey } = await founded();
    const error = await errorOf(clientOf(app.address, { apiKey }).auth.me());
    expect(error).toMatchObject({ status: 401, detail: 'missing bearer token' });
  });
});

describe('auth.signUp', () => {
  test('does not sign in', async () => {
    const tokens = sharedStore();
    const client = clientOf(app.address, { tokens });
    const email = `signer${++members}@example.org`;
    const { token, mfa_required } = await client.auth.signUp({
      tenant_name: 'Press office',
      email,
      password,
    });
    expect(mfa_required).toBe(false);
    expect(token?.user.email).toBe(email);
    expect(tokens.saves).toEqual([]);
    expect(await errorOf(client.auth.me())).toBeInstanceOf(AuthenticationError);
  });

  test('joins by an invite, which needs no name of a workspace', async () => {
    const { tenantId, accessToken } = await founded();
    const invite = await app.json('POST', '/api/tenants/invites', {
      body: {},
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(invite.status).toBe(200);
    const client = new LinguaLoop({ baseUrl: app.address });
    const email = `signer${++members}@example.org`;
    const joined = await client.auth.signUp({ email, password, invite_token: invite.body.invite_token });
    expect(joined).toMatchObject({ account: { id: tenantId }, tenant_api_key: null, mfa_required: false });
    await client.auth.signIn({ email, password });
    expect((await client.auth.me()).user).toMatchObject({ tenant_id: tenantId, role: 'agent_id_developer' });
  });
});
