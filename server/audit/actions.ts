/** Everything that is recorded, by its stable name. */
export const auditActions = [
  // Signing in and out
  'signed_in',
  'sign_in_failed',
  'login_candidates_capped',
  'signed_out',
  'token_revoked',
  'refresh_token_reused',
  'session_ended',
  // The second factor
  'mfa_enrolled',
  'mfa_code_refused',
  'mfa_challenge_burnt',
  'recovery_code_used',
  'recovery_codes_regenerated',
  'mfa_reset',
  // Members and invites
  'member_joined',
  'member_revoked',
  'member_restored',
  'role_changed',
  'reset_link_issued',
  'password_reset',
  'invite_created',
  'invite_withdrawn',
  // Tenants
  'tenant_founded',
  'tenant_provisioned',
  'security_policy_changed',
  'api_key_rotated',
  'api_key_revoked',
  'administrator_restored',
  'tenant_deactivated',
  'tenant_reactivated',
  'allowance_changed',
  // Billing
  'subscription_mirrored',
  'topup_credited',
] as const;

export type AuditAction = (typeof auditActions)[number];
