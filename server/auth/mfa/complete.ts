import type { Tx } from '#db/client.ts';
import { type IssuedTokens, newFamily, startSession } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Settings } from '#server/settings.ts';
import type { MemberRow } from './queries.ts';

/** Issues the tokens that a challenge stood before, which a second factor has passed, to a member whose row is locked. */
export async function startChallengedSession(
  tx: Tx,
  origin: Origin,
  settings: Settings,
  { tenantId, userId, email, provider, role }: MemberRow,
  scope: string,
): Promise<IssuedTokens> {
  const member = { tenantId, userId, email, provider, role };
  const tokens = await startSession(tx, member, settings, newFamily({ secondFactor: true }), scope);
  await recordEvent(tx, origin, {
    action: 'signed_in',
    tenantId,
    actor: { kind: 'member', userId },
    details: { way: 'mfa' },
  });
  return tokens;
}
