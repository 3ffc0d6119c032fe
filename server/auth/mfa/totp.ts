import { randomBytes } from 'node:crypto';
import { createTOTPKeyURI, verifyHOTP } from '@oslojs/otp';

/** RFC 6238 as every authenticator app takes it: SHA-1, steps of 30 seconds, six digits. */
const stepSeconds = 30;
const digits = 6;
/** Steps to either side of the present one whose codes count: a clock that is off, a code that was typed slowly. */
const tolerance = 1;
const issuer = 'LinguaLoop';
/** Characters of an account's name that a key URI tells: escaped, more of them might not fit into a QR code. */
const accountLength = 200;

/** 20 random bytes, as many as SHA-1's output (RFC 4226, R6). */
export function newTotpSecret(): Uint8Array {
  return randomBytes(20);
}

/**
 * The step that a code is of, so that it can be stored: a code counts once (C 2).
 * @param code as it was typed: spaces do not count
 * @param now Unix time in seconds
 * @param lastStep the newest step that was used; only later ones match
 * @returns the newest match, so that a code which two steps happen to share is used up for both
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

/** The key URI that a QR code carries to the authenticator; `account` is what the app shows beside the issuer. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const name = [...account].slice(0, accountLength).join('');
  return createTOTPKeyURI(issuer, name, secret, stepSeconds, digits);
}
