import type { Tx } from '#db/client.ts';
import { seal, unseal } from '#server/encryption.ts';
import { AppError } from '#server/errors.ts';
import { type MemberRow, saveLastStep } from './queries.ts';
import { readRecoveryCode, redeemRecoveryCode } from './recovery-codes.ts';
import { matchStep } from './totp.ts';

export function sealSecret(secretsKey: Buffer, user: MemberRow, secret: Uint8Array): Uint8Array {
  return seal(secretsKey, 'authenticator', ownerOf(user), secret);
}

/** @throws AppError 503 where it was sealed under another SECRETS_KEY */
export function unsealSecret(secretsKey: Buffer, user: MemberRow, sealed: Uint8Array): Uint8Array {
  try {
    return unseal(secretsKey, 'authenticator', ownerOf(user), sealed);
  } catch (cause) {
    throw new AppError('service_unavailable', 'the authenticator cannot be read; it has to be reset', {
      cause,
    });
  }
}

function ownerOf({ tenantId, userId }: MemberRow): string {
  return `${tenantId}/${userId}`;
}

/** What a right code was; `left` is the number of recovery codes that remain. */
export type RedeemedCode = { kind: 'totp' } | { kind: 'recovery_code'; left: number };

/**
 * Uses a code of either kind up, once (A 5.3 rule 5, C 2); the member's row is locked. Who has no authenticator has no
 * right code either.
 * @param now Unix time in seconds
 * @returns undefined for a wrong code, and for one that was used before
 */
export async function redeemCode(
  tx: Tx,
  secretsKey: Buffer,
  user: MemberRow,
  code: string,
  now: number,
): Promise<RedeemedCode | undefined> {
  if (user.totpSecret === null) return undefined;
  const recoveryCode = readRecoveryCode(code);
  if (recoveryCode !== undefined) {
    const left = await redeemRecoveryCode(tx, secretsKey, user, recoveryCode);
    return left === undefined ? undefined : { kind: 'recovery_code', left };
  }
  const secret = unsealSecret(secretsKey, user, user.totpSecret);
  const step = matchStep(secret, code, now, user.totpLastStep);
  if (step === undefined) return undefined;
  await saveLastStep(tx, user, step);
  return { kind: 'totp' };
}
