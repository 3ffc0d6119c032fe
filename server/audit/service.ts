import type { Tx } from '#db/client.ts';
import { newId } from '#server/ids.ts';
import type { AuditAction } from './actions.ts';
import { insertEvent } from './queries.ts';

export { type AuditAction, auditActions } from './actions.ts';
export type { AuditRow } from './queries.ts';
export { type AuditQuery, readEvents } from './reading.ts';

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
