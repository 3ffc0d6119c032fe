import { beforeEach, describe, expect, test } from 'vitest';
import { apiKey, bearer, cookie, found, type Headers, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { totpCode } from '#test/setup/totp.ts';
import { challengeFor, confirm, enrol, enroll, freshCode, mfaGrant, regenerate, verify } from './mfa.ts';
import { type Answer, expectTokens, meOf, revoke, sessionCookie, signIn } from './sign-in.ts';

const OWN = 'https://lingua.example.org';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', BASE_URL: OWN } });

let ada: Person;
beforeEach(async () => {
  ada = await found(app);
});

const otherSites: [string, Headers][] = [
  ['a foreign Origin', { origin: 'https://evil.example' }],
  ['our name as a prefix of theirs', { origin: `${OWN}.evil.example` }],
  ['our host without TLS', { origin: 'http://lingua.example.org' }],
  ['an opaque origin', { origin: 'null' }],
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['Sec-Fetch-Site: cross-site beside our Origin', { 'sec-fetch-site': 'cross-site', origin: OWN }],
  [
    'a foreign Origin beside Sec-Fetch-Site: same-origin',
    { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
  ],
  ['a sibling host that sends no Origin', { 'sec-fetch-site': 'same-site' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://other.example.org' }],
];

const ownPages: [string, Headers][] = [
  ['our Origin', { origin: OWN }],
  ['our Origin, same-origin', { origin: OWN, 'sec-fetch-site': 'same-origin' }],
  ['no page at all', { 'sec-fetch-site': 'none' }],
  ['a plain client', {}],
];

function expectForbidden(answer: Answer): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(403);
  expect(answer.body).toEqual({ detail: expect.any(String) });
  expect(sessionCookie(answer)).toBeUndefined();
}

describe.each(otherSites)('C 7: calls that would set the cookie, from %s', (_who, headers) => {
  test('the password grant: 403, though the password is right', async () => {
    expectForbidden(await signIn(app, ada, {}, headers));
  });

  test('the MFA grant and verify: 403; the challenge and the code stay usable', async () => {
    const { secret } = await enrol(app, ada);
    const id = await challengeFor(app.database, ada);
    const code = await freshCode(app, ada, secret);
    for (let i = 0; i < 3; i += 1) {
      expectForbidden(await verify(app, id, code, headers));
      expectForbidden(await mfaGrant(app, id, code, {}, headers));
    }
    expectTokens(await verify(app, id, code), ada);
  });

  test('confirm with a challenge: 403, and nobody is enrolled', async () => {
    await app.json('PATCH', '/api/tenants/security', {
      headers: bearer(ada.accessToken),
      body: { mfa_required: true },
    });
    const id = await challengeFor(app.database, ada);
    const { body } = await enroll(app, { challenge_id: id });
    expectForbidden(await confirm(app, { challenge_id: id, mfa_code: totpCode(body.secret) }, headers));
    expect((await meOf(app, ada.accessToken)).body.user.totp_enrolled).toBe(false);
  });
});

test.each(ownPages)('C 7: %s signs in', async (_who, headers) => {
  const answer = await signIn(app, ada, {}, headers);
  expectTokens(answer, ada);
  expect(sessionCookie(answer)?.get('ll_session')).toBe(answer.body.access_token);
});

/** Requests that change something, on the routes that accept the cookie, each with the given headers. */
function changes(member: Person) {
  return {
    policy: (headers: Headers) =>
      app.json('PATCH', '/api/tenants/security', { headers, body: { mfa_required_for_sso: true } }),
    role: (headers: Headers) =>
      app.json('PATCH', `/api/auth/users/${member.userId}/role`, {
        headers,
        body: { role: 'global_administrator' },
      }),
    revocation: (headers: Headers) => app.json('DELETE', `/api/auth/users/${member.userId}`, { headers }),
    invite: (headers: Headers) => app.json('POST', '/api/tenants/invites', { headers, body: {} }),
    'token revocation': (headers: Headers) => revoke(app, member.accessToken, headers),
    enrollment: (headers: Headers) => enroll(app, {}, headers),
  };
}

describe('C 7: a changing request that carries the cookie', () => {
  test.each(otherSites)('from %s: 403, and nothing is changed', async (_who, headers) => {
    const member = await join(app, ada);
    for (const ask of Object.values(changes(member)))
      expectForbidden(await ask({ ...cookie(ada.accessToken), ...headers }));
    const { body } = await meOf(app, member.accessToken);
    expect(body.user).toMatchObject({ role: 'agent_id_developer', totp_enrolled: false });
    const account = (await meOf(app, ada.accessToken)).body.tenant;
    expect(account.metadata).not.toHaveProperty('mfa_required_for_sso', true);
    const invites = await app.json('GET', '/api/tenants/invites', { headers: bearer(ada.accessToken) });
    expect(invites.body).toHaveLength(1);
  });

  test.each(otherSites)('from %s: no new recovery codes', async (_who, headers) => {
    const { recoveryCodes } = await enrol(app, ada);
    expectForbidden(await regenerate(app, { ...cookie(ada.accessToken), ...headers }));
    expectTokens(await verify(app, await challengeFor(app.database, ada), recoveryCodes[0] ?? ''), ada);
  });

  test.each(ownPages)('from %s is served', async (_who, headers) => {
    const member = await join(app, ada);
    for (const [name, ask] of Object.entries(changes(member))) {
      const { status, body } = await ask({ ...cookie(ada.accessToken), ...headers });
      expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200);
    }
  });
});

describe('C 7: without the cookie another site’s page may call', () => {
  test.each(otherSites)('by bearer, from %s', async (_who, headers) => {
    const member = await join(app, ada);
    const { enrollment: _, ...asked } = changes(member);
    for (const [name, ask] of Object.entries(asked)) {
      const { status, body } = await ask({ ...bearer(ada.accessToken), ...headers });
      expect(status, `${name}: ${JSON.stringify(body)}`).toBe(200);
    }
  });

  test('by key', async () => {
    const { status } = await app.json('POST', '/api/translations', {
      headers: { ...apiKey(ada.apiKey), origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect(status).toBe(200);
  });
});
