import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { OutboundParts } from '#server/identity/auth/sso/outbound.ts';
import type { Resolve } from '#server/platform/outbound/checked-lookup.ts';
import type { OidcEndpoint, OidcFaults } from '#test/fakes/oidc-provider.ts';
import {
  ada,
  answer,
  clientSecret,
  expectFailed,
  expectUnreachable,
  failureOf,
  newExchange,
  useProvider,
} from './provider.ts';

const idp = useProvider();
const { open, getCode, dance } = idp;

describe('401 `single sign-on failed`', () => {
  const soon = () => Math.floor(Date.now() / 1000);
  const faults: [string, () => OidcFaults, RegExp][] = [
    ['an ID token with another nonce', () => ({ idToken: { nonce: 'another' } }), /nonce/],
    ['an ID token without a nonce', () => ({ idToken: { nonce: undefined } }), /nonce/],
    ['an ID token of another issuer', () => ({ idToken: { iss: 'https://example.org' } }), /iss/],
    ['an ID token for another client', () => ({ idToken: { aud: 'another' } }), /aud/],
    ['an expired ID token', () => ({ idToken: { exp: soon() - 60 } }), /exp/],
    ['an ID token issued in the future', () => ({ idToken: { iat: soon() + 90 } }), /future/],
    ['an ID token signed by another key', () => ({ foreignKey: true }), /signature/],
    ['an ID token that is not signed', () => ({ unsigned: true }), /alg/],
    ['no ID token', () => tokenAnswer('{"access_token":"a","token_type":"bearer"}'), /id_token/],
  ];
  const tokenAnswer = (body: string): OidcFaults => ({ reply: { token: answer(200, body) } });
  test.each(faults)('%s', async (_, fault, reason) => {
    await expectFailed(dance(idp.sso, fault()), reason);
  });

  test('but a clock that is 30 s ahead is accepted', async () => {
    await expect(dance(idp.sso, { idToken: { iat: soon() + 30 } })).resolves.toMatchObject({
      subject: ada.sub,
    });
  });

  test('an ID token that is not signed, of a provider that lists `none`', async () => {
    idp.provider.faults = { metadata: { id_token_signing_alg_values_supported: ['none', 'RS256'] } };
    await idp.sso.authorizationUrl(newExchange());
    await expectFailed(dance(idp.sso, { unsigned: true }), /alg/);
  });

  test.each([
    ['another issuer', { issuer: 'https://example.org' }, /issuer/],
    ['no token endpoint', { token_endpoint: undefined }, /the URL is not valid/],
  ])('metadata with %s', async (_, metadata: Record<string, unknown>, reason) => {
    idp.provider.faults = { metadata };
    await expectFailed(idp.sso.authorizationUrl(newExchange()), reason);
  });

  test('neither the code nor a token is in the error or its causes', async () => {
    const exchange = newExchange();
    const code = await getCode(idp.sso, exchange);
    const token = 'abcdefgh';
    for (const body of [`${token}.${token}`, `{"id_token":"${token}.${token}.${token}"`]) {
      idp.provider.faults = tokenAnswer(body);
      const told = inspect(await failureOf(idp.sso.identify(code, exchange)), {
        depth: 20,
        showHidden: true,
      });
      for (const secret of [token, code, exchange.codeVerifier, exchange.nonce, clientSecret])
        expect(told).not.toContain(secret);
    }
    idp.provider.faults = { idToken: { nonce: token } };
    const told = inspect(await failureOf(idp.sso.identify(code, exchange)), { depth: 20, showHidden: true });
    for (const secret of [token, ada.email, exchange.nonce]) expect(told).not.toContain(secret);
  });
});

describe('503 if the provider is out of reach', () => {
  const impatient = { timeout: 300 };
  const half = (response: ServerResponse) => void response.writeHead(200).write('{');
  const sick: [string, (response: ServerResponse) => void, RegExp, OutboundParts][] = [
    ['returns 500', answer(500), /status 500/, {}],
    ['returns 429', answer(429), /status 429/, {}],
    ['drops the connection', (response) => void response.destroy(), /UND_ERR_SOCKET|ECONNRESET/, {}],
    ['never responds', () => {}, /TimeoutError/, impatient],
    ['stops in the middle', half, /TimeoutError/, impatient],
  ];
  const rest: OidcEndpoint[] = ['discovery', 'jwks', 'userinfo'];
  const cases = [
    ...sick.map((how) => ['token', ...how] as const),
    ...rest.map((endpoint, i) => [endpoint, ...sick[i + 1]!] as const),
  ];
  test.each(cases)('%s %s', async (endpoint, _, reply, reason, parts) => {
    const exchange = newExchange();
    const code = await getCode(idp.sso, exchange);
    idp.provider.faults = { idToken: { email: undefined }, reply: { [endpoint]: reply } };
    await expectUnreachable(open(parts).identify(code, exchange), reason);
  });

  test('a name that does not resolve, or not in time', async () => {
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

describe('the provider’s responses', () => {
  test.each([302, 307])('a redirect (%i) is not followed', async (status) => {
    const location = `${idp.provider.issuer}/me`;
    idp.provider.faults = { reply: { discovery: answer(status, '', { location }) } };
    await expectFailed(idp.sso.authorizationUrl(newExchange()), /status/);
    idp.provider.faults = {};
    await expectFailed(dance(idp.sso, { reply: { token: answer(status, '', { location }) } }), /status/);
    expect(idp.provider.requests).not.toContain('userinfo');
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
  ])('a response that %s is refused', async (_, reply) => {
    idp.provider.faults = { reply: { discovery: reply } };
    await expectFailed(idp.sso.authorizationUrl(newExchange()), /larger than 1000000 bytes/);
    idp.provider.faults = {};
    await expectFailed(dance(idp.sso, { reply: { token: reply } }), /larger than 1000000 bytes/);
  });
});
