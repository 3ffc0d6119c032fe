import { afterAll } from 'vitest';
import type { App, Fields, Headers } from '#test/factories.ts';
import { type FakeOidcProvider, type OidcAccount, startOidcProvider } from '#test/fakes/oidc-provider.ts';

/** The public URL of the service, and the page to which the provider redirects. */
export const baseUrl = 'https://lingualoop.example';
export const redirectUri = `${baseUrl}/signin/callback`;
export const clientSecret = 'a client secret of some length';

let counted = 0;

/**
 * Starts an identity provider for a test file. Returns it with the settings that connect the service to the provider.
 */
export async function openIdentityProvider() {
  // The provider supports only the claims that accounts have at its start.
  const accounts: OidcAccount[] = [
    { sub: 'seed', email: 's@example.org', email_verified: true, org_id: 'seed' },
  ];
  const provider = await startOidcProvider({
    clientId: 'lingualoop',
    clientSecret,
    redirectUris: [redirectUri],
    accounts,
  });
  afterAll(() => provider.stop());
  return {
    provider,
    env: {
      AUTH_RATE_LIMIT_ENABLED: 'false',
      BASE_URL: baseUrl,
      OIDC_ENABLED: 'true',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'lingualoop',
      OIDC_CLIENT_SECRET: clientSecret,
    },
    /** Adds an account to the provider. Its email address is verified, unless `claims` say otherwise. */
    account(claims: Partial<OidcAccount> = {}) {
      counted += 1;
      const email = `sso${counted}@example.org`;
      const account = { sub: `subject-${counted}`, email, email_verified: true, ...claims };
      accounts.push(account);
      return account;
    },
  };
}

/** The parameters of the provider's redirect, and the cookies that `authorize` has set. */
export interface BroughtBack {
  code: string;
  state: string;
  cookie: Headers;
}

/** Functions that send the requests of a single sign-on to one application. */
export function dancing(at: App, provider: FakeOidcProvider) {
  const authorize = (fields: Fields = {}, headers: Headers = {}) =>
    at.json('POST', '/api/oauth2/oidc/authorize', {
      headers,
      body: { redirect_uri: redirectUri, ...fields },
    });
  /** Sends the callback. By default, it has the headers of a program; `headers` can be those of a browser. */
  const callback = ({ code, state }: Pick<BroughtBack, 'code' | 'state'>, headers: Headers = {}) =>
    at.json('POST', '/api/oauth2/oidc/callback', { headers, body: { code, state } });

  async function bring(sub: string, fields: Fields = {}): Promise<BroughtBack> {
    const { status, headers, body } = await authorize(fields);
    if (status !== 200) throw new Error(`authorize answered ${status}: ${JSON.stringify(body)}`);
    const { code, state } = await provider.signIn(body.authorization_url, sub);
    const cookie = headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    return { code, state, cookie: { cookie } };
  }

  return {
    authorize,
    callback,
    bring,
    /** Runs the complete sign-on, and returns the response to the callback. */
    async signIn(sub: string, fields: Fields = {}) {
      return callback(await bring(sub, fields));
    },
  };
}
