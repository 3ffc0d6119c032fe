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
import { findUnstorable } from '#server/platform/input-limits.ts';
import { type OutboundParts, openOutbound, ProviderRefused } from './outbound.ts';
import { ssoScopes } from './state.ts';

/** The secrets and the redirect URL of one sign-in, which the server keeps between `authorize` and the callback. */
export interface SsoExchange {
  state: string;
  nonce: string;
  codeVerifier: string;
  redirectUri: string;
}

/**
 * The tokens that the provider issued for a code, with a validated ID token, and the configuration for further requests
 * to the provider.
 */
interface Redeemed {
  config: Configuration;
  tokens: TokenEndpointResponse & TokenEndpointResponseHelpers;
}

/** Returns the URL of the authorization request (RFC 6749, 4.1.1), with PKCE's S256 and OpenID Connect's nonce. */
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
 * @throws the errors of the library, ProviderRefused, ProviderUnreachable
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
    // The parameter `iss` of RFC 9207 distinguishes several providers. There is only one here, and the request to the
    // callback has no `iss`.
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
      // The library drops the query of redirect_uri, but RFC 6749, 4.1.3, requires the same value that was sent to
      // `authorize`.
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
 * Returns the methods of client authentication to try, in order. The metadata list the methods that the provider
 * supports, not the method for which this client is registered. Trying the next method is safe: a provider that rejects
 * the client has not used up the code.
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

/** Whether the provider rejected the client's authentication, rather than the code. */
function isClientRefused(thrown: unknown): boolean {
  return (
    (thrown instanceof ResponseBodyError && thrown.error === 'invalid_client') ||
    (thrown instanceof WWWAuthenticateChallengeError && thrown.status === 401)
  );
}

/**
 * Describes an error without secrets, for the log. The library attaches whole responses, including tokens, to its
 * errors, so only the message is used. The message of a SyntaxError quotes the text that could not be parsed, so only
 * its name is used.
 */
export function describe(error: Error): string {
  if (error instanceof SyntaxError) return error.name;
  const words = error instanceof ResponseBodyError ? `${error.message} (${error.error})` : error.message;
  return words.slice(0, 200);
}

/** A provider whose metadata were fetched and whose URLs were checked. */
export interface Discovered {
  metadata: ServerMetadata;
  /** Returns the library's configuration of the provider and this client, for one sign-in. */
  configure(authentication: ClientAuth): Configuration;
}

/**
 * Fetches the issuer's metadata.
 * @throws ProviderRefused if the metadata name another issuer, or a URL that must not be used; ProviderUnreachable; the
 *   errors of the library
 */
export async function discover(
  issuer: string,
  clientId: string,
  parts: OutboundParts = {},
): Promise<Discovered> {
  const outbound = openOutbound(issuer, parts);
  // Only an issuer on a loopback address may use http (`checkIssuer`). The outbound checks limit its other URLs in the
  // same way.
  const execute = new URL(issuer).protocol === 'http:' ? [allowInsecureRequests] : [];
  const found = await discovery(new URL(issuer), clientId, undefined, None(), {
    [customFetch]: outbound.fetch,
    execute,
  });
  const metadata = found.serverMetadata();
  // The library compares issuers as URLs, and allows some providers to name another issuer. So compare exactly.
  if (metadata.issuer !== issuer) throw new ProviderRefused('the metadata names a different issuer');
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata;
  for (const address of [authorization_endpoint, token_endpoint, jwks_uri]) outbound.check(address ?? '');
  if (userinfo_endpoint !== undefined) outbound.check(userinfo_endpoint);

  return {
    metadata,
    configure(authentication) {
      const config = new Configuration(metadata, clientId, undefined, authentication);
      config[customFetch] = outbound.fetch;
      for (const allow of execute) allow(config);
      // Without this, the library trusts the TLS connection and does not verify the signature of the ID token. The keys
      // are fetched at each sign-in, so that a withdrawn key stops working immediately.
      enableNonRepudiationChecks(config);
      return config;
    },
  };
}

/** The person who signed in, according to the provider. All values except the issuer have at most 255 characters. */
export interface SsoIdentity {
  issuer: string;
  subject: string;
  email: string | null;
  emailVerified: boolean;
  /** The value of the claim whose name is in OIDC_ORG_CLAIM. */
  organization: string | null;
  /** Whether the person passed a second factor at the provider, by `amr` or `acr` of the ID token. */
  secondFactor: boolean;
}

/**
 * The authentication methods of RFC 8176 that are a second factor, or several. A text message or a call (`sms`, `tel`)
 * is not among them, because others can redirect it.
 */
const secondFactorMethods = new Set(['mfa', 'mca', 'otp', 'hwk', 'swk', 'pop', 'sc']);

/** The context classes that require a second factor: of OpenID, REFEDS, NIST and Okta. */
const secondFactorClasses = new Set([
  'phr',
  'phrh',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor',
  'http://schemas.openid.net/pape/policies/2007/06/multi-factor-physical',
  'https://refeds.org/profile/mfa',
  'http://idmanagement.gov/ns/assurance/aal/2',
  'http://idmanagement.gov/ns/assurance/aal/3',
  'urn:okta:loa:2fa:any',
]);

/**
 * Maximum number of characters of a claim. OpenID Connect Core 2 limits `sub` to this length; the same limit is used
 * for the other claims.
 */
const maximumClaim = 255;

/** Seconds by which the provider's clock may be ahead of ours. */
const maximumSkew = 60;

/**
 * Reads the person's identity from the ID token. If the email address or the organization is missing there, userinfo is
 * fetched too: without the organization claim, a member of an organization would create a separate tenant.
 * @throws ProviderRefused if a claim cannot be used; the errors of the library
 */
export async function identityOf({ config, tokens }: Redeemed, orgClaim: string): Promise<SsoIdentity> {
  const claims = tokens.claims();
  if (!claims) throw new ProviderRefused('the response has no ID token');
  // The library checks only that `iat` is a number.
  if (claims.iat > Date.now() / 1000 + maximumSkew)
    throw new ProviderRefused('the ID token was issued in the future');
  const complete = claims['email'] !== undefined && claims[orgClaim] !== undefined;
  const askFurther = !complete && config.serverMetadata().userinfo_endpoint !== undefined;
  // The library rejects a userinfo response with a different `sub`.
  const further = askFurther ? await fetchUserInfo(config, tokens.access_token, claims.sub) : claims;
  const about = claims['email'] === undefined ? further : claims;
  const subject = readClaim(claims.sub);
  if (subject === null) throw new ProviderRefused('the ID token has an empty subject');
  const identity: SsoIdentity = {
    issuer: claims.iss,
    subject,
    // Read both from the same source: `email_verified` applies only to the email address among the same claims.
    email: readClaim(about['email']),
    emailVerified: readFlag(about['email_verified']),
    organization: readClaim(claims[orgClaim]) ?? readClaim(further[orgClaim]),
    secondFactor: passedSecondFactor(claims),
  };
  if (findUnstorable(identity)) throw new ProviderRefused('the ID token has a claim that cannot be stored');
  return identity;
}

/** Reads `amr` and `acr` of an ID token. Values that are not known say nothing. */
function passedSecondFactor(claims: Readonly<Record<string, unknown>>): boolean {
  const { amr, acr } = claims;
  const methods: unknown[] = Array.isArray(amr) ? amr : [];
  return (
    methods.some((method) => typeof method === 'string' && secondFactorMethods.has(method)) ||
    (typeof acr === 'string' && secondFactorClasses.has(acr))
  );
}

/**
 * Returns a claim as text, or null if it is empty or of another type. A number is converted: some providers use numbers
 * for organizations.
 */
function readClaim(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return null;
  if (text.length > maximumClaim) throw new ProviderRefused('the ID token has a claim that is too long');
  return text;
}

/** Reads a boolean. Some providers send booleans as text. */
function readFlag(value: unknown): boolean {
  return value === true || value === 'true';
}
