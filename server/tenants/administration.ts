import type { Tx } from '#db/client.ts';
import type { Administrator } from '#server/access/service.ts';
import { type Actor, type AuditEvent, type Origin, recordEvent } from '#server/audit/service.ts';

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
