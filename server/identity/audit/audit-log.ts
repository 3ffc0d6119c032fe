import { and, desc, eq, gte, inArray, lt, sql } from 'drizzle-orm';
import { type Database, prepare, type Tx } from '#db/client.ts';
import { auditLog } from '#db/schema/audit.ts';
import { type Administrator, serverAdministrator } from '#server/identity/access/guards/admin.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { newId } from '#server/platform/ids.ts';

/** The actions that the audit log records. The names are stable. */
export const auditActions = [
  // Signing in and out
  'signed_in',
  'sign_in_failed',
  'login_candidates_capped',
  'signed_out',
  'token_revoked',
  'refresh_token_reused',
  'session_ended',
  'sessions_ended',
  // The second factor
  'mfa_enrolled',
  'mfa_code_refused',
  'mfa_challenge_burnt',
  'recovery_code_used',
  'recovery_codes_regenerated',
  'password_proof_refused',
  'mfa_reset',
  // Members and invites
  'member_joined',
  'email_confirmed',
  'member_revoked',
  'member_restored',
  'member_anonymized',
  'role_changed',
  'reset_link_issued',
  'password_reset',
  'password_changed',
  'provider_linked',
  'invite_created',
  'invite_withdrawn',
  // Tenants
  'tenant_founded',
  'tenant_provisioned',
  'general_settings_changed',
  'security_policy_changed',
  'api_key_created',
  'api_key_changed',
  'api_key_rotated',
  'api_key_revoked',
  'administrator_restored',
  'tenant_deactivated',
  'tenant_reactivated',
  'tenant_deletion_scheduled',
  'tenant_deletion_canceled',
  'tenant_deleted',
  'tenant_export_requested',
  'tenant_export_downloaded',
  'retention_changed',
  'allowance_changed',
  'style_guide_saved',
  'style_guide_deleted',
  'segmentation_saved',
  'segmentation_deleted',
  'text_rules_saved',
  'memory_changed',
  'memory_change_undone',
  'memory_penalty_changed',
  // Reviews
  'review_approved',
  'review_rejected',
  'review_reopened',
  'review_changed',
  'review_assigned',
  'review_unassigned',
  'review_passed',
  'reviewer_profile_changed',
  'assignment_rules_changed',
  'second_review_removed',
  'quality_settings_changed',
  'quality_stated',
  // Documents
  'document_requeued',
  'document_canceled',
  'storage_cap_changed',
  // Storage
  'storage_binding_changed',
  'storage_binding_removed',
  'storage_binding_verified',
  'storage_binding_refused',
  'storage_binding_displaced',
  // The engine with the workspace's own key
  'engine_saved',
  'engine_removed',
  // The queue of background jobs
  'background_job_retried',
  // SECRETS_KEY
  'secrets_resealed',
  // Billing
  'subscription_mirrored',
  'topup_credited',
] as const;

type AuditAction = (typeof auditActions)[number];

/** The origin of a change: a request, or a command on the server. A RequestContext has these fields. */
export interface Origin {
  requestId: string | null;
  clientAddress: string | null;
  /** The program of the client. It is not recorded in the log, but with a session. */
  agent?: string | null;
}

/** The origin of a command on the server, which has no request. */
export const atTheServer: Origin = { requestId: null, clientAddress: null };

/** A platform operator who acts, and the origin of the action: a request, or a command on the server. */
export interface ActingOperator {
  admin: Administrator;
  origin: Origin;
}

/** Someone who runs a command on the server. */
export const operatorAtServer: ActingOperator = { admin: serverAdministrator, origin: atTheServer };

/**
 * Who acted: a member, a caller with the tenant's API key, a caller who is not signed in, a caller with the operator
 * key, someone with a shell on the server, or the payment processor by an event.
 */
export type Actor =
  | { kind: 'member'; userId: string }
  | { kind: 'api_key' }
  | { kind: 'anonymous' }
  | { kind: 'operator_key' }
  | { kind: 'server' }
  | { kind: 'payment_processor' };

export interface AuditEvent {
  action: AuditAction;
  /** Null for an event that belongs to no tenant; only a transaction in platform scope may record it. */
  tenantId: string | null;
  actor: Actor;
  /**
   * The object of the action: the id of a member, invite, token family, job or document; for a sign-in, the email
   * address.
   */
  target?: string;
  /** Details of the event. Never contains a secret or a source text. */
  details?: Record<string, string | number | boolean | null>;
}

/** Records an event in the same transaction as the event itself, so that both are committed or neither is. */
export async function recordEvent(tx: Tx, origin: Origin, event: AuditEvent): Promise<void> {
  await insertEvent(tx, {
    tenantId: event.tenantId ?? '',
    eventId: newId(),
    action: event.action,
    actorKind: event.actor.kind,
    actorId: event.actor.kind === 'member' ? event.actor.userId : null,
    target: event.target ?? null,
    address: origin.clientAddress,
    requestId: origin.requestId,
    details: event.details ?? {},
  });
}

type NewEvent = Required<Omit<typeof auditLog.$inferInsert, 'recordedAt'>>;

const insertEvent = prepare<NewEvent, unknown>((db) =>
  db
    .insert(auditLog)
    .values({
      tenantId: sql.placeholder('tenantId'),
      eventId: sql.placeholder('eventId'),
      action: sql.placeholder('action'),
      actorKind: sql.placeholder('actorKind'),
      actorId: sql.placeholder('actorId'),
      target: sql.placeholder('target'),
      address: sql.placeholder('address'),
      requestId: sql.placeholder('requestId'),
      details: sql.placeholder('details'),
    })
    .prepare('insert_audit_event'),
);

/** Records an administrator's action, in the same transaction. */
export async function recordAdministration(
  tx: Tx,
  origin: Origin,
  admin: Administrator,
  event: Omit<AuditEvent, 'actor'>,
): Promise<void> {
  // The session identifies the member, but the operator key in the same request permitted the action.
  const widened = admin.user !== null && admin.operatorKey ? { operator_key: true } : {};
  await recordEvent(tx, origin, {
    ...event,
    actor: actorOf(admin),
    details: { ...event.details, ...widened },
  });
}

/** Returns the actor for a caller with a tenant's credential. */
export function actorOfPrincipal(principal: Principal): Actor {
  return principal.kind === 'session' ? { kind: 'member', userId: principal.user.id } : { kind: 'api_key' };
}

/** The session identifies the member. In open dev mode, the caller is unknown. */
function actorOf({ user, operatorKey, atServer }: Administrator): Actor {
  if (atServer) return { kind: 'server' };
  if (user) return { kind: 'member', userId: user.id };
  return { kind: operatorKey ? 'operator_key' : 'anonymous' };
}

export type AuditRow = typeof auditLog.$inferSelect;

interface AuditQuery {
  /** A tenant's id; '' for events that belong to no tenant; undefined for all events. */
  tenantId?: string | undefined;
  action?: AuditAction | undefined;
  /** Return events recorded at this time or later. */
  since?: Date | undefined;
  /** Return events recorded before this time. */
  until?: Date | undefined;
  /** Maximum number of events to return. */
  limit: number;
}

/** Number of events in memory at a time. */
const pageSize = 200;

/** Reads the audit log over all tenants, latest first. For commands on the server. */
export async function* readEvents(
  database: Database,
  { limit, ...filter }: AuditQuery,
): AsyncGenerator<AuditRow> {
  let left = limit;
  let after: AuditRow | undefined;
  while (left > 0) {
    const size = Math.min(pageSize, left);
    const page = await database.inPlatform((tx) => selectEvents(tx, { ...filter, after, limit: size }));
    yield* page;
    if (page.length < size) return;
    left -= size;
    after = page.at(-1);
  }
}

/**
 * Returns the time of the latest event with one of these actions whose target is the tenant; null if the log has
 * none.
 */
export async function latestEventAt(
  tx: Tx,
  tenantId: string,
  actions: readonly AuditAction[],
): Promise<Date | null> {
  const [row] = await tx
    .select({ recordedAt: auditLog.recordedAt })
    .from(auditLog)
    .where(
      and(eq(auditLog.tenantId, tenantId), eq(auditLog.target, tenantId), inArray(auditLog.action, actions)),
    )
    .orderBy(desc(auditLog.recordedAt))
    .limit(1);
  return row?.recordedAt ?? null;
}

interface EventListing {
  tenantId?: string | undefined;
  action?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  after?: AuditRow | undefined;
  limit: number;
}

/** Events are ordered latest first; events of the same transaction, by descending id. */
async function selectEvents(
  tx: Tx,
  { tenantId, action, since, until, after, limit }: EventListing,
): Promise<AuditRow[]> {
  const { recordedAt, eventId } = auditLog;
  return tx
    .select()
    .from(auditLog)
    .where(
      and(
        tenantId === undefined ? undefined : eq(auditLog.tenantId, tenantId),
        action === undefined ? undefined : eq(auditLog.action, action),
        since && gte(recordedAt, since),
        until && lt(recordedAt, until),
        after &&
          sql`(${recordedAt}, ${eventId}) < (${after.recordedAt.toISOString()}::timestamptz, ${after.eventId})`,
      ),
    )
    .orderBy(desc(recordedAt), desc(eventId))
    .limit(limit);
}
