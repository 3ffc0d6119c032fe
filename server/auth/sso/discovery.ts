import {
  allowInsecureRequests,
  type ClientAuth,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ServerMetadata,
} from 'openid-client';
import { type OutboundParts, openOutbound, ProviderRefused } from './outbound.ts';

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
