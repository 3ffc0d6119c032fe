import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { openSsoProvider, type SsoProvider } from './provider.ts';

/** The slug of the one identity provider. */
export const providerSlug = 'oidc';

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
