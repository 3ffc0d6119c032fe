import { afterEach, describe, expect, test, vi } from 'vitest';
import { startOidcProvider } from '#test/fakes/oidc-provider.ts';
import {
  ada,
  answer,
  clientSecret,
  expectFailed,
  newExchange,
  options,
  redirectUris,
  useProvider,
} from './provider.ts';

const idp = useProvider();
const { open, dance } = idp;

describe('the person who signed in', () => {
  test('the whole flow returns the person; a redirect address may have a query', async () => {
    const exchange = newExchange(redirectUris[1]);
    const back = await idp.provider.signIn(await idp.sso.authorizationUrl(exchange), ada.sub);
    expect(back).toMatchObject({ state: exchange.state, redirectUri: exchange.redirectUri });
    expect(await idp.sso.identify(back.code, exchange)).toEqual({
      issuer: idp.provider.issuer,
      subject: 'ada-1',
      email: 'ada@example.org',
      emailVerified: true,
      organization: 'org-1',
      secondFactor: false,
    });
    expect(idp.provider.requests).not.toContain('userinfo');
  });

  test.each([
    ['a secret in the body', { authentication: 'client_secret_post' }, clientSecret],
    ['no secret', { clientSecret: '' }, ''],
  ] as const)('a client that is registered with %s can sign in', async (_, registered, secret) => {
    await using other = await startOidcProvider({ ...options, ...registered });
    const by = open({ issuer: other.issuer, secret });
    expect(await dance(by, {}, other)).toMatchObject({ subject: 'ada-1' });
  });

  test('the address is taken from userinfo if the ID token has none', async () => {
    await using other = await startOidcProvider({ ...options, claimsIn: 'userinfo' });
    expect(await dance(open({ issuer: other.issuer }), {}, other)).toMatchObject({
      email: 'ada@example.org',
      emailVerified: true,
      organization: 'org-1',
    });
    expect(other.requests.filter((endpoint) => endpoint === 'userinfo')).toHaveLength(1);
  });

  test('an address that userinfo has not verified is not used, whatever the ID token says of another', async () => {
    const identity = await dance(idp.sso, {
      idToken: { email: undefined, email_verified: true },
      reply: { userinfo: answer(200, JSON.stringify({ sub: ada.sub, email: 'eve@example.org' })) },
    });
    expect(identity).toMatchObject({ email: 'eve@example.org', emailVerified: false });
  });

  test('userinfo about someone else is a failure', async () => {
    const reply = { userinfo: answer(200, JSON.stringify({ sub: 'eve-1', email: 'eve@example.org' })) };
    await expectFailed(dance(idp.sso, { idToken: { email: undefined }, reply }), /"sub"|attribute/);
  });

  test.each([
    [true, true],
    ['true', true],
    [false, false],
    [undefined, false],
  ])('email_verified %j is %j', async (said, emailVerified) => {
    expect(await dance(idp.sso, { idToken: { email_verified: said } })).toMatchObject({ emailVerified });
  });

  test.each([
    ['number_claim', '17'],
    ['list_claim', null],
    ['no_such_claim', null],
  ])('OIDC_ORG_CLAIM=%s gives %j', async (orgClaim, organization) => {
    expect(await dance(open({ orgClaim }))).toMatchObject({ organization });
  });

  test.each([
    ['a subject', { sub: 'x'.repeat(256) }, /too long/],
    ['an organization', { org_id: 'a\0b' }, /stored/],
    ['a subject', { sub: '' }, /empty/],
  ])('%s that cannot be stored is a failure: %o', async (_, idToken, reason) => {
    await expectFailed(dance(idp.sso, { idToken }), reason);
  });
});

describe('discovery', () => {
  const discoveries = () => idp.provider.requests.filter((endpoint) => endpoint === 'discovery').length;
  afterEach(() => void vi.useRealTimers());

  test('is left until the first use, and is done once for concurrent callers', async () => {
    expect(discoveries()).toBe(0);
    await Promise.all(Array.from({ length: 20 }, () => idp.sso.authorizationUrl(newExchange())));
    await dance();
    expect(discoveries()).toBe(1);
  });

  test('is done again after an hour, and not before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await idp.sso.authorizationUrl(newExchange());
    vi.setSystemTime(Date.now() + 59 * 60_000);
    await idp.sso.authorizationUrl(newExchange());
    expect(discoveries()).toBe(1);
    vi.setSystemTime(Date.now() + 2 * 60_000);
    await idp.sso.authorizationUrl(newExchange());
    expect(discoveries()).toBe(2);
  });

  test.each([
    ['could not be had', { reply: { discovery: answer(500) } }],
    ['cannot be used', { metadata: { token_endpoint: 'https://10.0.0.1/token' } }],
  ])('a response that %s is not cached', async (_, faults) => {
    idp.provider.faults = faults;
    const all = await Promise.allSettled([1, 2, 3].map(() => idp.sso.authorizationUrl(newExchange())));
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(discoveries()).toBe(1);
    idp.provider.faults = {};
    expect(await dance()).toMatchObject({ subject: 'ada-1' });
    expect(discoveries()).toBe(2);
  });
});
