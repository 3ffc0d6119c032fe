import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  type ServerMetadata,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { findUnstorable } from '#server/input-limits.ts';
import { type OutboundParts, openOutbound, ProviderRefused } from './outbound.ts';

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
interface Redeemed {
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

/** Whether the provider refused us, as against the code. */
function isClientRefused(thrown: unknown): boolean {
  return (
    (thrown instanceof ResponseBodyError && thrown.error === 'invalid_client') ||
    (thrown instanceof WWWAuthenticateChallengeError && thrown.status === 401)
  );
}

/** A provider whose metadata are known and whose addresses are checked. */
export interface Discovered {
  metadata: ServerMetadata;
  /** The library's view of it and of ourselves, for one sign-in. */
  configure(authentication: ClientAuth): Configuration;
}

/**
 * Asks the issuer for its metadata.
 * @throws ProviderRefused where they are of another issuer or name an address that must not be used; ProviderUnreachable;
 * the library's errors
 */
export async function discover(
  issuer: string,
  clientId: string,
  parts: OutboundParts = {},
): Promise<Discovered> {
  const outbound = openOutbound(issuer, parts);
  // For an issuer on a loopback address and what it names there; the way out sees to that.
  const execute = new URL(issuer).protocol === 'http:' ? [allowInsecureRequests] : [];
  const found = await discovery(new URL(issuer), clientId, undefined, None(), {
    [customFetch]: outbound.fetch,
    execute,
  });
  const metadata = found.serverMetadata();
  // The library compares them as URLs, and lets some providers name another.
  if (metadata.issuer !== issuer) throw new ProviderRefused('the metadata are of another issuer');
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  for (const address of [authorization_endpoint, token_endpoint, jwks_uri]) outbound.check(address ?? '');
  if (userinfo_endpoint !== undefined) outbound.check(userinfo_endpoint);

  return {
    metadata,
    configure(authentication) {
      const config = new Configuration(metadata, clientId, undefined, authentication);
      config[customFetch] = outbound.fetch;
      for (const allow of execute) allow(config);
      // Without it the library takes the connection's word for the ID token and leaves its signature alone. The keys are
      // asked for at each sign-in: one that is withdrawn is withdrawn at once.
      enableNonRepudiationChecks(config);
      return config;
    },
  };
}

/** Who signed in, in the provider's words. Nothing but the issuer is longer than 255 characters. */
export interface SsoIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  /** The value of the claim that OIDC_ORG_CLAIM names. */
  organization: string | null;
}

/** OpenID Connect Core 2 bounds `sub` by it; the others are bounded alike. */
const maximumClaim = 255;

/**
 * Who the ID token is about. What it lacks of address and organization comes from userinfo: a member of an
 * organization whose claim went unseen would found a tenant of its own.
 * @throws ProviderRefused where a claim cannot be used; the library's errors
 */
export async function identityOf({ config, tokens }: Redeemed, orgClaim: string): Promise<SsoIdentity> {
  const claims = tokens.claims();
  if (!claims) throw new ProviderRefused('no ID token');
  const complete = claims['email'] !== undefined && claims[orgClaim] !== undefined;
  const askFurther = !complete && config.serverMetadata().userinfo_endpoint !== undefined;
  // The library refuses the answer where its `sub` is another.
  const further = askFurther ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
  const about = claims['email'] === undefined ? further : claims;
  const subject = readClaim(claims.sub);
  if (subject === null) throw new ProviderRefused('an empty subject');
  const identity: SsoIdentity = {
    issuer: claims.iss,
    subject,
    // Both from one place: that an address is verified says nothing about another.
    email: readClaim(about['email']),
    emailVerified: readFlag(about['email_verified']),
    organization: readClaim(claims[orgClaim]) ?? readClaim(further[orgClaim]),
  };
  if (findUnstorable(identity)) throw new ProviderRefused('a claim that cannot be stored');
  return identity;
}

/** What is no text, or empty, is no claim. A number is one: some providers number their organizations. */
function readClaim(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return null;
  if (text.length > maximumClaim) throw new ProviderRefused('a claim that is too long');
  return text;
}

/** Some providers send their booleans as text. */
function readFlag(value: unknown): boolean {
  return value === true || value === 'true';
}
