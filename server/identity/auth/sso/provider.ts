import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { type Settings, SettingsError } from '#server/settings.ts';
import type { Discovered, SsoExchange, SsoIdentity } from './oidc-client.ts';
import { checkIssuer, type OutboundParts, ProviderUnreachable } from './outbound.ts';

/**
 * The identity provider.
 * @throws AppError 503 if the provider cannot be reached; 401 `single sign-on failed` if it rejects the code, or if its
 *   response is invalid
 */
export interface SsoProvider {
  /** Returns the URL to which the browser is redirected: the code flow with PKCE (S256), state and nonce. */
  authorizationUrl(exchange: SsoExchange): Promise<string>;
  /** Exchanges the code, which can be used once, and returns the person's identity. */
  identify(code: string, exchange: SsoExchange): Promise<SsoIdentity>;
}

/** Loads the client at the first sign-in, because most deployments do not use it. */
const client = () => import('./oidc-client.ts');

type SsoSettings = Pick<Settings, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_ORG_CLAIM'>;

/** Milliseconds after which the provider's metadata are fetched again. */
const maximumAge = 3_600_000;

/**
 * Opens the provider of OIDC_ISSUER. Sends no request before the first sign-in.
 * @throws SettingsError if OIDC_ISSUER or OIDC_CLIENT_ID is missing, or if OIDC_ISSUER cannot be used
 */
export function openSsoProvider(settings: SsoSettings, parts: OutboundParts = {}): SsoProvider {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = settings;
  if (!issuer) throw new SettingsError('OIDC_ISSUER: must be set if OIDC_ENABLED is set');
  if (!clientId) throw new SettingsError('OIDC_CLIENT_ID: must be set if OIDC_ENABLED is set');
  checkIssuer(issuer);
  const discovered = remembered(async () => (await client()).discover(issuer, clientId, parts));
  return {
    authorizationUrl: (exchange) =>
      mapProviderErrors(async () => (await client()).authorizationUrl(await discovered(), exchange)),
    identify: (code, exchange) =>
      mapProviderErrors(async () => {
        const { redeem, identityOf } = await client();
        const redeemed = await redeem(await discovered(), settings.OIDC_CLIENT_SECRET, code, exchange);
        return identityOf(redeemed, settings.OIDC_ORG_CLAIM);
      }),
  };
}

/** Caches the result of `ask` for an hour. Concurrent callers share one request. Failures are not cached. */
function remembered(ask: () => Promise<Discovered>): () => Promise<Discovered> {
  let held: { discovered: Promise<Discovered>; until: number } | undefined;
  return () => {
    if (held && Date.now() < held.until) return held.discovered;
    const asked = { discovered: ask(), until: Date.now() + maximumAge };
    held = asked;
    asked.discovered.catch(() => {
      if (held === asked) held = undefined;
    });
    return asked.discovered;
  };
}

/** The slug of the only identity provider. */
export const providerSlug = 'oidc';

/** The `provider` path parameter. */
export const providerName = z.string().max(100).describe('The slug of the identity provider, `oidc`.');

const providers = new WeakMap<Settings, SsoProvider>();

/**
 * Returns the provider with this name. Opens it on first use.
 * @throws AppError 404 for an unknown name, 403 if single sign-on is disabled
 */
export function requireProvider(settings: Settings, name: string): SsoProvider {
  if (name !== providerSlug) throw new AppError('not_found', 'identity provider not found');
  if (!settings.OIDC_ENABLED) throw new AppError('forbidden', 'single sign-on is disabled');
  const provider = providers.get(settings) ?? openSsoProvider(settings);
  providers.set(settings, provider);
  return provider;
}

/**
 * Checks the single sign-on settings when the process starts, rather than at the first sign-in.
 * @throws SettingsError if OIDC_ENABLED is set and the other settings cannot be used
 */
export function checkSsoSettings(settings: Settings): void {
  if (settings.OIDC_ENABLED) requireProvider(settings, providerSlug);
}

/** Runs a request to the provider. Converts all errors to an AppError 503 or 401. */
async function mapProviderErrors<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    const errors = chainOf(thrown);
    const unreachable = errors.find((error) => error instanceof ProviderUnreachable);
    if (unreachable)
      throw new AppError('transient_error', 'the identity provider cannot be reached; try again', {
        dependency: 'identity_provider',
        cause: unreachable,
      });
    const { describe } = await client();
    throw new AppError('unauthenticated', 'single sign-on failed', {
      cause: new Error(errors.map(describe).join(': ')),
    });
  }
}

/** Returns an error and its chain of causes, outermost first; at most 10 errors. */
function chainOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let error = thrown; error instanceof Error && errors.length < 10; error = error.cause)
    errors.push(error);
  return errors;
}
