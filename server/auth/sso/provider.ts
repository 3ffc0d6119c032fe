import { type Settings, SettingsError } from '#server/settings.ts';
import { authorizationUrl, redeem, type SsoExchange, ssoScopes } from './code-grant.ts';
import { type Discovered, discover } from './discovery.ts';
import { answering } from './failure.ts';
import { identityOf, type SsoIdentity } from './identity.ts';
import { checkIssuer, type OutboundParts } from './outbound.ts';

export { type SsoExchange, type SsoIdentity, ssoScopes };

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

export type SsoSettings = Pick<
  Settings,
  'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_ORG_CLAIM'
>;

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
    authorizationUrl: (exchange) => answering(async () => authorizationUrl(await discovered(), exchange)),
    identify: (code, exchange) =>
      answering(async () => {
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
