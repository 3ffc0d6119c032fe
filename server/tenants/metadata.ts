const ownedPrefixes = ['pay_', 'trial_', 'topup_', 'mfa_', 'sso_', 'invites_', 'storage_'];
/** The identity provider's organization key (C 2). */
const ownedKeys = ['oidc_org_id'];

/** Whether the platform, not the tenant, owns this metadata key (A 2.1). */
export function isPlatformOwned(key: string): boolean {
  const lower = key.toLowerCase();
  return ownedKeys.includes(lower) || ownedPrefixes.some((prefix) => lower.startsWith(prefix));
}

/** A caller's metadata without the keys that the platform owns. */
export function withoutPlatformKeys(metadata: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isPlatformOwned(key)));
}
