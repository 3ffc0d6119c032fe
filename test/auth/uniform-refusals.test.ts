import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { confirm, enroll, mfaGrant, REFUSED_CHALLENGE, verify } from './mfa.ts';
import {
  type Answer,
  expectRefused,
  type Fields,
  grant,
  introspect,
  meOf,
  refresh,
  revoke,
  sessionCookie,
  signIn,
} from './sign-in.ts';

// Whatever is sent, every wrong input gets the same response: it reveals nothing, and nothing breaks.
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
let refusal: unknown;
beforeAll(async () => {
  ada = await found(app);
  refusal = (await signIn(app, { ...ada, password: 'not the passphrase at all' })).body;
});

/** Any text, including malformed Unicode and syntax meant for other parsers. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    "' or ''='",
    '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    '%00',
    '*',
    '{"$ne":1}',
    '__proto__',
  ),
);
const anyName = fc.oneof(anyText, fc.emailAddress(), fc.constantFrom('ada', 'nobody@example.org', 'a@b.c'));

/** 422 for input that the schema refuses (an empty field, a NUL), otherwise the same refusal. */
function expectUniform(answer: Answer, detail: unknown): void {
  expect([401, 422], JSON.stringify(answer.body)).toContain(answer.status);
  if (answer.status === 401) expect(answer.body).toEqual(detail);
  expect(sessionCookie(answer)).toBeUndefined();
}

describe('properties of a refusal', () => {
  test('of the password grant: any name and any password, and any but the right one', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyName,
        anyText,
        fc.option(anyText, { nil: undefined }),
        async (email, password, tenant) => {
          const pinned: Fields = tenant === undefined ? {} : { tenant_id: tenant };
          expectUniform(await signIn(app, { email, password }, pinned), refusal);
          expectUniform(
            await signIn(app, { email: ada.email, password: `${ada.password}${password}x` }),
            refusal,
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  test('of the refresh grant: any token', async () => {
    const detail = (await refresh(app, 'nobody')).body;
    await fc.assert(
      fc.asyncProperty(anyText, async (token) => expectUniform(await refresh(app, token), detail)),
      { numRuns: 40 },
    );
  });

  test('of the MFA grant and verify: any challenge and any code', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (id, code) => {
        expectUniform(await verify(app, id, code), { detail: REFUSED_CHALLENGE });
        expectUniform(await mfaGrant(app, id, code), { detail: REFUSED_CHALLENGE });
      }),
      { numRuns: 40 },
    );
  });

  test('of enroll and confirm: any challenge', async () => {
    const detail = { detail: 'authentication required' };
    await fc.assert(
      fc.asyncProperty(anyText, async (id) => {
        expectUniform(await enroll(app, { challenge_id: id }), detail);
        expectUniform(await confirm(app, { challenge_id: id, mfa_code: '123456' }), detail);
      }),
      { numRuns: 40 },
    );
  });

  test('of introspection and revocation: any token is inactive, any is revoked', async () => {
    const unknown = (await introspect(app, 'nobody', bearer(ada.accessToken))).body;
    await fc.assert(
      fc.asyncProperty(anyText, async (token) => {
        const shown = await introspect(app, token, bearer(ada.accessToken));
        expect([200, 422]).toContain(shown.status);
        if (shown.status === 200) expect(shown.body).toEqual(unknown);
        const revoked = await revoke(app, token, bearer(ada.accessToken));
        expect(revoked.status).toBe(shown.status);
        if (revoked.status === 200) expect(revoked.body).toEqual({ revoked: true });
      }),
      { numRuns: 40 },
    );
    expect((await meOf(app, ada.accessToken)).status).toBe(200);
  });

  test('of the token endpoint: any fields', async () => {
    const names = [
      'grant_type',
      'username',
      'password',
      'tenant_id',
      'refresh_token',
      'challenge_id',
      'mfa_code',
      'scope',
    ];
    const types = fc.constantFrom('password', 'refresh_token', 'urn:ietf:params:oauth:grant-type:mfa-otp');
    const fields = fc.dictionary(fc.constantFrom(...names), anyText);
    await fc.assert(
      fc.asyncProperty(fields, types, async (given, type) => {
        const answer = await grant(app, { ...given, grant_type: type });
        expect([401, 422], JSON.stringify(answer.body)).toContain(answer.status);
        expectRefused(answer, answer.status);
      }),
      { numRuns: 40 },
    );
  });
});
