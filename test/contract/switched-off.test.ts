import { expect, test } from 'vitest';
import { restProcedures } from '#rest/procedures.ts';
import { appRouter } from '#server/router.ts';
import type { Fields } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { password } from '../factories.ts';
import { normalize, viaRest, viaRpc } from './call.ts';

const app = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    EMAIL_SIGNUP_ENABLED: 'false',
    PASSWORD_SIGNIN_ENABLED: 'false',
    TRANSLATION_ENABLED: 'false',
  },
});

const oidc = { provider: 'oidc' };
const noSso = 'single sign-on is disabled';
const noPassword = /^password sign-in is disabled/;
const text = { source_text: 'Hello', target_lang: 'fr' };

/** Calls whose response is the same for all callers, because the deployment has switched off the feature. */
const cases: [path: string, input: Fields, status: number, detail: string | RegExp][] = [
  [
    'auth.signUpWithEmail',
    { tenant_name: 'New', email: 'a@example.org', password },
    403,
    'email signup is disabled',
  ],
  ['auth.token', { grant_type: 'password', username: 'a@example.org', password }, 403, noPassword],
  // C 7: the switch turns off the password grant, but no other grant.
  [
    'auth.token',
    { grant_type: 'refresh_token', refresh_token: 'nothing' },
    401,
    'invalid or expired refresh token',
  ],
  ['auth.authorizeSso', { ...oidc, redirect_uri: 'http://127.0.0.1:8080/' }, 403, noSso],
  ['auth.completeSso', { ...oidc, code: 'x', state: 'x' }, 403, noSso],
  ['auth.ssoClientConfig', oidc, 403, noSso],
  ['auth.ssoClientConfig', { provider: 'elsewhere' }, 404, 'identity provider not found'],
  ['translations.create', text, 503, 'translation is temporarily disabled'],
  ['billing.checkout', { tier: 'pro' }, 503, 'billing is not enabled'],
  ['billing.topup', { packs: 9 }, 503, 'billing is not enabled'],
  ['billing.portal', {}, 503, 'billing is not enabled'],
];

test.each(cases)(
  '%s answers %j with its switch off: %i, over REST and /trpc',
  async (path, input, status, detail) => {
    const procedure = restProcedures(appRouter).find((one) => one.path === path)!;
    const rest = await viaRest(app, procedure, { input });
    expect(rest.status).toBe(status);
    expect(rest.body.detail).toEqual(typeof detail === 'string' ? detail : expect.stringMatching(detail));
    expect(normalize(await viaRpc(app, procedure, { input }))).toEqual(normalize(rest));
  },
);
