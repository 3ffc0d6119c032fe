import { findToken, hashSecret } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { endToken } from './tokens.ts';

/** Ends the tokens that the client gives up, each in its own tenant; what is no token is passed over (A 4.1). */
export async function signOut(
  { database }: Services,
  origin: Origin,
  tokens: readonly (string | null)[],
): Promise<void> {
  for (const token of tokens) {
    if (!token) continue;
    const tokenHash = hashSecret(token);
    await database.inTenantOfToken(tokenHash, async (tx, owner) => {
      const tenantId = await owner;
      if (tenantId === null) return;
      const found = await findToken(tx, tenantId, tokenHash);
      if (!found) return;
      await endToken(tx, tenantId, tokenHash);
      await recordEvent(tx, origin, {
        action: 'signed_out',
        tenantId,
        actor: { kind: 'member', userId: found.userId },
        target: found.familyId,
      });
    });
  }
}
