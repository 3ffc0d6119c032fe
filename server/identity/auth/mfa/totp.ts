import { randomBytes } from 'node:crypto';
import { createTOTPKeyURI, verifyHOTP } from '@oslojs/otp';
import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { LockedMember } from '#server/identity/access/sessions.ts';
import { type SecretsKeys, seal, unseal } from '#server/platform/encryption.ts';

/** Parameters of RFC 6238 that every authenticator app supports: SHA-1, 30-second steps, six digits. */
const stepSeconds = 30;
const digits = 6;
/**
 * Number of steps before and after the current one whose codes are accepted too, for slow typing and inexact clocks.
 */
const tolerance = 1;
const issuer = 'LinguaLoop';
/**
 * Maximum characters of the account name in a key URI. A longer URI, with its escapes, might not fit into a QR code.
 */
const accountLength = 200;

/** Returns a new random secret of 20 bytes, the length of SHA-1's output (RFC 4226, R6). */
export function newTotpSecret(): Uint8Array {
  return randomBytes(20);
}

/**
 * Returns the time step to which a code belongs, or undefined for a wrong code. Store the step, so that each code is
 * accepted once.
 * @param code the code as typed; white space is ignored
 * @param now Unix time in seconds
 * @param lastStep the latest step that was used; only later steps match
 * @returns the latest matching step: if two steps have the same code, the code is used up for both
 */
export function matchStep(
  secret: Uint8Array,
  code: string,
  now: number,
  lastStep: number | null,
): number | undefined {
  const typed = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(typed)) return undefined;
  const present = Math.floor(now / stepSeconds);
  for (let step = present + tolerance; step >= present - tolerance; step -= 1) {
    if (lastStep !== null && step <= lastStep) return undefined;
    if (verifyHOTP(secret, BigInt(step), digits, typed)) return step;
  }
  return undefined;
}

/** Returns the key URI for the QR code of an authenticator app. The app shows `account` with the issuer. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const name = [...account].slice(0, accountLength).join('');
  return createTOTPKeyURI(issuer, name, secret, stepSeconds, digits);
}

/** Encrypts a member's secret for storage. */
export function sealSecret(secretsKeys: SecretsKeys, member: LockedMember, secret: Uint8Array): Uint8Array {
  return seal(secretsKeys, 'authenticator', ownerOf(member), secret);
}

/**
 * Decrypts a member's secret.
 * @throws AppError 503 if neither the current nor the previous key can decrypt it
 */
export function unsealSecret(secretsKeys: SecretsKeys, member: LockedMember, sealed: Uint8Array): Uint8Array {
  try {
    return unseal(secretsKeys, 'authenticator', ownerOf(member), sealed);
  } catch (cause) {
    throw new AppError('service_unavailable', 'the authenticator secret cannot be decrypted; reset it', {
      cause,
    });
  }
}

/** Stores an encrypted secret until its first code confirms it. */
export async function savePendingSecret(tx: Tx, member: LockedMember, sealed: Uint8Array): Promise<void> {
  await tx.update(users).set({ totpPendingSecret: sealed }).where(isRowOf(member));
}

/**
 * Makes the pending secret the member's authenticator.
 * @param step the time step of the code that confirmed it
 * @param unprovedFamily the session, if it has no recent proof of identity
 */
export async function adoptPendingSecret(
  tx: Tx,
  member: LockedMember,
  { step, unprovedFamily }: { step: number; unprovedFamily: string | null },
): Promise<void> {
  const totpSecret = sql`${users.totpPendingSecret}`;
  await tx
    .update(users)
    .set({ totpSecret, totpPendingSecret: null, totpLastStep: step, unprovedFamily })
    .where(isRowOf(member));
}

/** Stores the latest used time step, so that its code is not accepted again. */
export async function saveLastStep(tx: Tx, member: LockedMember, step: number): Promise<void> {
  await tx.update(users).set({ totpLastStep: step }).where(isRowOf(member));
}

/** Returns the owner to which a member's encrypted secrets are bound. */
export function ownerOf({ tenantId, userId }: Pick<LockedMember, 'tenantId' | 'userId'>): string {
  return `${tenantId}/${userId}`;
}

function isRowOf({ tenantId, userId }: LockedMember) {
  return and(eq(users.tenantId, tenantId), eq(users.userId, userId));
}
