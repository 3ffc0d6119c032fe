import type { Database, Tx } from '#db/client.ts';
import type { Administrator } from '#server/access/service.ts';
import { newId } from '#server/ids.ts';
import { type AuditRow, insertEvent, selectEvents } from './queries.ts';

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

type AuditAction = (typeof auditActions)[number];

export type { AuditRow } from './queries.ts';

/** The request that something was done by; a RequestContext is one. */
export interface Origin {
  requestId: string | null;
  clientAddress: string | null;
}

/** A command on the server, which no request made. */
export const atTheServer: Origin = { requestId: null, clientAddress: null };

/**
 * Who did it: a member; somebody who is not signed in; the operator key; whoever works on the server itself; or the payment
 * processor, by an event.
 */
export type Actor =
  | { kind: 'member'; userId: string }
  | { kind: 'anonymous' }
  | { kind: 'operator_key' }
  | { kind: 'server' }
  | { kind: 'payment_processor' };

export interface AuditEvent {
  action: AuditAction;
  /** Null for what happened outside of any tenant: only the platform's scope may record it. */
  tenantId: string | null;
  actor: Actor;
  /** What was acted upon: the id of a member, an invite, a token family; the e-mail address of a sign-in. */
  target?: string;
  /** Never a secret, never a source text. */
  details?: Record<string, string | number | boolean | null>;
}

/** Records what happened, in the transaction in which it happened: both stand, or neither. */
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

interface AuditQuery {
  /** A tenant's id; '' for what happened outside of any tenant; undefined for all of it. */
  tenantId?: string | undefined;
  action?: AuditAction | undefined;
  /** Inclusive. */
  since?: Date | undefined;
  /** Exclusive. */
  until?: Date | undefined;
  /** Events at the most. */
  limit: number;
}

/** Events that are held at a time. */
const pageSize = 200;

/** The audit log, newest first, over all tenants: for whoever works on the server. */
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

/** Records what an administrator did, in the transaction in which it was done. */
export async function recordAdministration(
  tx: Tx,
  origin: Origin,
  admin: Administrator,
  event: Omit<AuditEvent, 'actor'>,
): Promise<void> {
  // Beside a session, which says who it was, the operator key still is what let it happen.
  const widened = admin.user !== null && admin.operatorKey ? { operator_key: true } : {};
  await recordEvent(tx, origin, {
    ...event,
    actor: actorOf(admin),
    details: { ...event.details, ...widened },
  });
}

/** The session decides the person (C 7). In open dev mode (A 5.1 rule 7) there is nobody to name. */
function actorOf({ user, operatorKey, atServer }: Administrator): Actor {
  if (atServer) return { kind: 'server' };
  if (user) return { kind: 'member', userId: user.id };
  return { kind: operatorKey ? 'operator_key' : 'anonymous' };
}
