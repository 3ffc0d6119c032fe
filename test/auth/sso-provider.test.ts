import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { rangeOf } from '#server/auth/sso/address-range.ts';
import { checkIssuer, type OutboundParts, openOutbound, type Resolve } from '#server/auth/sso/outbound.ts';
import { openSsoProvider, type SsoExchange, type SsoProvider } from '#server/auth/sso/provider.ts';
import type { AppError } from '#server/errors.ts';
import { SettingsError } from '#server/settings.ts';
import {
  type FakeOidcProvider,
  type OidcEndpoint,
  type OidcFaults,
  type OidcProviderOptions,
  startOidcProvider,
} from '#test/fakes/oidc-provider.ts';

const clientId = 'lingualoop';
const clientSecret = 'a secret: with signs % in it';
const redirectUris = ['http://127.0.0.1:9/callback', 'http://127.0.0.1:9/callback?from=here'];
const ada = {
  sub: 'ada-1',
  email: 'ada@example.org',
  email_verified: true,
  org_id: 'org-1',
  number_claim: 17,
  list_claim: ['org-1'],
};
const options: OidcProviderOptions = { clientId, clientSecret, redirectUris, accounts: [ada] };

let provider: FakeOidcProvider;
beforeAll(async () => {
  provider = await startOidcProvider(options);
});
afterAll(() => provider.stop());

let sso: SsoProvider;
beforeEach(() => {
  provider.faults = {};
  provider.requests.length = 0;
  sso = open();
});

interface Opening extends OutboundParts {
  issuer?: string;
  secret?: string;
  orgClaim?: string;
}

function open({ issuer, secret = clientSecret, orgClaim = 'org_id', ...parts }: Opening = {}): SsoProvider {
  const settings = {
    OIDC_ISSUER: issuer ?? provider.issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: secret || undefined,
    OIDC_ORG_CLAIM: orgClaim,
  };
  return openSsoProvider(settings, parts);
}

function newExchange(redirectUri = redirectUris[0]!): SsoExchange {
  const random = () => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), codeVerifier: random(), redirectUri };
}

/** Signs in as somebody up to the code. */
async function getCode(by: SsoProvider, exchange: SsoExchange, at = provider): Promise<string> {
  return (await at.signIn(await by.authorizationUrl(exchange), ada.sub)).code;
}

/** The whole dance. What goes wrong does so from the exchange of the code on. */
async function dance(by = sso, faults: OidcFaults = {}, at = provider) {
  const exchange = newExchange();
  const code = await getCode(by, exchange, at);
  at.faults = faults;
  return by.identify(code, exchange);
}

async function failureOf(answer: Promise<unknown>): Promise<AppError> {
  const outcome = await answer.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (error: AppError) => error,
  );
  return outcome;
}

/** 401, for the reason given: the log's, not the caller's. */
async function expectFailed(answer: Promise<unknown>, reason: RegExp): Promise<void> {
  const error = await failureOf(answer);
  expect(error).toMatchObject({ code: 'unauthenticated', status: 401, message: 'single sign-on failed' });
  expect((error.cause as Error).message).toMatch(reason);
}

async function expectUnreachable(answer: Promise<unknown>, reason: RegExp): Promise<void> {
  const error = await failureOf(answer);
  expect(error).toMatchObject({
    code: 'transient_error',
    status: 503,
    message: 'the identity provider cannot be reached; try again',
  });
  expect((error.cause as Error).message).toMatch(reason);
}

const answer =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

describe('who signed in', () => {
  test('C 2: the whole dance says who it is', async () => {
    const exchange = newExchange();
    const back = await provider.signIn(await sso.authorizationUrl(exchange), ada.sub);
    expect(back).toMatchObject({ state: exchange.state, redirectUri: exchange.redirectUri });
    expect(await sso.identify(back.code, exchange)).toEqual({
      issuer: provider.issuer,
      subject: 'ada-1',
      email: 'ada@example.org',
      emailVerified: true,
      organization: 'org-1',
    });
    expect(provider.requests).not.toContain('userinfo');
  });

  test('C 2: the browser is sent with state, nonce and an S256 challenge, and with no secret', async () => {
    const exchange = newExchange();
    const url = new URL(await sso.authorizationUrl(exchange));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: clientId,
      redirect_uri: exchange.redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state: exchange.state,
      nonce: exchange.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(url.href).not.toContain(exchange.codeVerifier);
  });

  test('a redirect address may have a query', async () => {
    const exchange = newExchange(redirectUris[1]);
    const back = await provider.signIn(await sso.authorizationUrl(exchange), ada.sub);
    expect(back.redirectUri).toBe(redirectUris[1]);
    expect(await sso.identify(back.code, exchange)).toMatchObject({ subject: 'ada-1' });
  });

  test.each([
    ['a secret in the body', { authentication: 'client_secret_post' }, clientSecret],
    ['no secret', { clientSecret: '' }, ''],
  ] as const)('a client that is registered with %s can sign in', async (_, registered, secret) => {
    await using other = await startOidcProvider({ ...options, ...registered });
    const by = open({ issuer: other.issuer, secret });
    expect(await dance(by, {}, other)).toMatchObject({ subject: 'ada-1' });
  });

  test('a wrong client secret is a failure', async () => {
    await expectFailed(dance(open({ secret: 'another' })), /challenge|invalid_client/);
  });

  test('the address is taken from userinfo where the ID token has none', async () => {
    await using other = await startOidcProvider({ ...options, claimsIn: 'userinfo' });
    expect(await dance(open({ issuer: other.issuer }), {}, other)).toMatchObject({
      email: 'ada@example.org',
      emailVerified: true,
      organization: 'org-1',
    });
    expect(other.requests.filter((endpoint) => endpoint === 'userinfo')).toHaveLength(1);
  });

  test('an address that userinfo has not verified is not, whatever the ID token says of one it does not name', async () => {
    const identity = await dance(sso, {
      idToken: { email: undefined, email_verified: true },
      reply: { userinfo: answer(200, JSON.stringify({ sub: ada.sub, email: 'eve@example.org' })) },
    });
    expect(identity).toMatchObject({ email: 'eve@example.org', emailVerified: false });
  });

  test('userinfo about somebody else is a failure', async () => {
    const reply = { userinfo: answer(200, JSON.stringify({ sub: 'eve-1', email: 'eve@example.org' })) };
    await expectFailed(dance(sso, { idToken: { email: undefined }, reply }), /"sub"|attribute/);
  });

  test.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [1, false],
    [undefined, false],
  ])('email_verified %j is %j', async (said, emailVerified) => {
    expect(await dance(sso, { idToken: { email_verified: said } })).toMatchObject({ emailVerified });
  });

  test.each([
    ['number_claim', '17'],
    ['list_claim', null],
    ['no_such_claim', null],
    ['constructor', null],
  ])('OIDC_ORG_CLAIM=%s gives %j', async (orgClaim, organization) => {
    expect(await dance(open({ orgClaim }))).toMatchObject({ organization });
  });

  test.each([
    ['a subject', { sub: 'x'.repeat(256) }, /too long/],
    ['an address', { email: `${'x'.repeat(256)}@example.org` }, /too long/],
    ['an organization', { org_id: 'a\0b' }, /stored/],
    ['a subject', { sub: '' }, /empty/],
  ])('%s that cannot be kept is a failure: %o', async (_, idToken, reason) => {
    await expectFailed(dance(sso, { idToken }), reason);
  });
});

describe('C 7: 401 `single sign-on failed`', () => {
  const changes: [string, (exchange: SsoExchange) => Partial<SsoExchange>, RegExp][] = [
    ['another verifier', () => ({ codeVerifier: newExchange().codeVerifier }), /invalid_grant/],
    ['another nonce', () => ({ nonce: newExchange().nonce }), /nonce/],
    ['another redirect address', () => ({ redirectUri: redirectUris[1]! }), /invalid_grant/],
  ];
  test.each(changes)('%s', async (_, change, reason) => {
    const exchange = newExchange();
    const code = await getCode(sso, exchange);
    await expectFailed(sso.identify(code, { ...exchange, ...change(exchange) }), reason);
  });

  const soon = () => Math.floor(Date.now() / 1000);
  const faults: [string, () => OidcFaults, RegExp][] = [
    ['an ID token with another nonce', () => ({ idToken: { nonce: 'another' } }), /nonce/],
    ['an ID token without a nonce', () => ({ idToken: { nonce: undefined } }), /nonce/],
    ['an ID token of another issuer', () => ({ idToken: { iss: 'https://example.org' } }), /iss/],
    ['an ID token for another client', () => ({ idToken: { aud: 'another' } }), /aud/],
    ['an expired ID token', () => ({ idToken: { exp: soon() - 60 } }), /exp/],
    ['an ID token signed by another key', () => ({ foreignKey: true }), /signature/],
    ['an ID token that is not signed', () => ({ unsigned: true }), /alg/],
    ['no ID token', () => tokenAnswer('{"access_token":"a","token_type":"bearer"}'), /id_token/],
    ['an answer that is not JSON', () => tokenAnswer('<html>'), /JSON/],
    ['keys that are not JSON', () => ({ reply: { jwks: answer(200, '<html>') } }), /JSON/],
    ['no such endpoint', () => ({ reply: { jwks: answer(404) } }), /status/],
  ];
  const tokenAnswer = (body: string): OidcFaults => ({ reply: { token: answer(200, body) } });
  test.each(faults)('%s', async (_, fault, reason) => {
    await expectFailed(dance(sso, fault()), reason);
  });

  test('an ID token that is not signed, of a provider that lists `none`', async () => {
    provider.faults = { metadata: { id_token_signing_alg_values_supported: ['none', 'RS256'] } };
    await sso.authorizationUrl(newExchange());
    await expectFailed(dance(sso, { unsigned: true }), /alg/);
  });

  test('a code that was used', async () => {
    const exchange = newExchange();
    const code = await getCode(sso, exchange);
    await sso.identify(code, exchange);
    await expectFailed(sso.identify(code, exchange), /invalid_grant/);
  });

  test('a code that never was', async () => {
    await expectFailed(sso.identify('nobody gave it', newExchange()), /invalid_grant/);
    await expectFailed(sso.identify('', newExchange()), /no authorization code/);
  });

  test.each([
    ['another issuer', { issuer: 'https://example.org' }, /issuer/],
    ['an issuer that differs by a slash', { issuer: 'slash' }, /issuer/],
    ['no token endpoint', { token_endpoint: undefined }, /not an address/],
    ['no keys', { jwks_uri: undefined }, /not an address/],
  ])('metadata with %s', async (_, metadata: Record<string, unknown>, reason) => {
    if (metadata['issuer'] === 'slash') metadata['issuer'] = `${provider.issuer}/`;
    provider.faults = { metadata };
    await expectFailed(sso.authorizationUrl(newExchange()), reason);
  });

  test('neither the code nor a token is in the error or its causes', async () => {
    const exchange = newExchange();
    const code = await getCode(sso, exchange);
    const token = 'abcdefgh';
    for (const body of [`${token}.${token}`, `{"id_token":"${token}.${token}.${token}"`]) {
      provider.faults = tokenAnswer(body);
      const told = inspect(await failureOf(sso.identify(code, exchange)), { depth: 20, showHidden: true });
      for (const secret of [token, code, exchange.codeVerifier, exchange.nonce, clientSecret])
        expect(told).not.toContain(secret);
    }
    provider.faults = { idToken: { nonce: token } };
    const told = inspect(await failureOf(sso.identify(code, exchange)), { depth: 20, showHidden: true });
    for (const secret of [token, ada.email, exchange.nonce]) expect(told).not.toContain(secret);
  });
});

describe('C 7: 503 where the provider is out of reach', () => {
  const impatient = { timeout: 300 };
  const half = (response: ServerResponse) => void response.writeHead(200).write('{');
  const sick: [string, (response: ServerResponse) => void, RegExp, OutboundParts][] = [
    ['answers 500', answer(500), /status 500/, {}],
    ['answers 503', answer(503, '{}'), /status 503/, {}],
    ['answers 429', answer(429), /status 429/, {}],
    ['drops the connection', (response) => void response.destroy(), /UND_ERR_SOCKET|ECONNRESET/, {}],
    ['never answers', () => {}, /TimeoutError/, impatient],
    ['stops in the middle', half, /TimeoutError/, impatient],
  ];
  const asked: OidcEndpoint[] = ['discovery', 'token', 'jwks', 'userinfo'];
  test.each(asked.flatMap((endpoint) => sick.map((how) => [endpoint, ...how] as const)))(
    '%s %s',
    async (endpoint, _, reply, reason, parts) => {
      const exchange = newExchange();
      const code = await getCode(sso, exchange);
      provider.faults = { idToken: { email: undefined }, reply: { [endpoint]: reply } };
      await expectUnreachable(open(parts).identify(code, exchange), reason);
    },
  );

  test('nobody listens', async () => {
    await using gone = await startOidcProvider(options);
    await gone.stop();
    await expectUnreachable(open({ issuer: gone.issuer }).authorizationUrl(newExchange()), /ECONNREFUSED/);
  });

  test('a name that is not found, or not in time', async () => {
    const lost: Resolve[] = [
      () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
      async () => [],
      () => new Promise(() => {}),
    ];
    for (const resolve of lost) {
      const by = open({ issuer: 'https://idp.example', resolve, timeout: 300 });
      await expectUnreachable(by.authorizationUrl(newExchange()), /ENOTFOUND|no address|TimeoutError/);
    }
  });
});

describe('discovery', () => {
  const discoveries = () => provider.requests.filter((endpoint) => endpoint === 'discovery').length;
  afterEach(() => void vi.useRealTimers());

  test('is left until the first use, and is done once however many come at once', async () => {
    expect(discoveries()).toBe(0);
    await Promise.all(Array.from({ length: 20 }, () => sso.authorizationUrl(newExchange())));
    await dance();
    expect(discoveries()).toBe(1);
  });

  test('is done again after an hour, and not before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await sso.authorizationUrl(newExchange());
    vi.setSystemTime(Date.now() + 59 * 60_000);
    await sso.authorizationUrl(newExchange());
    expect(discoveries()).toBe(1);
    vi.setSystemTime(Date.now() + 2 * 60_000);
    await sso.authorizationUrl(newExchange());
    expect(discoveries()).toBe(2);
  });

  test.each([
    ['could not be had', { reply: { discovery: answer(500) } }],
    ['cannot be used', { metadata: { token_endpoint: 'https://10.0.0.1/token' } }],
  ])('what %s is not kept', async (_, faults) => {
    provider.faults = faults;
    const all = await Promise.allSettled([1, 2, 3].map(() => sso.authorizationUrl(newExchange())));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(discoveries()).toBe(1);
    provider.faults = {};
    expect(await dance()).toMatchObject({ subject: 'ada-1' });
    expect(discoveries()).toBe(2);
  });
});

describe('the issuer', () => {
  test.each([
    'https://idp.example',
    'https://idp.example/tenant/v2.0/',
    'https://10.0.0.1',
    'http://127.0.0.1:8080',
    'http://localhost:8080/realm',
    'http://idp.localhost',
    'http://[::1]:8080',
  ])('C 7: %s can be used', (issuer) => {
    expect(() => checkIssuer(issuer)).not.toThrow();
    expect(() => open({ issuer })).not.toThrow();
  });

  test.each([
    'http://idp.example',
    'http://10.0.0.1',
    'http://0.0.0.0:8080',
    'http://localhost.example',
    'http://127.0.0.1.example',
    'https://idp.example/?tenant=1',
    'https://idp.example/#tenant',
    'https://user:password@idp.example',
    'https://idp.example/.well-known/openid-configuration',
  ])('C 7: %s cannot', (issuer) => {
    expect(() => checkIssuer(issuer)).toThrow(/^OIDC_ISSUER: /);
    expect(() => open({ issuer })).toThrow(SettingsError);
  });

  test.each(['OIDC_ISSUER', 'OIDC_CLIENT_ID'])('%s is required', (name) => {
    const settings = {
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: undefined,
      OIDC_ORG_CLAIM: 'org_id',
    };
    expect(() => openSsoProvider({ ...settings, [name]: undefined })).toThrow(name);
  });
});

describe('the addresses that the provider names', () => {
  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.127.255.255', 'private'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['::ffff:10.0.0.1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['169.254.169.254', 'link_local'],
    ['::ffff:169.254.169.254', 'link_local'],
    ['64:ff9b::a9fe:a9fe', 'link_local'],
    ['fe80::1', 'link_local'],
    ['fe80::1%eth0', 'link_local'],
    ['febf::1', 'link_local'],
    ['0.0.0.0', 'reserved'],
    ['0.1.2.3', 'reserved'],
    ['::', 'reserved'],
    ['::10.0.0.1', 'reserved'],
    ['192.0.0.170', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['2002:a00:1::', 'reserved'],
    ['2001::1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['idp.example', 'reserved'],
    ['', 'reserved'],
    ['9.255.255.255', 'public'],
    ['11.0.0.0', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['192.167.255.255', 'public'],
    ['100.63.255.255', 'public'],
    ['100.128.0.0', 'public'],
    ['169.253.255.255', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['2606:4700::1', 'public'],
  ])('%s is %s', (address, range) => {
    expect(rangeOf(address)).toBe(range);
  });

  const members = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
  const unusable: [string, RegExp][] = [
    ['https://10.0.0.1/x', /private/],
    ['https://192.168.0.1/x', /private/],
    ['https://169.254.169.254/x', /link_local/],
    ['https://[fd00::1]/x', /private/],
    ['https://[::ffff:10.0.0.1]/x', /private/],
    ['https://0x0a.1/x', /private/],
    ['https://167772161/x', /private/],
    ['https://0.0.0.0/x', /reserved/],
    ['http://idp.example/x', /neither https/],
    ['http://93.184.216.34/x', /neither https/],
    ['ftp://127.0.0.1/x', /neither https/],
    ['javascript:alert(1)', /neither https/],
    ['x', /not an address/],
  ];
  test.each(members.flatMap((member) => unusable.map((how) => [member, ...how] as const)))(
    'C 7: %s %s is refused',
    async (member, address, reason) => {
      provider.faults = { metadata: { [member]: address } };
      await expectFailed(sso.authorizationUrl(newExchange()), reason);
    },
  );

  test('a range is open to them only where the issuer is in it', () => {
    const refused = (issuer: string, address: string) =>
      expect(() => openOutbound(issuer).check(address)).toThrow(/and the issuer is not/);
    const allowed = (issuer: string, address: string) =>
      expect(() => openOutbound(issuer).check(address)).not.toThrow();
    allowed('https://93.184.216.34', 'https://93.184.216.35');
    refused('https://93.184.216.34', 'http://127.0.0.1:5432');
    refused('https://93.184.216.34', 'https://10.0.0.1');
    refused('https://idp.example', 'https://10.0.0.1');
    allowed('https://10.0.0.1', 'https://192.168.1.1');
    refused('https://10.0.0.1', 'https://127.0.0.1');
    refused('https://10.0.0.1', 'https://169.254.169.254');
    allowed('http://127.0.0.1:1', 'http://[::1]:2');
    refused('http://127.0.0.1:1', 'https://10.0.0.1');
  });

  const at =
    (...addresses: string[]): Resolve =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

  test.each([
    ['a private address', ['10.0.0.1'], /private/],
    ['a public address and a private one', ['93.184.216.34', '10.0.0.1'], /private/],
    ['the metadata service of a cloud', ['169.254.169.254'], /link_local/],
    ['an IPv4 address written in IPv6', ['::ffff:10.0.0.1'], /private/],
  ])('C 7: a name that leads to %s is refused', async (_, addresses, reason) => {
    provider.faults = { metadata: { token_endpoint: 'https://tokens.example/token' } };
    const by = open({ resolve: at(...addresses) });
    await expectFailed(by.identify('a code', newExchange()), reason);
  });

  test('`localhost` is refused where it is elsewhere', async () => {
    provider.faults = { metadata: { token_endpoint: 'http://localhost:8080/token' } };
    const by = open({ resolve: at('93.184.216.34') });
    await expectFailed(by.identify('a code', newExchange()), /not on the loopback address/);
  });

  test('what is dialled is what was looked up, once', async () => {
    const { port } = new URL(provider.issuer);
    provider.faults = { metadata: { token_endpoint: `http://tokens.localhost:${port}/token` } };
    const resolve = vi.fn(at('127.0.0.1'));
    expect(await dance(open({ resolve }))).toMatchObject({ subject: 'ada-1' });
    expect(resolve.mock.calls).toEqual([['tokens.localhost']]);
  });

  test('what is refused is not dialled', async () => {
    const server = createServer();
    const dialled = vi.fn();
    server.on('connection', dialled).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const outbound = openOutbound('https://93.184.216.34', { resolve: at('127.0.0.1') });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    for (const address of [`https://tokens.example:${port}`, `http://localhost:${port}`])
      await expect(outbound.fetch(address, request)).rejects.toThrow(/loopback/);
    expect(dialled).not.toHaveBeenCalled();
    server.close();
  });

  test('every request looks up and dials anew', async () => {
    const resolve = vi.fn(at('127.0.0.1'));
    const issuer = `http://idp.localhost:${new URL(provider.issuer).port}`;
    const outbound = openOutbound(issuer, { resolve });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    for (const times of [1, 2, 3]) {
      expect((await outbound.fetch(`${issuer}/jwks`, request)).status).toBe(200);
      expect(resolve).toHaveBeenCalledTimes(times);
    }
  });

  test('an issuer that is in two ranges opens neither', async () => {
    const resolve = at('93.184.216.34', '127.0.0.1');
    const by = open({ issuer: 'https://idp.example', resolve });
    await expectFailed(by.authorizationUrl(newExchange()), /loopback address, and the issuer is not/);
  });

  test('an issuer that moves to another range after its discovery is refused', async () => {
    const resolve = vi.fn(at('127.0.0.1'));
    const { port } = new URL(provider.issuer);
    const outbound = openOutbound(`https://idp.example:${port}`, { resolve });
    const request = { method: 'GET', headers: {}, body: null, redirect: 'manual' as const };
    const ask = () => outbound.fetch(`https://idp.example:${port}/`, request);
    // Nobody speaks TLS there, so that it is dialled and fails.
    await expect(ask()).rejects.toThrow(/https:\/\/idp\.example/);
    resolve.mockImplementation(at('10.0.0.1'));
    await expect(ask()).rejects.toThrow(/private address, and the issuer is not/);
  });
});

describe('what the provider answers', () => {
  test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async (status) => {
    const location = `${provider.issuer}/me`;
    provider.faults = { reply: { discovery: answer(status, '', { location }) } };
    await expectFailed(sso.authorizationUrl(newExchange()), /status/);
    provider.faults = {};
    await expectFailed(dance(sso, { reply: { token: answer(status, '', { location }) } }), /status/);
    expect(provider.requests).not.toContain('userinfo');
  });

  const endless = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  };
  const packed = answer(200, gzipSync(Buffer.alloc(50_000_000, ' ')), { 'content-encoding': 'gzip' });
  test.each([
    ['has no end', endless],
    ['is large when unpacked', packed],
  ])('an answer that %s is refused', async (_, reply) => {
    provider.faults = { reply: { discovery: reply } };
    await expectFailed(sso.authorizationUrl(newExchange()), /larger than 1000000 bytes/);
    provider.faults = {};
    await expectFailed(dance(sso, { reply: { token: reply } }), /larger than 1000000 bytes/);
  });
});
