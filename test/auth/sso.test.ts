import { describe, expect, test } from 'vitest';
import { openTeam, personOf } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { me, refresh, sessionCookie } from './sign-in.ts';
import { baseUrl, clientSecret, dancing, openIdentityProvider, redirectUri } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const listed = 'https://elsewhere.example/app/callback';
const app = useTestApp({ env: { ...env, OIDC_REDIRECT_URIS: `${listed}, myapp://signed-in` } });
const dance = dancing(app, provider);

const tenants = async (): Promise<number> => {
  const [row] = await openSuperuser(app.superuserUrl)`select count(*)::int as n from tenants`;
  return row?.['n'];
};

const routes: [string, string, object | undefined][] = [
  ['POST', 'authorize', { redirect_uri: redirectUri }],
  ['POST', 'callback', { code: 'x', state: 'x' }],
  ['GET', 'client-config', undefined],
];

describe('C 2: GET client-config', () => {
  test('returns provider, issuer, client_id and scopes, and no secret', async () => {
    const { status, body } = await app.json('GET', '/api/oauth2/oidc/client-config');
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['client_id', 'issuer', 'provider', 'scopes']);
    expect(body).toMatchObject({ provider: 'oidc', issuer: provider.issuer, client_id: 'lingualoop' });
    const scopes = [body.scopes].flat().join(' ').split(' ');
    expect(scopes).toEqual(expect.arrayContaining(['openid', 'email']));
    expect(JSON.stringify(body)).not.toContain(clientSecret);
  });
});

describe('A 5.2, C 2: the provider', () => {
  test.each([['google'], ['OIDC'], ['oidc2'], ['email'], ['constructor'], ['__proto__']])(
    '%s is not implemented: 404 on each of the three',
    async (name) => {
      for (const [method, route, body] of routes) {
        const answer = await app.json(method, `/api/oauth2/${name}/${route}`, { body });
        expect([route, answer.status, typeof answer.body.detail]).toEqual([route, 404, 'string']);
      }
    },
  );

  const off = useTestApp({ env: { ...env, OIDC_ENABLED: 'false' } });

  test('switched off: 403 single sign-on is disabled on each of the three', async () => {
    for (const [method, route, body] of routes) {
      const answer = await off.json(method, `/api/oauth2/oidc/${route}`, { body });
      expect([route, answer.status, answer.body]).toEqual([
        route,
        403,
        { detail: 'single sign-on is disabled' },
      ]);
    }
    const other = await off.json('GET', '/api/oauth2/google/client-config');
    expect(other.status).toBe(404);
  });
});

describe('C 2: POST authorize', () => {
  test('returns an address at the provider: code, PKCE, state, nonce, and nothing secret', async () => {
    const { status, body } = await dance.authorize();
    expect(status).toBe(200);
    expect(body).toEqual({ authorization_url: expect.any(String), state: expect.any(String) });
    const url = new URL(body.authorization_url);
    expect(url.origin).toBe(provider.issuer);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      response_type: 'code',
      client_id: 'lingualoop',
      redirect_uri: redirectUri,
      state: body.state,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      nonce: expect.any(String),
    });
    expect(query['scope']?.split(' ')).toEqual(expect.arrayContaining(['openid', 'email']));
    expect(body.authorization_url).not.toContain(encodeURIComponent(clientSecret));
    expect(query).not.toHaveProperty('code_verifier');
  });

  test('state, nonce and challenge are new each time', async () => {
    const urls = [];
    for (let i = 0; i < 3; i++) urls.push(new URL((await dance.authorize()).body.authorization_url));
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(urls.map((url) => url.searchParams.get(name))).size).toBe(3);
    for (const url of urls) expect(url.searchParams.get('state')?.length).toBeGreaterThanOrEqual(22);
  });

  test.each([
    [redirectUri],
    [`${baseUrl}/`],
    [`${baseUrl}/app/anything?x=1`],
    [listed],
    ['myapp://signed-in'],
  ])('C 7: redirect_uri %s is of BASE_URL’s origin or listed: 200', async (address) => {
    const { status, body } = await dance.authorize({ redirect_uri: address });
    expect(status).toBe(200);
    expect(new URL(body.authorization_url).searchParams.get('redirect_uri')).toBe(address);
  });

  test.each([
    ['another host', 'https://evil.example/signin/callback'],
    ['a host that begins alike', 'https://lingualoop.example.evil.example/'],
    ['a host that ends alike', 'https://evil-lingualoop.example/'],
    ['a subdomain', 'https://app.lingualoop.example/'],
    ['the host as a user name', 'https://lingualoop.example@evil.example/'],
    ['the host behind a backslash', 'https://evil.example\\@lingualoop.example/'],
    ['another scheme', 'http://lingualoop.example/signin/callback'],
    ['another port', 'https://lingualoop.example:8443/signin/callback'],
    ['a path below a listed one', `${listed}/more`],
    ['a query beside a listed one', `${listed}?next=x`],
    ['the origin of a listed one', 'https://elsewhere.example/'],
    ['a part of the list', `${listed}, myapp://signed-in`],
    ['a script', 'javascript:alert(1)//https://lingualoop.example/'],
    ['data', 'data:text/html,x'],
    ['without a scheme', '//lingualoop.example/'],
    ['a path alone', '/signin/callback'],
    ['nothing', ''],
  ])('C 7: redirect_uri of %s is 400', async (_, address) => {
    const { status, headers, body } = await dance.authorize({ redirect_uri: address });
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(headers.getSetCookie()).toEqual([]);
  });

  test.each([[{}], [{ redirect_uri: 1 }], [{ redirect_uri: redirectUri, tenant_id: 1 }]])(
    'C 7: %j is 422',
    async (body) => {
      expect((await app.json('POST', '/api/oauth2/oidc/authorize', { body })).status).toBe(422);
    },
  );
});

describe('C 2: POST callback', () => {
  test('A 4.1: returns an OAuth2TokenResponse with tenant_api_key, and sets the cookie', async () => {
    const ada = account();
    const { status, headers, body } = await dance.signIn(ada.sub);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'translate:jobs',
      refresh_token: expect.any(String),
      refresh_expires_in: 2_592_000,
      user: { email: ada.email, provider: 'oauth2' },
      tenant_api_key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    });
    expect(sessionCookie({ headers })?.get('ll_session')).toBe(body.access_token);
    const person = personOf(body);
    expect((await me(app, person.bearer)).body.user).toMatchObject({
      user_id: person.userId,
      email: ada.email,
    });
    const refreshed = await refresh(app, person.refreshToken);
    expect(refreshed.status).toBe(200);
    expect((await me(app, personOf(refreshed.body).bearer)).status).toBe(200);
  });

  test('A 2.2: the address is kept in lower case', async () => {
    const { sub } = account({ email: 'Mixed.Case@Example.ORG' });
    expect((await dance.signIn(sub)).body.user.email).toBe('mixed.case@example.org');
  });

  test('C 7: with the headers of the own page and the cookie of authorize: 200', async () => {
    const brought = await dance.bring(account().sub);
    const sameOrigin = { origin: baseUrl, 'sec-fetch-site': 'same-origin' };
    expect((await dance.callback(brought, { ...brought.cookie, ...sameOrigin })).status).toBe(200);
  });

  test.each([[{}], [{ code: 'x' }], [{ state: 'x' }], [{ code: 1, state: 'x' }]])(
    'C 7: %j is 422',
    async (body) => {
      expect((await app.json('POST', '/api/oauth2/oidc/callback', { body })).status).toBe(422);
    },
  );

  test.each([[false], [undefined]])('C 2: an e-mail whose email_verified is %j is 403', async (verified) => {
    const before = await tenants();
    const { sub } = account({ email_verified: verified as boolean });
    const { status, headers, body } = await dance.signIn(sub);
    expect([status, typeof body.detail]).toEqual([403, 'string']);
    expect(sessionCookie({ headers })).toBeUndefined();
    expect(await tenants()).toBe(before);
  });

  test('A 5.2: is public: other credentials do not matter', async () => {
    const team = await openTeam(app);
    const brought = await dance.bring(account().sub);
    const { status, body } = await dance.callback(brought, team.admin);
    expect(status).toBe(200);
    expect(body.user.tenant_id).not.toBe(team.tenantId);
  });
});
