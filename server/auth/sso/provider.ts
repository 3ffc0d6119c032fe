import { ResponseBodyError } from 'openid-client';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { type Settings, SettingsError } from '#server/settings.ts';
import {
  authorizationUrl,
  type Discovered,
  discover,
  identityOf,
  redeem,
  type SsoExchange,
  type SsoIdentity,
} from './oidc-client.ts';
import { checkIssuer, type OutboundParts, ProviderUnreachable } from './outbound.ts';

/**
 * The identity provider.
 * @throws AppError 503 where it is out of reach; 401 `single sign-on failed` where it refuses the code, or what it
 * answers does not hold
 */
export interface SsoProvider {
  /** The address to send the browser to: code and PKCE (S256), with state and nonce. */
  authorizationUrl(exchange: SsoExchange): Promise<string>;
  /** Exchanges the code, which can be done once, and says whose it is. */
  identify(code: string, exchange: SsoExchange): Promise<SsoIdentity>;
}

type SsoSettings = Pick<Settings, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_ORG_CLAIM'>;

/** Milliseconds after which the provider's metadata are asked for again. */
const maximumAge = 3_600_000;

/**
 * The provider of OIDC_ISSUER. Nothing is asked of it before the first sign-in.
 * @throws SettingsError where OIDC_ISSUER or OIDC_CLIENT_ID cannot be used
 */
export function openSsoProvider(settings: SsoSettings, parts: OutboundParts = {}): SsoProvider {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = settings;
  if (!issuer) throw new SettingsError('OIDC_ISSUER: must be set where OIDC_ENABLED is');
  if (!clientId) throw new SettingsError('OIDC_CLIENT_ID: must be set where OIDC_ENABLED is');
  checkIssuer(issuer);
  const discovered = remembered(() => discover(issuer, clientId, parts));
  return {
    authorizationUrl: (exchange) =>
      mapProviderErrors(async () => authorizationUrl(await discovered(), exchange)),
    identify: (code, exchange) =>
      mapProviderErrors(async () => {
        const redeemed = await redeem(await discovered(), settings.OIDC_CLIENT_SECRET, code, exchange);
        return identityOf(redeemed, settings.OIDC_ORG_CLAIM);
      }),
  };
}

/** Asks once, however many wait for the answer, and keeps it for an hour. A failure is not kept. */
function remembered(ask: () => Promise<Discovered>): () => Promise<Discovered> {
  let held: { answer: Promise<Discovered>; until: number } | undefined;
  return () => {
    if (held && Date.now() < held.until) return held.answer;
    const asked = { answer: ask(), until: Date.now() + maximumAge };
    held = asked;
    asked.answer.catch(() => {
      if (held === asked) held = undefined;
    });
    return asked.answer;
  };
}

/** The slug of the one identity provider. */
export const providerSlug = 'oidc';

/** The `provider` of a path. */
export const providerName = z.string().max(100);

const providers = new WeakMap<Settings, SsoProvider>();

/**
 * The provider of this name, opened at its first use.
 * @throws AppError 404 for another name, 403 where single sign-on is switched off
 */
export function requireProvider(settings: Settings, name: string): SsoProvider {
  if (name !== providerSlug) throw new AppError('not_found', 'identity provider not found');
  if (!settings.OIDC_ENABLED) throw new AppError('forbidden', 'single sign-on is disabled');
  const provider = providers.get(settings) ?? openSsoProvider(settings);
  providers.set(settings, provider);
  return provider;
}

/** Does what is asked of the provider. @throws AppError 503 or 401 (C 7), and nothing else */
async function mapProviderErrors<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (thrown) {
    const errors = chainOf(thrown);
    const unreachable = errors.find((error) => error instanceof ProviderUnreachable);
    if (unreachable)
      throw new AppError('transient_error', 'the identity provider cannot be reached; try again', {
        cause: unreachable,
      });
    throw new AppError('unauthenticated', 'single sign-on failed', {
      cause: new Error(errors.map(describe).join(': ')),
    });
  }
}

/** An error and its causes, the library's own first. */
function chainOf(thrown: unknown): Error[] {
  const errors: Error[] = [];
  for (let error = thrown; error instanceof Error && errors.length < 10; error = error.cause)
    errors.push(error);
  return errors;
}

/**
 * What may be logged of an error. The library's causes carry whole answers, tokens included, and a SyntaxError quotes
 * what it could not read: of the former only the words are taken, of the latter nothing.
 */
function describe(error: Error): string {
  if (error instanceof SyntaxError) return error.name;
  const words = error instanceof ResponseBodyError ? `${error.message} (${error.error})` : error.message;
  return words.slice(0, 200);
}
