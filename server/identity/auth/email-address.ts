import { z } from 'zod';
import { AppError } from '#server/errors.ts';

/** RFC 5321, 4.5.3.1: at most 64 characters before the @ and 255 after it. */
const emailAddress = z.email().max(320);

/** Returns an email address in the form in which addresses are stored and compared. */
export function normalizeEmail(text: string): string {
  return text.trim().toLowerCase();
}

/**
 * Returns the normalized email address.
 * @throws AppError 400 for an invalid address
 */
export function requireEmail(text: string): string {
  const email = normalizeEmail(text);
  if (!isEmail(email)) throw new AppError('malformed_request', 'invalid email address');
  return email;
}

export function isEmail(text: string): boolean {
  return emailAddress.safeParse(text).success;
}
