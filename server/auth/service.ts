import type { Settings } from '#server/settings.ts';
import { providerSlug, requireProvider } from './sso/provider.ts';

/**
 * Checks the single sign-on settings at startup, rather than at the first sign-in.
 * @throws SettingsError if OIDC_ENABLED is set and the other settings cannot be used
 */
export function checkSsoSettings(settings: Settings): void {
  if (settings.OIDC_ENABLED) requireProvider(settings, providerSlug);
}
