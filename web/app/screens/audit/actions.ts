import type { AuditListQuery } from '#sdk/types.ts';

type Known = NonNullable<AuditListQuery['action']>;

/**
 * All actions of the service, in its order. The value is true if the audit log of a workspace can contain the action.
 * TypeScript reports an error if a new action of the service is missing here.
 */
const ofWorkspaces = {
  signed_in: true,
  sign_in_failed: true,
  signed_out: true,
  token_revoked: true,
  refresh_token_reused: true,
  session_ended: true,
  sessions_ended: true,
  mfa_enrolled: true,
  mfa_code_refused: true,
  mfa_challenge_burnt: true,
  recovery_code_used: true,
  recovery_codes_regenerated: true,
  password_proof_refused: true,
  mfa_reset: true,
  member_joined: true,
  email_confirmed: true,
  member_revoked: true,
  member_restored: true,
  member_anonymized: true,
  role_changed: true,
  reset_link_issued: true,
  password_reset: true,
  password_changed: true,
  provider_linked: true,
  invite_created: true,
  invite_withdrawn: true,
  tenant_founded: true,
  tenant_provisioned: true,
  general_settings_changed: true,
  security_policy_changed: true,
  api_key_created: true,
  api_key_changed: true,
  api_key_rotated: true,
  api_key_revoked: true,
  administrator_restored: true,
  tenant_deactivated: true,
  tenant_reactivated: true,
  tenant_deletion_scheduled: true,
  tenant_deletion_canceled: true,
  tenant_deleted: false,
  tenant_export_requested: true,
  tenant_export_downloaded: true,
  retention_changed: true,
  allowance_changed: true,
  style_guide_saved: true,
  style_guide_deleted: true,
  segmentation_saved: true,
  segmentation_deleted: true,
  text_rules_saved: true,
  memory_changed: true,
  memory_change_undone: true,
  memory_penalty_changed: true,
  review_approved: true,
  review_rejected: true,
  review_reopened: true,
  review_changed: true,
  review_assigned: true,
  review_unassigned: true,
  review_passed: true,
  reviewer_profile_changed: true,
  assignment_rules_changed: true,
  second_review_removed: true,
  quality_settings_changed: true,
  quality_stated: true,
  document_requeued: true,
  document_canceled: true,
  storage_cap_changed: true,
  storage_binding_changed: true,
  storage_binding_removed: true,
  storage_binding_verified: true,
  storage_binding_refused: true,
  storage_binding_displaced: true,
  engine_saved: true,
  engine_removed: true,
  background_job_retried: true,
  subscription_mirrored: true,
  topup_credited: true,
  // The following actions concern the whole deployment.
  login_candidates_capped: false,
  secrets_resealed: false,
} as const satisfies Record<Known, boolean>;

type Action = { [Name in Known]: (typeof ofWorkspaces)[Name] extends true ? Name : never }[Known];

/** The actions for the filter. Each has a message in the catalog. */
export const actions = (Object.keys(ofWorkspaces) as Known[]).filter(isAction);

export function isAction(name: string | undefined): name is Action {
  return name !== undefined && Object.hasOwn(ofWorkspaces, name) && ofWorkspaces[name as Known];
}
