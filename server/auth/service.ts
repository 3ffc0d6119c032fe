import type { Settings } from '#server/settings.ts';
import { providerSlug, requireProvider } from './sso/provider.ts';

/**
 * Refuses settings that no single sign-on could begin with, before anybody tries.
 * @throws SettingsError
 */
export function checkSsoSettings(settings: Settings): void {
  if (settings.OIDC_ENABLED) requireProvider(settings, providerSlug);
}
