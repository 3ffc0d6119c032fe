import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { type ClientAuthMethod, type Configuration, Provider } from 'oidc-provider';
import { listen } from './http-server.ts';
import { createMemory } from './oidc-memory.ts';

/** An account and its claims. */
export interface OidcAccount {
  sub: string;
  email?: string;
  email_verified?: boolean;
  [claim: string]: unknown;
}

export interface OidcProviderOptions {
  clientId: string;
  /** If omitted, the client is public. */
  clientSecret?: string;
  /** The authentication method of the client. The default is client_secret_basic; without a secret, it is `none`. */
  authentication?: ClientAuthMethod;
  redirectUris: string[];
  /** Read at each sign-in, so that a test can add accounts. The names of all claims must be known at the start. */
  accounts: OidcAccount[];
  /** Where the provider returns all claims except `sub`. */
  claimsIn?: 'id_token' | 'userinfo';
}

const endpoints = {
  '/.well-known/openid-configuration': 'discovery',
  '/auth': 'authorization',
  '/token': 'token',
  '/jwks': 'jwks',
  '/me': 'userinfo',
} as const;

export type OidcEndpoint = (typeof endpoints)[keyof typeof endpoints];

/** Faults of the provider. They last until the test changes them. */
export interface OidcFaults {
  /** Functions that respond instead of the provider, by endpoint. A function may also never respond. */
  reply?: Partial<Record<OidcEndpoint, (response: ServerResponse) => void>>;
  /** Fields that are merged into the discovery document. A field that is undefined is removed. */
  metadata?: Record<string, unknown>;
  /**
   * Claims that replace the correct claims in ID tokens, such as `{nonce: 'another'}`. A claim that is undefined is
   * removed.
   */
  idToken?: Record<string, unknown>;
  /** Signs ID tokens with a wrong key, but with the key ID of the provider's real key. */
  foreignKey?: boolean;
  /** Sends unsigned ID tokens (`alg: none`). */
  unsigned?: boolean;
}

export interface FakeOidcProvider extends AsyncDisposable {
  /** For OIDC_ISSUER. */
  readonly issuer: string;
  /** The endpoints that have been requested so far, in order. */
  readonly requests: OidcEndpoint[];
  /** The current faults. A test file resets them before each test with `provider.faults = {}`. */
  faults: OidcFaults;
  /**
   * Follows an authorization URL like a browser, and signs in with the account `sub`.
   * @returns the parameters of the redirect to the service
   * @throws Error with the provider's response, if the provider does not redirect with a code
   */
  signIn(
    authorizationUrl: string,
    sub: string,
  ): Promise<{ code: string; state: string; redirectUri: string }>;
  stop(): Promise<void>;
}

const keyId = 'signing';
let keys: { own: KeyObject; foreign: KeyObject } | undefined;

/** The keys are created once for each process, because this is slow. */
function signingKeys() {
  const make = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  keys ??= { own: make(), foreign: make() };
  return keys;
}

/** Starts a real OpenID provider on a free port of the loopback address. It has one client, which must use PKCE. */
export async function startOidcProvider(options: OidcProviderOptions): Promise<FakeOidcProvider> {
  const server = createServer();
  const { url: issuer, close } = await listen(server);
  const provider = new Provider(issuer, configurationOf(options));
  // Otherwise Koa prints errors.
  provider.silent = true;

  const fake: FakeOidcProvider = {
    issuer,
    requests: [],
    faults: {},
    signIn: (authorizationUrl, sub) => signIn(issuer, authorizationUrl, sub),
    stop: close,
    [Symbol.asyncDispose]: close,
  };

  provider.use(async (ctx, next) => {
    if (ctx.path.startsWith('/interaction/')) {
      ctx.respond = false;
      const { params } = await provider.interactionDetails(ctx.req, ctx.res);
      const login = { accountId: String(params['login_hint']) };
      return provider.interactionFinished(ctx.req, ctx.res, { login });
    }
    const endpoint = endpoints[ctx.path as keyof typeof endpoints];
    if (!endpoint) return next();
    fake.requests.push(endpoint);
    const reply = fake.faults.reply?.[endpoint];
    if (reply) {
      ctx.respond = false;
      return reply(ctx.res);
    }
    await next();
    const body = ctx.body as Record<string, unknown>;
    if (endpoint === 'discovery') ctx.body = { ...body, ...fake.faults.metadata };
    if (endpoint === 'token' && body['id_token'])
      ctx.body = { ...body, id_token: spoil(String(body['id_token']), fake.faults) };
  });
  server.on('request', provider.callback());

  return fake;
}

function configurationOf(options: OidcProviderOptions): Configuration {
  const { accounts, clientId, clientSecret, redirectUris } = options;
  const authentication = options.authentication ?? (clientSecret ? 'client_secret_basic' : 'none');
  const otherClaims = accounts
    .flatMap((account) => Object.keys(account))
    .filter((claim) => !['sub', 'email', 'email_verified'].includes(claim));
  const lifetime = 3600;
  return {
    adapter: createMemory(),
    jwks: {
      keys: [{ ...signingKeys().own.export({ format: 'jwk' }), kid: keyId, use: 'sig', alg: 'RS256' }],
    },
    clients: [
      {
        client_id: clientId,
        ...(clientSecret && { client_secret: clientSecret }),
        token_endpoint_auth_method: authentication,
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    pkce: { required: () => true },
    conformIdTokenClaims: options.claimsIn === 'userinfo',
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: otherClaims },
    features: { devInteractions: { enabled: false } },
    async findAccount(_, sub) {
      const account = accounts.find((known) => known.sub === sub);
      return account && { accountId: sub, claims: () => account };
    },
    // Returning a grant skips the step in which a person consents.
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId;
      const grant = new oidc.provider.Grant({ clientId, ...(accountId && { accountId }) });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    renderError(ctx, out) {
      ctx.body = out;
    },
    // Without these settings, oidc-provider prints a notice about its default keys.
    ttl: {
      AccessToken: lifetime,
      AuthorizationCode: 60,
      Grant: lifetime,
      IdToken: lifetime,
      Interaction: lifetime,
      Session: lifetime,
    },
  };
}

/** Changes a valid ID token according to the faults of the provider. */
function spoil(token: string, { idToken, foreignKey, unsigned }: OidcFaults): string {
  const [header, claims] = token
    .split('.', 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));
  const signed = [unsigned ? { alg: 'none' } : header, { ...claims, ...idToken }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  if (unsigned) return `${signed}.`;
  const key = foreignKey ? signingKeys().foreign : signingKeys().own;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}

async function signIn(issuer: string, authorizationUrl: string, sub: string) {
  const cookies = new Map<string, string>();
  let address = new URL(authorizationUrl);
  // oidc-provider redirects to an interaction, such as a sign-in page. This completes the interaction for the account
  // without a page.
  address.searchParams.set('login_hint', sub);
  for (let hop = 0; hop < 10; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
    const body = await answer.text();
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) as unknown as [string, string, string];
      if (value) cookies.set(name, value);
      else cookies.delete(name);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${answer.status} ${body}`);
    address = new URL(location, address);
    if (address.origin !== issuer) return broughtBack(address);
  }
  throw new Error('the provider redirects for ever');
}

function broughtBack(address: URL) {
  const { code, state, error } = Object.fromEntries(address.searchParams);
  if (code === undefined || state === undefined) throw new Error(`the provider sent back ${error}`);
  for (const name of ['code', 'state', 'iss']) address.searchParams.delete(name);
  return { code, state, redirectUri: address.href };
}
