import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  None,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client';
import type { Discovered } from './discovery.ts';
import { isClientRefused } from './failure.ts';

/** What is asked for of the person's data. */
export const ssoScopes = ['openid', 'email', 'profile'] as const;

/** What one sign-in keeps on the server between its authorize and its callback (C 2). */
export interface SsoExchange {
  state: string;
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
}

/** The tokens of a code, the ID token validated, and what to ask the provider more with. */
export interface Redeemed {
  config: Configuration;
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers;
}

/** The authorization request of RFC 6749 4.1.1, with PKCE's S256 and OpenID Connect's nonce. */
export async function authorizationUrl(provider: Discovered, exchange: SsoExchange): Promise<string> {
  return buildAuthorizationUrl(provider.configure(None()), {
    redirect_uri: exchange.redirectUri,
    scope: ssoScopes.join(' '),
    state: exchange.state,
    nonce: exchange.nonce,
    code_challenge: await calculatePKCECodeChallenge(exchange.codeVerifier),
    code_challenge_method: 'S256',
  }).href;
}

/**
 * Exchanges a code at the token endpoint. The library validates the ID token: signature, `iss`, `aud`, `exp`, `nonce`.
 * @throws the library's errors, ProviderRefused, ProviderUnreachable
 */
export async function redeem(
  provider: Discovered,
  clientSecret: string | undefined,
  code: string,
  exchange: SsoExchange,
): Promise<Redeemed> {
  const callback = new URL(exchange.redirectUri);
  callback.search = new URLSearchParams({
    code,
    state: exchange.state,
    // RFC 9207 tells several providers apart. There is one, and the callback of C 2 does not carry it.
    iss: provider.metadata.issuer,
  }).toString();
  const checks = {
    pkceCodeVerifier: exchange.codeVerifier,
    expectedState: exchange.state,
    expectedNonce: exchange.nonce,
    idTokenExpected: true,
  };

  async function redeemBy(method: ClientAuth, ...others: ClientAuth[]): Promise<Redeemed> {
    const config = provider.configure((as, client, body, headers) => {
      // The library cuts off its query; RFC 6749 4.1.3 wants it as it was sent.
      body.set('redirect_uri', exchange.redirectUri);
      method(as, client, body, headers);
    });
    try {
      return { config, tokens: await authorizationCodeGrant(config, callback, checks) };
    } catch (error) {
      const [next, ...rest] = others;
      if (!next || !isClientRefused(error)) throw error;
      return redeemBy(next, ...rest);
    }
  }

  return redeemBy(...clientAuthentications(clientSecret, provider));
}

/**
 * How we may say who we are, first choice first. The metadata list what the provider has, not what we are registered
 * with there; a provider that refuses a client has not looked at its code yet.
 */
function clientAuthentications(
  secret: string | undefined,
  { metadata }: Discovered,
): [ClientAuth, ...ClientAuth[]] {
  if (!secret) return [None()];
  const listed = metadata.token_endpoint_auth_methods_supported ?? [];
  if (!listed.includes('client_secret_post')) return [ClientSecretBasic(secret)];
  if (!listed.includes('client_secret_basic')) return [ClientSecretPost(secret)];
  return [ClientSecretBasic(secret), ClientSecretPost(secret)];
}
