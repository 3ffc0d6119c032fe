import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { AppError } from '#server/errors.ts';
import type { SsoExchange } from '#server/identity/auth/sso/oidc-client.ts';
import type { OutboundParts } from '#server/identity/auth/sso/outbound.ts';
import { openSsoProvider, type SsoProvider } from '#server/identity/auth/sso/provider.ts';
import {
  type FakeOidcProvider,
  type OidcFaults,
  type OidcProviderOptions,
  startOidcProvider,
} from '#test/fakes/oidc-provider.ts';

export const clientId = 'lingualoop';
export const clientSecret = 'a secret: with signs % in it';
export const redirectUris = ['http://127.0.0.1:9/callback', 'http://127.0.0.1:9/callback?from=here'];
export const ada = {
  sub: 'ada-1',
  email: 'ada@example.org',
  email_verified: true,
  org_id: 'org-1',
  number_claim: 17,
  list_claim: ['org-1'],
};
export const options: OidcProviderOptions = { clientId, clientSecret, redirectUris, accounts: [ada] };

interface Opening extends OutboundParts {
  issuer?: string;
  secret?: string;
  orgClaim?: string;
}

/** Starts a fake provider for a test file, with a client. At the start of each test, the provider has no faults. */
export function useProvider() {
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

  function open({ issuer, secret = clientSecret, orgClaim = 'org_id', ...parts }: Opening = {}): SsoProvider {
    const settings = {
      OIDC_ISSUER: issuer ?? provider.issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_CLIENT_SECRET: secret || undefined,
      OIDC_ORG_CLAIM: orgClaim,
    };
    return openSsoProvider(settings, parts);
  }

  /** Signs in at the provider, and returns the code. */
  async function getCode(by: SsoProvider, exchange: SsoExchange, at = provider): Promise<string> {
    return (await at.signIn(await by.authorizationUrl(exchange), ada.sub)).code;
  }

  /** Runs the complete sign-on. The faults begin with the exchange of the code. */
  async function dance(by = sso, faults: OidcFaults = {}, at = provider) {
    const exchange = newExchange();
    const code = await getCode(by, exchange, at);
    at.faults = faults;
    return by.identify(code, exchange);
  }

  return {
    get provider() {
      return provider;
    },
    /** The client of a registered application. It is created for each test. */
    get sso() {
      return sso;
    },
    open,
    getCode,
    dance,
  };
}

export function newExchange(redirectUri = redirectUris[0]!): SsoExchange {
  const random = () => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), codeVerifier: random(), redirectUri };
}

export async function failureOf(answer: Promise<unknown>): Promise<AppError> {
  const outcome = await answer.then(
    (value) => expect.fail(`answered ${inspect(value)}`),
    (error: AppError) => error,
  );
  return outcome;
}

/** Expects a 401. The reason must be in the log, but not in the response. */
export async function expectFailed(answer: Promise<unknown>, reason: RegExp): Promise<void> {
  const error = await failureOf(answer);
  expect(error).toMatchObject({ code: 'unauthenticated', status: 401, message: 'single sign-on failed' });
  expect((error.cause as Error).message).toMatch(reason);
}

export async function expectUnreachable(answer: Promise<unknown>, reason: RegExp): Promise<void> {
  const error = await failureOf(answer);
  expect(error).toMatchObject({
    code: 'transient_error',
    status: 503,
    message: 'the identity provider cannot be reached; try again',
  });
  expect((error.cause as Error).message).toMatch(reason);
}

export const answer =
  (status: number, body: string | Buffer = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
