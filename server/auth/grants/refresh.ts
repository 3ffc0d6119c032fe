import {
  hashSecret,
  type IssuedTokens,
  rotateRefreshToken,
  tooManyAttempts,
} from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { readTenant } from '#server/tenants/service.ts';
import { isMfaDemanded, wayOf } from '../mfa/demand.ts';

/**
 * The refresh grant (A 3.3): a new pair for a refresh token that is used up by it.
 * @throws AppError 401 for a consumed, expired or unknown one; a late second use ends its family (C 7), as does a use where
 *   a sign-in would be asked for a second factor that the family did not pass, or where the family is too old
 */
export async function grantByRefreshToken(
  { database, settings }: Services,
  origin: Origin,
  refreshToken: string,
  scope: string | undefined,
): Promise<IssuedTokens> {
  const tokenHash = hashSecret(refreshToken);
  const rotation = await database.inTenantOfToken(tokenHash, async (tx, owner) => {
    const tenantId = await owner;
    if (tenantId === null) return undefined;
    const tenant = await readTenant(tx, tenantId);
    if (!tenant?.active) return undefined;
    const rotated = await rotateRefreshToken(tx, tenantId, tokenHash, settings, {
      scope,
      asksSecondFactor: ({ email, enrolled, ...member }) =>
        isMfaDemanded(settings, tenant, { way: wayOf(member), tenantId, email, enrolled }),
    });
    if (rotated.kind === 'reused' || rotated.kind === 'ended')
      await recordEvent(tx, origin, {
        action: rotated.kind === 'reused' ? 'refresh_token_reused' : 'session_ended',
        tenantId,
        actor: { kind: 'anonymous' },
        target: rotated.familyId,
        details: {
          user_id: rotated.userId,
          ...(rotated.kind === 'ended' && { reason: rotated.reason }),
        },
      });
    return rotated;
  });
  if (rotation?.kind === 'too_many') throw tooManyAttempts(rotation.secondsLeft);
  // After the transaction: ending a family must stand although the answer is a refusal.
  if (rotation?.kind !== 'rotated') throw new AppError('unauthenticated', 'invalid or expired refresh token');
  return rotation.tokens;
}
