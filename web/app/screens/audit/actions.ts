import type { Rpc } from '#sdk/rpc.ts';

type Request = Extract<Parameters<Rpc['audit']['list']['query']>[0], object>;

type Known = NonNullable<Request['action']>;

/** The actions that a workspace's own log can have, in the order of the service. Each has its words in the catalog. */
export const actions = [
  'signed_in',
  'sign_in_failed',
  'signed_out',
  'token_revoked',
  'refresh_token_reused',
  'session_ended',
  'mfa_enrolled',
  'mfa_code_refused',
  'mfa_challenge_burnt',
  'recovery_code_used',
  'recovery_codes_regenerated',
  'mfa_reset',
  'member_joined',
  'member_revoked',
  'member_restored',
  'role_changed',
  'reset_link_issued',
  'password_reset',
  'invite_created',
  'invite_withdrawn',
  'tenant_founded',
  'tenant_provisioned',
  'security_policy_changed',
  'api_key_rotated',
  'api_key_revoked',
  'administrator_restored',
  'tenant_deactivated',
  'tenant_reactivated',
  'allowance_changed',
  'storage_binding_changed',
  'storage_binding_removed',
  'storage_binding_verified',
  'storage_binding_refused',
  'subscription_mirrored',
  'topup_credited',
] as const satisfies readonly Known[];

export function isAction(name: string | undefined): name is (typeof actions)[number] {
  return actions.some((action) => action === name);
}
